import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readdirSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { loadAgent, openAttachSocket } from '../../../src/targets/local/attach.js';
import type { Machine } from '../../../src/targets/local/machine.js';
import { readProcess, type ProcessFacts } from '../../../src/targets/local/proc.js';
import { TargetError, type TargetErrorKind } from '../../../src/targets/target.js';

function refused(kind: TargetErrorKind, what: RegExp) {
  return (error: unknown) => {
    assert.ok(error instanceof TargetError, String(error));
    assert.equal(error.kind, kind);
    assert.match(error.message, what);
    return true;
  };
}

/**
 * HotSpot's side of the protocol as on macOS: asked by SIGQUIT, it looks for the request in the temporary folder alone, puts its
 * socket there under another name first, and answers each command with what the test gave it. It prints what it was told.
 */
const standIn = `
  const fs = require('node:fs'), net = require('node:net');
  const [folder, answer, losesFirst] = process.argv.slice(1);
  const socket = folder + '/.java_pid' + process.pid;
  let asked = 0;
  process.umask(0o177);
  const server = net.createServer((connection) => {
    let told = '';
    connection.setEncoding('utf8').on('error', () => {}).on('data', (text) => {
      told += text;
      if (told.split('\\0').length < 6) return;
      console.log(JSON.stringify(told));
      connection.end(answer);
    });
  });
  process.on('SIGQUIT', () => {
    console.log(fs.existsSync(folder + '/.attach_pid' + process.pid) ? 'asked' : 'dump');
    if (losesFirst && !asked++) return;
    if (!server.listening) server.listen(socket + '.tmp', () => fs.renameSync(socket + '.tmp', socket));
  });
  setInterval(() => {}, 1000);
  console.log('ready');
`;

class StandIn {
  output = '';
  readonly #child: ChildProcess;

  private constructor(child: ChildProcess) {
    this.#child = child;

    child.stdout?.setEncoding('utf8').on('data', (text: string) => (this.output += text));
  }

  static async start(folder: string, ...answer: string[]): Promise<StandIn> {
    const made = new StandIn(
      spawn(process.execPath, ['-e', standIn, folder, ...answer], { stdio: ['ignore', 'pipe', 'inherit'] }),
    );
    await made.printed('ready');
    return made;
  }

  get facts(): ProcessFacts {
    const pid = this.#child.pid!;
    return {
      pid,
      uid: process.geteuid!(),
      innerPid: pid,
      catchesQuit: true,
      isStopped: false,
      args: [],
      root: '',
    };
  }

  async printed(text: string): Promise<void> {
    while (!this.output.includes(text)) await once(this.#child.stdout!, 'data');
  }

  async kill(): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    this.#child.kill('SIGKILL');
    await once(this.#child, 'exit');
  }
}

describe('attaching where there is no /proc', function () {
  let folder: string;
  let machine: Machine;
  let jvm: StandIn | undefined;

  before(function () {
    if (process.platform === 'win32') this.skip();
  });
  beforeEach(() => {
    folder = mkdtempSync(path.join(realpathSync(tmpdir()), 'attach-'));
    machine = { platform: 'darwin', temporary: folder };
  });
  afterEach(async () => {
    await jvm?.kill();
    jvm = undefined;
    rmSync(folder, { recursive: true });
  });

  const start = async (...answer: string[]): Promise<StandIn> =>
    (jvm = await StandIn.start(folder, ...answer));
  const own = (facts: ProcessFacts) => path.join(folder, `.java_pid${facts.pid}`);
  const load = (facts: ProcessFacts, socket: string) =>
    loadAgent(facts, socket, '/x/agent.dylib', 'socket=/s');

  it('asks in the temporary folder, loads the agent, and asks only once', async () => {
    const program = await start('0\nreturn code: 0\n');
    const { facts } = program;
    const socket = await openAttachSocket(facts, undefined, machine);
    assert.equal(socket, own(facts));
    await load(facts, socket);
    await program.printed(JSON.stringify('1\0load\0/x/agent.dylib\0true\0socket=/s\0'));
    assert.equal(await openAttachSocket(facts, undefined, machine), socket);
    assert.equal(program.output.match(/asked|dump/g)?.join(), 'asked');
    assert.deepEqual(readdirSync(folder), [path.basename(socket)], 'the request is gone');
  });

  it('asks a JVM again that lost its socket while it started', async function () {
    const program = await start('0\nreturn code: 0\n', 'loses the first');
    await load(program.facts, await openAttachSocket(program.facts, undefined, machine));
    assert.equal(program.output.match(/asked|dump/g)?.join(), 'asked,asked');
  });

  it('tells what the JVM answers when it cannot load the agent', async () => {
    const { facts } = await start('0\n/x/agent.dylib was not loaded.\nmach-o file, but wrong architecture\n');
    const socket = await openAttachSocket(facts, undefined, machine);
    await assert.rejects(load(facts, socket), refused('agent-refused', /wrong architecture/));
  });

  it('takes what is at the place of the socket for none: one that was left, a file, one open to others', async () => {
    const program = await start('0\nreturn code: 0\n');
    const { facts } = program;
    const leave = `require('node:net').createServer().listen(process.argv[1], () => process.kill(process.pid, 'SIGKILL'))`;
    const stale = spawn(process.execPath, ['-e', `process.umask(0o177); ${leave}`, own(facts)]);
    await once(stale, 'exit');
    assert.ok(existsSync(own(facts)));
    await load(facts, await openAttachSocket(facts, undefined, machine));
    await program.kill();

    const second = await start('0\nreturn code: 0\n');
    writeFileSync(own(second.facts), '');
    await load(second.facts, await openAttachSocket(second.facts, undefined, machine));
    await second.kill();

    const third = await start('0\nreturn code: 0\n');
    const open = createServer((connection) => connection.destroy());
    const before = process.umask(0);
    open.listen(own(third.facts));
    process.umask(before);
    await once(open, 'listening');
    try {
      await load(third.facts, await openAttachSocket(third.facts, undefined, machine));
    } finally {
      // It unlinks its path, which is another's by now.
      open.close();
    }
  });

  it('asks nothing of a program that is stopped', async function () {
    if (process.platform !== 'linux') this.skip();
    const { facts } = await start('0\nreturn code: 0\n');
    process.kill(facts.pid, 'SIGSTOP');
    const until = async (isStopped: boolean): Promise<ProcessFacts> => {
      for (;;) {
        const now = await readProcess(facts.pid);
        if (now?.isStopped === isStopped) return now;
      }
    };
    await assert.rejects(
      openAttachSocket(await until(true), undefined, machine),
      refused('timeout', /is stopped/),
    );
    process.kill(facts.pid, 'SIGCONT');
    await openAttachSocket({ ...facts, ...(await until(false)), catchesQuit: true }, undefined, machine);
    assert.equal(jvm?.output.match(/asked|dump/g)?.join(), 'asked');
  });

  it('says that a program has ended, and that another listens in its place', async () => {
    const program = await start('');
    const { facts } = program;
    const socket = await openAttachSocket(facts, undefined, machine);
    await assert.rejects(
      load(facts, socket),
      refused('agent-refused', /answered as no JVM does \(nothing\)/),
    );
    await program.kill();
    await assert.rejects(openAttachSocket(facts, undefined, machine), refused('not-found', /ended before/));
    assert.deepEqual(readdirSync(folder), [path.basename(socket)], 'no request is left');
  });
});
