/** Another user of the same machine stands in the way of an attach: that user gets nothing, and is named. */
import assert from 'node:assert/strict';
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  existsSync,
  lchownSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import type { JavaProgram } from '../rigs/jvm/programs.js';
import { startBtrace } from './btrace-command.js';
import { TruthPrograms } from './truth-programs.js';
import { until } from '../rigs/until.js';

const nobody = 65534;

describe('a hostile neighbour', function () {
  let recordings: TruthPrograms;
  /** Where the program runs, and everybody may write. */
  let shared: string;
  let victim: string;
  let neighbours: ChildProcess[];

  before(function () {
    if (process.geteuid?.() !== 0) this.skip(); // nobody else can be another user
  });
  beforeEach(() => {
    recordings = new TruthPrograms();
    shared = mkdtempSync('/tmp/btrace-shared-');
    chmodSync(shared, 0o1777);
    victim = recordings.file('victim');
    writeFileSync(victim, 'precious');
    neighbours = [];
  });
  afterEach(async () => {
    for (const one of neighbours) {
      if (one.exitCode !== null || one.signalCode !== null) continue;
      one.kill('SIGKILL');
      await once(one, 'exit');
    }
    assert.equal(readFileSync(victim, 'utf8'), 'precious');
    rmSync(shared, { recursive: true });
    await recordings.end();
  });

  const start = (vmArgs: string[] = []): Promise<JavaProgram> =>
    recordings.truth(['sleep'], { vmArgs, below: ['env', '-C', shared] });

  const record = (pid: number) =>
    startBtrace(recordings.folder, ['record', '--pid', String(pid), '-d', '0.2s', '-o', 'x.btrace', '-q']);

  /** Runs `script` as the other user, and waits for its first line. */
  async function neighbour(script: string, ...args: string[]): Promise<void> {
    const options = { uid: nobody, gid: nobody, cwd: '/', stdio: ['ignore', 'pipe', 'inherit'] as const };
    const child = spawn('sh', ['-c', script, 'sh', ...args], { ...options, stdio: [...options.stdio] });
    neighbours.push(child);
    await once(child.stdout, 'data');
  }

  it('cannot have the request to attach written through a link, and is named', async () => {
    const program = await start();
    const request = path.join(shared, `.attach_pid${program.pid}`);
    const plants = {
      'a symbolic link': 'ln -s "$2" "$1"',
      'a pipe': 'mkfifo "$1"',
      'a folder': 'mkdir "$1"',
      'a file': ': > "$1"',
    };
    for (const [words, plant] of Object.entries(plants)) {
      await neighbour(`${plant}; echo done`, request, victim);
      const { code, err } = await record(program.pid).ended;
      assert.equal(code, 3, err);
      assert.match(
        err,
        new RegExp(`\\.attach_pid${program.pid} is in the way: it is ${words} that nobody owns`),
      );
      assert.ok(!existsSync(recordings.file('x.btrace')));
      rmSync(request, { recursive: true });
    }
    assert.equal(program.output, 'ready\n', 'SIGQUIT would have made it print its threads');
    const { code, err } = await record(program.pid).ended;
    assert.equal(code, 0, err);
  });

  it('gains nothing by swapping names while somebody attaches', async () => {
    const request = (pid: number) => path.join(shared, `.attach_pid${pid}`);
    const swap =
      'echo on; while :; do ln -s "$2" "$1"; rm -f "$1"; mkfifo "$1"; rm -f "$1"; done 2>/dev/null';
    const program = await start();
    await neighbour(swap, request(program.pid), victim);
    const { code, err } = await record(program.pid).ended;
    // The one or the other came first.
    if (code !== 0) assert.match(err, /\.attach_pid\d+ (is in the way|comes and goes)/);
    assert.equal(readFileSync(victim, 'utf8'), 'precious');
    assert.equal(program.child.exitCode, null);
  });

  it('keeps nobody from listing or recording by a pipe among the data of JVMs', async () => {
    const program = await start(['-XX:-UsePerfData']);
    const folder = '/tmp/hsperfdata_btrace-test-neighbour';
    mkdirSync(folder);
    try {
      execFileSync('mkfifo', ['-m', '666', path.join(folder, String(program.pid))]);
      for (const owner of [nobody, 0]) {
        lchownSync(folder, owner, owner);
        lchownSync(path.join(folder, String(program.pid)), owner, owner);
        const list = startBtrace(recordings.folder, ['list', '--json']);
        const { code, out, err } = await list.ended;
        assert.equal(code, 0, err);
        assert.ok((JSON.parse(out) as { pid: number }[]).some(({ pid }) => pid === program.pid));
      }
      const { code, err } = await record(program.pid).ended;
      assert.equal(code, 0, err);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  it('sees no token of a recording, neither in command lines nor in what the program prints', async () => {
    const run = startBtrace(recordings.folder, [
      ...['record', '-o', 'x.btrace', '-q', '--', 'sh', '-c'],
      'exec java -Xlog:all=info:file=vm.log -cp "$0" Truth truth.txt sleep',
      path.resolve('build/jvm/truth'),
    ]);
    const tokens = /(token|answer)=[0-9a-f]{32}/;
    try {
      const file = recordings.file('x.btrace');
      await until(
        'the recording has come to something',
        () => existsSync(file) && statSync(file).size >= 1000,
      );
      for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
        let line = '';
        try {
          line = readFileSync(`/proc/${pid}/cmdline`, 'latin1');
        } catch {
          continue; // it has ended
        }
        assert.doesNotMatch(line, tokens);
      }
    } finally {
      run.child.kill('SIGTERM');
    }
    const { err } = await run.ended;
    assert.match(err, /Picked up JAVA_TOOL_OPTIONS: -agentpath/);
    assert.doesNotMatch(err, tokens);
    assert.doesNotMatch(readFileSync(recordings.file('vm.log'), 'latin1'), tokens);
  });
});
