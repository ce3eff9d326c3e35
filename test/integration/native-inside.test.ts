/** Native programs that run, recorded from inside: the agent is loaded into them, and they must not notice. */
import assert from 'node:assert/strict';
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import { root } from '../../scripts/setup.mjs';
import type { NativeFrom, Session } from '../../src/targets/target.js';
import { type Trace } from '../../src/trace/index.js';
import { build, built } from '../abi/build.js';
import { type LentMode, LentProgram } from '../rigs/native/lent-program.js';
import { NativePrograms } from '../rigs/native/programs.js';
import { wide } from '../rigs/scale.js';
import { startBtrace } from './btrace-command.js';
import { cpuOf, decodeFile, Recordings, refusal, threadNamed, totalCpu } from './recordings.js';
import { anyMoment, lasts, until } from '../rigs/until.js';

const library = path.join(root, 'build/native/host/libbtrace-native.so');
const cycles = wide ? 50 : 8;
/** Each costs two seconds of two processors. */
const recordingCycles = wide ? 50 : 2;
/** Options that the agent reads once it is loaded, and refuses: nobody is there to be connected to. */
const nobody = 'socket=/nowhere,secret=/nowhere';
/** What the agent says of them (StartResult). */
const badOptions = /did not begin \(201\)/;
const noThread = /no thread of it was found/;
/** Between two of its waits it may be stopped. */
const noThreadOrLoaded = /no thread of it was found|did not begin \(201\)/;

interface Loading {
  readonly heldNs: number;
  readonly steps: number;
  readonly why: string;
}

