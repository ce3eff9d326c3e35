/** Ctrl-C ends the command whatever it is waiting for, and leaves nothing behind. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  closeSync,
  existsSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
} from 'node:fs';
import { createServer, type Socket } from 'node:net';
import { type Run, startBtrace } from './btrace-command.js';
import { decodeFile } from './recordings.js';
import { TruthPrograms } from './truth-programs.js';
import { until } from '../rigs/until.js';

/** Waits for what a command that has ended brings no more: then the error has what that command said. */
async function reaches(what: string, look: () => boolean, run: Run): Promise<void> {
  const { child } = run;
  await until(
    () => `${what}\n${run.err}`,
    () => {
      const isOver = child.exitCode !== null || child.signalCode !== null;
      // What it brought, it may have brought at its end.
      if (look()) return true;
      assert.ok(!isOver, `the command ended before ${what}\n${run.err}`);
      return false;
    },
  );
}

function openFiles(pid: number): string[] {
  return readdirSync(`/proc/${pid}/fd`).map((fd) => {
    try {
      return readlinkSync(`/proc/${pid}/fd/${fd}`);
    } catch {
      return ''; // closed meanwhile
    }
  });
}

describe('Ctrl-C', () => {
  let recordings: TruthPrograms;
  /** The command's folder of temporary files. Short, as a socket's path must be. */
  let temporary: string;

  beforeEach(() => {
    recordings = new TruthPrograms();
    temporary = mkdtempSync('/tmp/btrace-int-');
  });
  afterEach(async () => {
    rmSync(temporary, { recursive: true });
    await recordings.end();
  });

  const start = (...args: string[]): Run =>
    startBtrace(recordings.folder, args, { env: { TMPDIR: temporary } });
  const record = (...args: string[]): Run => start('record', '-o', 'x.btrace', ...args);
  /** It listens for the agent: what it waits for now is the program. */
  const listens = (run: Run) =>
    reaches('it listens', () => readdirSync(temporary).some((name) => name.startsWith('btrace-')), run);

  async function interrupted(run: Run, codes: (number | null)[] = [130]): Promise<string> {
    run.child.kill('SIGINT');
    // Where it gave up by itself, as it does after 10 s, it ends with another code.
    const { code, err } = await run.ended;
    // null: it died of the signal, which a shell calls 130 as well.
    assert.ok(codes.includes(code), `${code}: ${err}`);
    assert.ok(code !== null || run.child.signalCode === 'SIGINT');
    assert.deepEqual(readdirSync(temporary), [], 'no socket is left');
    return err;
  }

  it('while the program does not take the request to attach', async () => {
    // It listens from its start on, and catches no signal: without its socket there is no way to ask it.
    const program = await recordings.truth(['sleep'], { vmArgs: ['-Xrs'] });
    const socket = `/tmp/.java_pid${program.pid}`;
    await until('the JVM listens', () => existsSync(socket));
    rmSync(socket);
    const run = record('--pid', String(program.pid));
    await listens(run);
    assert.match(await interrupted(run), /Interrupted before the recording began/);
    assert.ok(!existsSync(recordings.file('x.btrace')));
    assert.ok(!existsSync(`/tmp/.attach_pid${program.pid}`));
  });

  it('while the program does not answer that it loads the agent', async () => {
    const program = await recordings.truth(['sleep']);
    const socket = `/tmp/.java_pid${program.pid}`;
    const met: Socket[] = [];
    const silent = createServer((connection) => met.push(connection.on('error', () => undefined)));
    silent.listen(socket);
    await once(silent, 'listening');
    chmodSync(socket, 0o600);
    try {
      const run = record('--pid', String(program.pid));
      // The first connection only asks whether somebody listens.
      await reaches('it asks the program', () => met.length >= 2, run);
      await interrupted(run);
      assert.ok(!existsSync(recordings.file('x.btrace')));
    } finally {
      for (const connection of met) connection.destroy();
      silent.close();
    }
  });

  it('while no JVM of a command calls back: the command is ended, too', async () => {
    const run = record('--', 'sh', '-c', 'echo $$ >pid; exec sleep 60');
    const hasBegun = (): boolean =>
      existsSync(recordings.file('pid')) && readFileSync(recordings.file('pid')).length > 1;
    await reaches('its program begins', hasBegun, run);
    await interrupted(run);
    const pid = readFileSync(recordings.file('pid'), 'utf8').trim();
    await until(
      'its program ends',
      () => !existsSync(`/proc/${pid}`) || /^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8')),
    );
    assert.ok(!existsSync(recordings.file('x.btrace')));
  });

  it('while a program that does not end itself is measured: it is ended, too', async () => {
    const run = start('measure', '-o', 'runs', '--', 'sh', '-c', 'echo $$ >pid; exec sleep 60');
    const hasBegun = (): boolean =>
      existsSync(recordings.file('pid')) && readFileSync(recordings.file('pid')).length > 1;
    await reaches('its program begins', hasBegun, run);
    const pid = readFileSync(recordings.file('pid'), 'utf8').trim();
    run.child.kill('SIGTERM');
    const { code, err } = await run.ended;
    assert.equal(code, 130, err);
    assert.match(err, /Interrupted in warm-up 1 of 1/);
    await until(
      'its program ends',
      () => !existsSync(`/proc/${pid}`) || /^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8')),
    );
  });

  it('twice, while a program that is stopped does not end the recording: the file is whole until then', async () => {
    const program = await recordings.truth(['sleep']);
    const run = record('--pid', String(program.pid));
    await run.says(/Recording /);
    await reaches(
      'the recording has something',
      () => statSync(recordings.file('x.btrace')).size > 1000,
      run,
    );
    program.child.kill('SIGSTOP');
    run.child.kill('SIGINT');
    await run.says(/ending the recording/);
    await interrupted(run, [null]);
    program.child.kill('SIGCONT');
    assert.ok(decodeFile(recordings.file('x.btrace')).threads.length >= 0);
  });

  it('while a file that is read is a pipe that nobody writes to', async () => {
    const pipe = recordings.file('pipe');
    execFileSync('mkfifo', [pipe]);
    const held = openSync(pipe, 'r+');
    for (const args of [
      ['report', 'pipe'],
      ['convert', 'pipe', '-o', 'made.json'],
    ]) {
      const run = start(...args);
      await reaches('the pipe is open', () => openFiles(run.child.pid!).includes(pipe), run);
      await interrupted(run, [130, null]);
      assert.deepEqual(readdirSync(recordings.folder), ['pipe']);
    }
    closeSync(held);
  });
});
