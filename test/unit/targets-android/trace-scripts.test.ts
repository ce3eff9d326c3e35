/**
 * The scripts that trace a device's system, several at a time: the shell's own work, with commands that only note what they are
 * asked for. test/android/system.test.ts has them on the rig's device.
 */
import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { atraceScript, busyLine, serviceScript } from '../../../src/targets/android/trace-scripts.js';
import { until } from '../../rigs/until.js';

const commands = {
  getprop: 'case $1 in init.svc.traced) echo running ;; *) cat "$PROPERTY" ;; esac',
  setprop: 'echo "$2" >"$PROPERTY"',
  // The service writes its file some time after it has begun.
  perfetto: 'trap "exit 0" TERM; echo "perfetto $$" >>"$CALLS"; while [ -e "$CALLS" ]; do sleep 0.02; done',
  atrace: 'echo "$*" >>"$CALLS"',
  pkill: ':',
  sleep: 'echo >>"$CALLS-of-sleep"; exec /bin/sleep "$1"',
};

describe('the scripts that trace a device', () => {
  let folder: string;
  const running: Script[] = [];

  class Script {
    readonly child: ChildProcess;
    readonly #lines: AsyncIterator<string>;

    constructor(text: string) {
      const placed = text
        .replaceAll('/data/local/tmp', `${folder}/pushed`)
        .replaceAll('/data/misc/perfetto-traces', `${folder}/traces`)
        // A shell's background shell cannot take SIGINT, as the service's client does.
        .replace('kill -INT', 'kill -TERM');
      this.child = spawn('sh', ['-c', placed], {
        env: {
          PATH: `${folder}/bin:${process.env['PATH']}`,
          PROPERTY: `${folder}/property`,
          CALLS: `${folder}/calls`,
        },
        stdio: ['pipe', 'pipe', 'inherit'],
      });
      this.#lines = createInterface({ input: this.child.stdout! })[Symbol.asyncIterator]();
      running.push(this);
    }

    async line(): Promise<string | undefined> {
      const next = await this.#lines.next();
      return next.done === true ? undefined : next.value;
    }

    /** A signal to a command that is not there yet would be lost; a device is asked whether it is. */
    async traces(): Promise<void> {
      const [, pid] = /^tracing (\d+) /.exec((await this.line()) ?? '') ?? [];
      assert.ok(pid !== undefined, 'it traces');
      const isThere = (): boolean => pid === String(this.child.pid) || calls().includes(`perfetto ${pid}`);
      await until('the command that traces is there', isThere, 5);
    }

    /** As a recording ends: the trace is stopped, the file fetched, the connection closed. */
    async end(): Promise<void> {
      this.child.stdin!.write('stop\n');
      assert.match((await this.line()) ?? '', /^done /);
      await this.leave();
    }

    async leave(signal?: NodeJS.Signals): Promise<void> {
      const { child } = this;
      if (child.exitCode !== null || child.signalCode !== null) return;
      const ended = once(child, 'exit');
      if (signal === undefined) child.stdin!.end();
      else child.kill(signal);
      await ended;
    }
  }

  beforeEach(() => {
    folder = mkdtempSync(path.join(tmpdir(), 'trace-scripts-'));
    for (const name of ['bin', 'pushed', 'traces']) mkdirSync(path.join(folder, name));
    for (const [name, text] of Object.entries(commands)) {
      writeFileSync(path.join(folder, 'bin', name), `#!/bin/sh\n${text}\n`);
      chmodSync(path.join(folder, 'bin', name), 0o755);
    }
    writeFileSync(path.join(folder, 'property'), '0\n');
    writeFileSync(path.join(folder, 'calls'), '');
  });
  afterEach(async () => {
    for (const one of running.splice(0)) await one.leave();
    rmSync(folder, { recursive: true });
  });

  const service = (): Script => new Script(serviceScript('perfetto'));
  const atrace = (): Script => new Script(atraceScript('sched'));
  const isOn = (): boolean => readFileSync(path.join(folder, 'property'), 'utf8').trim() === '1';
  const calls = (): string[] => readFileSync(path.join(folder, 'calls'), 'utf8').trim().split('\n');
  const left = (): string[] => readdirSync(path.join(folder, 'pushed'));

  it('switch the service off with the last recording that needs it, whichever ends first', async () => {
    for (const order of [
      [0, 1, 2],
      [2, 0, 1],
    ]) {
      const scripts = [service(), service(), service()];
      for (const one of scripts) await one.traces();
      for (const at of order) {
        assert.ok(isOn());
        await scripts[at]!.end();
      }
      assert.ok(!isOn());
      assert.deepEqual(left(), []);
    }
  });

  it('leave the service on for a recording that begins as another one ends', async () => {
    let last = service();
    await last.traces();
    for (let times = 0; times < 8; times++) {
      const ending = last.end();
      last = service();
      await last.traces();
      await ending;
      assert.ok(isOn());
    }
    await last.end();
    assert.ok(!isOn());
    assert.deepEqual(left(), []);
  });

  it('begin no second trace by atrace, which would end the first one', async () => {
    const first = atrace();
    await first.traces();
    for (const second of [atrace(), service()]) {
      assert.equal(await second.line(), busyLine);
      await second.leave();
    }
    assert.deepEqual(calls(), ['--async_start sched']);
    await first.end();
    const [one, other] = [atrace(), atrace()];
    const lines = [await one.line(), await other.line()];
    assert.deepEqual(lines.map((line) => line === busyLine).sort(), [false, true]);
    for (const script of [one, other]) await script.leave();
    assert.deepEqual(left(), []);
    const beside = service();
    await beside.traces();
    const third = atrace();
    assert.equal(await third.line(), busyLine);
  });

  it('wait for a lock whose number is not written yet', async () => {
    const lock = path.join(folder, 'pushed/btrace-traced-lock');
    writeFileSync(lock, '');
    const waiting = atrace();
    const hasLooked = (): boolean => existsSync(`${folder}/calls-of-sleep`);
    await until('the script looks at the lock', () => hasLooked() || !existsSync(lock), 5);
    assert.ok(existsSync(lock));
    rmSync(lock);
    await waiting.traces();
    await waiting.end();
  });

  it('are in nobody’s way once they were killed', async () => {
    const killed = atrace();
    await killed.traces();
    await killed.leave('SIGKILL');
    writeFileSync(path.join(folder, 'pushed/btrace-traced-lock'), `${killed.child.pid}\n`);
    const next = service();
    await next.traces();
    await next.leave('SIGKILL');
    const last = atrace();
    await last.traces();
    assert.equal(calls()[1], '--async_stop');
    await last.end();
  });
});