describe('native programs that run, recorded from inside', () => {
  const programs = new NativePrograms();
  let recordings: Recordings;
  let lent: string;
  const started: LentProgram[] = [];

  before(function () {
    if (process.platform !== 'linux' || process.arch !== 'x64') this.skip();
    build('host', 'killed-loader');
    lent = programs.compile('lent', ['-O2']);
  });
  beforeEach(() => (recordings = new Recordings()));
  afterEach(() => {
    for (const one of started.splice(0)) one.kill();
    recordings.remove();
  });
  after(() => programs.remove());

  async function start(mode: LentMode, program = lent): Promise<LentProgram> {
    const one = await LentProgram.start(program, mode);
    started.push(one);
    return one;
  }

  function begin(one: { readonly pid: number }, nativeFrom: NativeFrom = 'inside'): Promise<Session> {
    rmSync(recordings.file(), { force: true });
    return recordings.start(one.pid, { nativeFrom, asyncIntervalNs: 4e6, allocationIntervalBytes: 4096 });
  }

  /** Until it has so many samples. */
  async function recordSamples(session: Session, samples: number): Promise<Trace> {
    session.onStatus((status) => {
      if (status.samples >= samples) void session.stop();
    });
    const { file, message } = await session.ended;
    assert.equal(message, '');
    return decodeFile(file);
  }

  /** Loads the agent with options that it refuses. With a step, the program that loads it is killed there. */
  function load(one: LentProgram, step?: number): Loading | undefined {
    const words = [nobody, library, String(one.pid), ...(step === undefined ? [] : [String(step)])];
    const { stdout, signal } = spawnSync(path.join(built('host'), 'killed-loader'), words, {
      encoding: 'utf8',
    });
    return signal === null ? (JSON.parse(stdout) as Loading) : undefined;
  }

  it('have what the agent sees: CPU time, waits, allocations, and no thread of its own', async () => {
    const server = await start('server');
    const trace = await recordSamples(await begin(server), 1500);
    assert.ok(recordings.log.some((line) => /^lent-O2 is recorded from inside/.test(line)));
    const cruncher = threadNamed(trace, 'cruncher');
    const sums = [...totalCpu(trace, cruncher)].find(([name]) => /\bsum\(int\)/.test(name))?.[1] ?? 0;
    assert.ok(sums > 0.9 * cpuOf(cruncher), `${sums} of ${cpuOf(cruncher)} ns`);
    const bytes = threadNamed(trace, 'server').intervals.allocatedBytes.reduce(
      (sum, one) => sum + (one || 0),
      0,
    );
    assert.ok(bytes > 1000, `${bytes} bytes`);
    for (const name of ['sleeps', 'polls', 'polls masked', 'epolls', 'receives', 'semaphores'])
      assert.ok(threadNamed(trace, name).waits.count > 0, `${name} waits`);
    assert.deepEqual(
      trace.threads.filter(({ name }) => name.startsWith('btrace')),
      [],
    );
    const { ticks, alarms, requests } = await server.endUnharmed();
    assert.ok(
      ticks > 0 && alarms > 0 && requests > 1000,
      `${ticks} ticks, ${alarms} alarms, ${requests} requests`,
    );
  });

  it(`are as before after ${recordingCycles} recordings, with the agent in them once, and quiet`, async function () {
    lasts(this, recordingCycles * 4000);
    const server = await start('server');
    await recordSamples(await begin(server), 100);
    const before = { threads: server.threadNames.sort(), files: server.openFiles };
    for (let i = 1; i < recordingCycles; i++) await recordSamples(await begin(server), 100);
    // A file more is one that a request or a child of its own has open just now.
    assert.ok(server.openFiles <= before.files + 2, `${server.openFiles} files, ${before.files} before`);
    assert.deepEqual(server.threadNames.sort(), before.threads);
    assert.deepEqual(
      server.threadNames.filter((name) => name.startsWith('btrace')),
      [],
    );
    assert.equal(server.images('libbtrace-native.so').length, 1);
    assert.deepEqual(server.foreignCode, []);
    const { requests, children } = await server.endUnharmed();
    assert.ok(requests > 1000 && children > 3, `${requests} requests, ${children} children`);
  });

  it('are loaded into afresh without harm', async () => {
    for (let i = 0; i < cycles; i++) {
      const server = await start('server');
      assert.match(load(server)!.why, badOptions);
      await server.endUnharmed();
    }
  });

  it('are recorded when their one thread never rests', async () => {
    const burner = await start('burner');
    const trace = await recordSamples(await begin(burner), 50);
    const [main] = trace.threads;
    assert.ok(cpuOf(main!) > 50e6, `${cpuOf(main!)} ns`);
    const { sums } = await burner.endUnharmed();
    assert.ok(sums > 0);
  });

  for (const mode of ['server', 'burner'] as const)
    it(`go on unharmed when what loads the agent is killed at any of its steps (${mode})`, async function () {
      const one = await start(mode);
      const steps = load(one)!.steps;
      assert.ok(steps > 15, `${steps} steps`);
      // Later ones have fewer steps: the agent is there.
      let killed = 0;
      for (let step = 0; step < steps; step++) if (load(one, step) === undefined) killed++;
      assert.ok(killed >= 15, `killed ${killed} times`);
      assert.match(load(one)!.why, badOptions);
      await one.endUnharmed();
    });

  it('may end or become another program meanwhile', async function () {
    const becoming = await start('exec');
    for (let gone = false; !gone;) {
      load(becoming);
      gone = becoming.threadNames.length === 1;
    }
    await becoming.says(/^ready$[^]*^ready$/m);
    await becoming.endUnharmed();
    for (let i = 0; i < cycles; i++) {
      const server = await start('server');
      const words = [nobody, library, String(server.pid)];
      const loader = spawn(path.join(built('host'), 'killed-loader'), words, {
        stdio: ['ignore', 'pipe', 'ignore'],
      });
      let said = '';
      loader.stdout.on('data', (text) => (said += String(text)));
      // A moment of its own each time.
      void anyMoment(i).then(() => server.kill());
      await once(loader, 'close');
      assert.match(said, /"loaded":false/);
    }
  });

  for (const name of ['sleeps', 'polls', 'polls masked', 'epolls', 'receives', 'semaphores'])
    it(`wait on as if nobody had been there: ${name}`, async () => {
      const one = await LentProgram.start(lent, 'waits', name);
      started.push(one);
      for (let i = 0; i < cycles; i++) assert.match(load(one)!.why, badOptions);
      await one.endUnharmed();
    });

  for (const name of ['reads with a limit', 'takes signals'])
    it(`wait on in a call that no thread is stopped in: ${name}`, async () => {
      const one = await LentProgram.start(lent, 'waits', name);
      started.push(one);
      assert.match(load(one)!.why, noThreadOrLoaded);
      await one.endUnharmed();
    });

  it('may set the identity of all their threads meanwhile, for which each of these is waited', async () => {
    const one = await LentProgram.start(lent, 'waits', 'identities');
    started.push(one);
    for (let i = 0; i < cycles; i++) assert.match(load(one)!.why, badOptions);
    await one.endUnharmed();
  });

  it('go on as soon as a child that shares their memory lets them (vfork)', async () => {
    const one = await start('vfork');
    assert.match(load(one)!.why, noThreadOrLoaded);
    const { children } = await one.endUnharmed();
    assert.ok(children > 1, `${children} children`);
  });

  it('are let be in a handler of signals: what it has interrupted may hold any lock', async () => {
    const one = await start('handler', programs.compile('lent', ['-O2', '-fno-omit-frame-pointer']));
    assert.match(load(one)!.why, noThread);
    await one.endUnharmed();
  });

  it('may be stopped and continued meanwhile', async function () {
    const burner = await start('burner');
    const storm = 'while kill -STOP $0; do sleep 0.005; kill -CONT $0; sleep 0.03; done';
    const shell = spawn('sh', ['-c', storm, String(burner.pid)], { stdio: 'ignore' });
    let [loaded, looks] = [0, 0];
    try {
      // On a busy machine it may be stopped at most looks: until it was loaded into once.
      await until(
        () => `it is loaded into; it was not in ${looks} looks`,
        () => {
          const { why } = load(burner)!;
          assert.match(why, /did not begin \(201\)|it is stopped|no thread of it was found/);
          if (badOptions.test(why)) loaded++;
          return (looks += 1) >= cycles && loaded > 0;
        },
        0,
      );
    } finally {
      shell.kill('SIGKILL');
      await once(shell, 'exit');
    }
    process.kill(burner.pid, 'SIGCONT');
    await burner.endUnharmed();
  });

  describe('are refused in words, and recorded from outside where that is left open', () => {
    async function isRefused(one: LentProgram, why: RegExp): Promise<void> {
      await assert.rejects(begin(one), refusal('not-supported', why));
      const trace = await recordSamples(await begin(one, 'auto'), 50);
      assert.ok(cpuOf(trace.threads[0]!) > 0);
      assert.ok(
        recordings.log.some((line) =>
          /recorded from outside\. .* cannot be recorded from inside: /.test(line),
        ),
      );
      assert.equal(one.images('libbtrace-native.so').length, 0);
      await one.endUnharmed();
    }

    it('when they are linked statically', async () => {
      await isRefused(
        await start('burner', programs.compile('lent', ['-O2', '-static'])),
        /linked statically/,
      );
    });

    it('when they are traced already', async () => {
      await isRefused(await start('traced'), /process \d+ traces it/);
    });

    it('when they confine their system calls', async () => {
      await isRefused(await start('confined'), /seccomp/);
    });

    it('when they have a sanitizer', async () => {
      await isRefused(
        await start('burner', programs.compile('lent', ['-O1', '-fsanitize=address'])),
        /a sanitizer is in it/,
      );
    });
  });

  it('are refused when they are stopped', async () => {
    const burner = await start('burner');
    process.kill(burner.pid, 'SIGSTOP');
    while (!/^State:\s+T/m.test(readFileSync(`/proc/${burner.pid}/status`, 'utf8')));
    await assert.rejects(begin(burner), refusal('not-supported', /it is stopped/));
    process.kill(burner.pid, 'SIGCONT');
    await burner.endUnharmed();
  });

  it('are chosen on the command line, which says how they are recorded', async () => {
    const server = await start('server');
    const record = (...args: string[]) =>
      startBtrace(recordings.folder, ['record', '--pid', String(server.pid), '-d', '1s', ...args]).ended;
    assert.match((await record('--from', 'inside')).err, /^lent-O2 is recorded from inside/m);
    assert.doesNotMatch((await record()).err, /from inside/);
    const wrong = await record('--from', 'above');
    assert.deepEqual([wrong.code, /outside, inside, auto/.test(wrong.err)], [2, true], wrong.err);
    await server.endUnharmed();
  });

  it('have their calls counted, with their threads, and do not notice', async () => {
    const server = await start('server');
    const words = ['survey', '--pid', String(server.pid), '-d', '1s', '--json'];
    const { out, err } = await startBtrace(recordings.folder, words).ended;
    assert.match(out, /^\{/, err);
    const { functions } = JSON.parse(out) as {
      functions: { name: string; calls: number; isPoint: boolean; threads: { name: string }[] }[];
    };
    const received = functions.find(({ name }) => name === 'recv');
    assert.ok(received && received.isPoint && received.calls > 1000, JSON.stringify(received));
    assert.ok(received.threads.some(({ name }) => name === 'server'));
    await server.endUnharmed();
  });

  it('give their results when we did not write them: sqlite3', async function () {
    const sqlite = spawn('sqlite3', [':memory:'], { stdio: ['pipe', 'pipe', 'inherit'] });
    const failed = once(sqlite, 'error').then(() => true);
    if (await Promise.race([failed, once(sqlite, 'spawn').then(() => false)])) this.skip();
    const query =
      'with recursive n(i, h) as (select 1, 7 union all select i + 1, (h * 31 + i) % 1000003 from n limit 3000000) select sum(h), count(*) from n;';
    const expected = execFileSync('sqlite3', [':memory:', query], { encoding: 'utf8' });
    let said = '';
    sqlite.stdout.on('data', (text) => (said += String(text)));
    sqlite.stdin.write(`${query}\n`.repeat(3));
    const session = await begin({ pid: sqlite.pid! });
    sqlite.stdin.end();
    await once(sqlite, 'close');
    const trace = decodeFile((await session.ended).file);
    assert.equal(said, expected.repeat(3));
    const [main] = trace.threads;
    const [most = ['', 0]] = [...totalCpu(trace, main!)]
      .sort((a, b) => b[1] - a[1])
      .filter(([name]) => /sqlite3/.test(name));
    assert.ok(most[1] > 0.5 * cpuOf(main!), `${most.join(' ')} of ${cpuOf(main!)}`);
  });
});
