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
import { waitLimitMs } from '../rigs/wait-limit.js';
import { TruthPrograms } from './truth-programs.js';

/** Shorter than the 10 s after which the command itself gives up what it waits for, longer than a busy machine takes to end a process. */
const limitMs = 8000;

/** Waits for `what`, which a command that ended or stands still brings no more: then the error has what that command said. */
async function until(what: () => boolean, run?: Run): Promise<void> {
  const over = new AbortController();
  void run?.ended.then(() => over.abort());
  for (const begin = performance.now(); !what();) {
    const isLate = performance.now() - begin > waitLimitMs;
    // What it brought, it may have brought at its end.
    if ((over.signal.aborted || isLate) && !what()) {
      const why = over.signal.aborted ? 'The command ended' : 'Nothing came';
      throw new Error(`${why}: ${String(what)}\n${run?.err ?? ''}`);
    }
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
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
    until(() => readdirSync(temporary).some((name) => name.startsWith('btrace-')), run);

  async function interrupted(run: Run, codes: (number | null)[] = [130]): Promise<string> {
    const began = performance.now();
    run.child.kill('SIGINT');
    const { code, err } = await run.ended;
    const tookMs = performance.now() - began;
    assert.ok(tookMs < limitMs, `it took ${tookMs} ms\n${err}`);
    // null: it died of the signal, which a shell calls 130 as well.
    assert.ok(codes.includes(code), `${code}: ${err}`);
    assert.ok(code !== null || run.child.signalCode === 'SIGINT');
    assert.deepEqual(readdirSync(temporary), [], 'no socket is left');
    return err;
  }

  it('while the program does not take the request to attach', async () => {
    const program = await recordings.truth(['sleep'], { vmArgs: ['-Xrs'] });
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
      await until(() => met.length >= 2, run);
      await interrupted(run);
      assert.ok(!existsSync(recordings.file('x.btrace')));
    } finally {
      for (const connection of met) connection.destroy();
      silent.close();
    }
  });

  it('while no JVM of a command calls back: the command is ended, too', async () => {
    const run = record('--', 'sh', '-c', 'echo $$ >pid; exec sleep 60');
    await until(
      () => existsSync(recordings.file('pid')) && readFileSync(recordings.file('pid')).length > 1,
      run,
    );
    await interrupted(run);
    const pid = readFileSync(recordings.file('pid'), 'utf8').trim();
    await until(
      () => !existsSync(`/proc/${pid}`) || /^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8')),
    );
    assert.ok(!existsSync(recordings.file('x.btrace')));
  });

  it('while a program that does not end itself is measured: it is ended, too', async () => {
    const run = start('measure', '-o', 'runs', '--', 'sh', '-c', 'echo $$ >pid; exec sleep 60');
    await until(
      () => existsSync(recordings.file('pid')) && readFileSync(recordings.file('pid')).length > 1,
      run,
    );
    const pid = readFileSync(recordings.file('pid'), 'utf8').trim();
    run.child.kill('SIGTERM');
    const { code, err } = await run.ended;
    assert.equal(code, 130, err);
    assert.match(err, /Interrupted in warm-up 1 of 1/);
    await until(
      () => !existsSync(`/proc/${pid}`) || /^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8')),
    );
  });

  it('twice, while a program that is stopped does not end the recording: the file is whole until then', async () => {
    const program = await recordings.truth(['sleep']);
    const run = record('--pid', String(program.pid));
    await run.says(/Recording /);
    await until(() => statSync(recordings.file('x.btrace')).size > 1000, run);
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
      await until(() => openFiles(run.child.pid!).includes(pipe), run);
      await interrupted(run, [130, null]);
      assert.deepEqual(readdirSync(recordings.folder), ['pipe']);
    }
    closeSync(held);
  });
});
