/** The btrace command as it is shipped, on a real program. */
import assert from 'node:assert/strict';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { EndReason, HookState, type Trace } from '../../src/trace/index.js';
import { compile, JavaProgram, mainJdk } from '../rigs/jvm/programs.js';
import { type Around, type Ran, type Run, startBtrace } from './btrace-command.js';
import { decodeFile, Recordings, threadNamed, totalCpu } from './recordings.js';
import { until } from '../rigs/until.js';

const java = path.join(mainJdk().home, 'bin/java');

describe('btrace, the command', () => {
  let recordings: Recordings;
  let program: JavaProgram;

  before(async () => {
    recordings = new Recordings();
    program = await JavaProgram.start('shop');
  });
  after(async () => {
    await program.end();
    recordings.remove();
  });
  afterEach(() => {
    for (const name of readdirSync(recordings.folder)) {
      assert.ok(!name.endsWith('.part'), `${name} was left`);
    }
  });

  const start = (args: string[], options?: Around): Run => startBtrace(recordings.folder, args, options);
  const btrace = (...args: string[]): Promise<Ran> => start(args).ended;
  const pid = () => String(program.pid);

  it('lists, for the eye and as JSON', async () => {
    const listed = await btrace('list');
    assert.equal(listed.code, 0);
    assert.match(listed.out, new RegExp(`^\\s*${pid()}  com\\.example\\.shop\\.Shop\\s+HotSpot`, 'm'));
    const targets = JSON.parse((await btrace('list', '--json')).out) as {
      pid: number;
      recordable: boolean;
    }[];
    assert.equal(targets.find((one) => one.pid === program.pid)?.recordable, true);
  });

  it('lists a program whose command would colour the terminal', async () => {
    const other = await JavaProgram.start('shop', { args: ['60', '\x1b[31mred'] });
    const { out } = await btrace('list');
    await other.kill();
    assert.match(out, /\ufffd\[31mred/);
    assert.ok(!out.includes('\x1b'));
  });

  it('records, reports, says what is in it, and converts', async () => {
    const recorded = await btrace('record', '--pid', pid(), '--duration', '2s', '-o', 'x.btrace', '--json');
    assert.equal(recorded.code, 0, recorded.err);
    const end = JSON.parse(recorded.out) as { reason: string; samples: number; file: string };
    assert.equal(end.reason, 'limit');
    assert.ok(end.samples > 100);

    const reported = await btrace('report', 'x.btrace');
    assert.equal(reported.code, 0, reported.err);
    assert.match(reported.out, /^com\.example\.shop\.Shop \(process \d+\) · HotSpot/);
    assert.match(reported.out, /^Trust: sampled every .* · recording took /m);
    assert.match(reported.out, /com\.example\.shop\.Search\.distance/);
    assert.ok(!reported.out.includes('\x1b'), 'no colours where there is no terminal');
    const report = JSON.parse((await btrace('report', 'x.btrace', '--json', '--per-thread')).out) as {
      threads: { name: string; methods: unknown[] }[];
    };
    assert.ok(report.threads.find(({ name }) => name === 'customer-1')!.methods.length > 1);

    const info = JSON.parse((await btrace('info', 'x.btrace', '--points', '--json')).out) as {
      pid: number;
      hooks: unknown[];
      points: { kind: string; captures: number; threads: number }[];
    };
    assert.equal(info.pid, program.pid);
    assert.ok(info.hooks.length > 1);
    assert.ok(info.points.find(({ kind }) => kind === 'sleep')!.captures > 10);

    for (const name of [
      'x.pftrace',
      'x.json',
      'x.speedscope.json',
      'x.collapsed',
      'x.nanoscope.txt',
      'x.csv',
    ]) {
      const converted = await btrace('convert', 'x.btrace', '-o', name);
      assert.equal(converted.code, 0, converted.err);
      assert.equal(converted.out, `${name}\n`);
      assert.ok(statSync(recordings.file(name)).size > 100);
      if (name !== 'x.pftrace' && name !== 'x.collapsed') continue; // the engine's own tests read all of them
      const again = await btrace('report', name, '--sort', 'self-wall');
      assert.equal(again.code, 0, again.err);
      assert.match(again.out, /com\.example\.shop\.Search\.distance|Search\.distance/, name);
    }
    const piped = await btrace('convert', 'x.btrace', '-o', '-', '--to', 'collapsed');
    assert.match(piped.out, /;com\.example\.shop\.Search\.find;/);
    const there = await btrace('convert', 'x.btrace', '-o', 'x.csv');
    assert.equal(there.code, 4);
    assert.match(there.err, /is there already.\n.*--force/s);
  });

  it('redacts before it writes', async () => {
    const { code, err } = await btrace(
      'record',
      '--pid',
      pid(),
      '-d',
      '1s',
      '-o',
      'redacted.btrace',
      '--redact',
      '-q',
    );
    assert.equal(code, 0, err);
    const bytes = readFileSync(recordings.file('redacted.btrace'));
    for (const name of ['shop', 'Shop', 'customer', 'Search']) assert.ok(!bytes.includes(name), name);
    const trace = decodeFile(recordings.file('redacted.btrace'));
    assert.equal(trace.info.targetName, 'redacted');
    assert.ok(trace.threads.some(({ sampleCount }) => sampleCount > 0));
  });

  it('has a folder of its own that git ignores, when nobody says where to', async () => {
    const { code, out } = await btrace('record', '--pid', pid(), '-d', '0.3s', '-q');
    assert.equal(code, 0);
    assert.match(
      out,
      /btrace-recordings\/com\.example\.shop\.Shop \d{4}-\d\d-\d\d \d\d\.\d\d\.\d\d\.btrace\n$/,
    );
    assert.match(readFileSync(recordings.file('btrace-recordings/.gitignore'), 'utf8'), /^\*$/m);
    assert.equal(statSync(out.trim()).mode & 0o777, 0o600);
  });

  it('ends a recording well on Ctrl-C', async () => {
    const run = start(['record', '--pid', pid(), '-o', 'interrupted.btrace']);
    await run.says(/Recording com/);
    run.child.kill('SIGINT');
    const { code, out } = await run.ended;
    assert.equal(code, 0, run.err);
    assert.equal(out, `${recordings.file('interrupted.btrace')}\n`);
    assert.equal(decodeFile(recordings.file('interrupted.btrace')).endReason, EndReason.Stopped);
  });

  it('ends a recording of a program that is stopped, says so, and records it when it runs again', async () => {
    const run = start(['record', '--pid', pid(), '-o', 'stopped.btrace']);
    await run.says(/Recording com/);
    const file = recordings.file('stopped.btrace');
    await until('the recording has come to something', () => statSync(file).size >= 20_000);
    program.child.kill('SIGSTOP');
    try {
      run.child.kill('SIGINT');
      const { code, err } = await run.ended;
      assert.equal(code, 0, err);
      assert.match(
        err,
        /Shop is stopped, by a signal or a debugger: the recording ends where it was stopped/,
      );
    } finally {
      program.child.kill('SIGCONT');
    }
    const trace = decodeFile(file);
    assert.deepEqual([trace.complete, trace.problems], [true, []]);
    assert.ok(threadNamed(trace, 'customer-1').sampleCount > 0);
    const next = await btrace('record', '--pid', pid(), '-d', '0.5s', '-o', 'continued.btrace', '-q');
    assert.equal(next.code, 0, next.err);
  });

  it('when the command is killed, the file is valid, the program lives, and it can record again', async () => {
    const run = start(['record', '--pid', pid(), '-o', 'killed.btrace']);
    await run.says(/Recording com/);
    const file = recordings.file('killed.btrace');
    await until('the recording has come to something', () => statSync(file).size >= 20_000);
    run.child.kill('SIGKILL');
    await run.ended;
    const trace = decodeFile(file);
    assert.equal(trace.complete, false);
    assert.ok(threadNamed(trace, 'customer-1').sampleCount > 0);
    const report = await btrace('report', 'killed.btrace');
    assert.match(report.out, /the recording has no end/);
    const next = await btrace('record', '--pid', pid(), '-d', '0.5s', '-o', 'next.btrace', '-q');
    assert.equal(next.code, 0, next.err);
    assert.equal(program.child.exitCode, null);
  });

  it('keeps a ring, and dumps it when asked by a command or by a file', async () => {
    const args = ['record', '--pid', pid(), '--ring', '5s', '--dump-when', 'now', '-o', 'ring.btrace'];
    const run = start(args);
    await run.says(/Recording com/);
    writeFileSync(recordings.file('now'), '');
    await run.says(/Dumped the ring to .*\.btrace/);
    assert.ok(!existsSync(recordings.file('now')));
    const [, dumped = ''] = /Dumped the ring to (.*\.btrace)/.exec(run.err) ?? [];
    const asked = await btrace('dump', '--pid', pid(), '--last', '2s', '-o', 'asked.btrace');
    assert.equal(asked.code, 0, asked.err);
    run.child.kill('SIGINT');
    assert.equal((await run.ended).code, 0, run.err);
    for (const file of [dumped, recordings.file('asked.btrace'), recordings.file('ring.btrace')]) {
      const trace = decodeFile(file);
      assert.ok(trace.complete, file);
      assert.deepEqual(trace.problems, [], file);
      threadNamed(trace, 'customer-1');
    }
    const [load] = decodeFile(recordings.file('ring.btrace')).counters;
    assert.ok(load !== undefined && load.count > 0, 'what the process used is in the ring, too');
  });

  it('a full disk ends the recording, not the program, and says so', async () => {
    const limit = 'ulimit -f 40; exec "$@"'; // blocks of 512 bytes: 20 KB
    const run = start(['record', '--pid', pid(), '-o', 'full.btrace'], { below: limit });
    const { code, err } = await run.ended;
    assert.equal(code, 5, err);
    assert.match(err, /The disk is full/);
    const trace = decodeFile(recordings.file('full.btrace'));
    assert.ok(trace.threads.length > 0);
    assert.deepEqual(
      trace.problems.filter(({ what }) => /torn|within a chunk|checksum/.test(what)),
      [],
    );
    assert.equal(program.child.exitCode, null);
  });

  it('a desktop that does not read for a while costs samples that are counted, not the program', async () => {
    const run = start([
      'record',
      '--pid',
      pid(),
      '-o',
      'slow.btrace',
      '--memory',
      '8M',
      '--point-interval',
      '0ms',
      '--allocation-interval',
      '1B',
      '--budget',
      '0%',
    ]);
    await run.says(/Recording com/);
    run.child.kill('SIGSTOP');
    const usedTicks = (): number => {
      const fields = readFileSync(`/proc/${pid()}/stat`, 'utf8').split(') ')[1]!.split(' ');
      return Number(fields[11]) + Number(fields[12]);
    };
    // As much as three seconds of one processor: what it allocates by then has no room.
    const enough = usedTicks() + 300;
    await until('the program uses three seconds of CPU time', () => usedTicks() >= enough);
    run.child.kill('SIGCONT');
    run.child.kill('SIGINT');
    const { code, err } = await run.ended;
    assert.equal(code, 0, err);
    const trace = decodeFile(recordings.file('slow.btrace'));
    assert.equal(trace.endReason, EndReason.Stopped);
    assert.equal(program.child.exitCode, null);
    const counted = trace.losses.reduce((sum, { count }) => sum + count, 0);
    assert.ok(counted > 0, 'there was room for all');
    assert.ok((trace.status?.memoryBytes ?? 0) <= 8 * 2 ** 20, `${trace.status?.memoryBytes} bytes`);
    assert.ok(
      (trace.status?.dropped ?? 0) <= counted,
      `${trace.status?.dropped} dropped, ${counted} counted`,
    );
  });

  it('starts a program, records it from its first moment, and ends with its exit code', async () => {
    const args = [
      'record',
      '-o',
      'launched.btrace',
      '--',
      java,
      '-cp',
      compile('shop'),
      'com.example.shop.Shop',
      '1.5',
    ];
    const { code, out, err } = await btrace(...args);
    assert.equal(code, 0, err);
    assert.match(out, /^open\n/, "the program's own output is there");
    const trace = decodeFile(recordings.file('launched.btrace'));
    assert.equal(trace.endReason, EndReason.TargetExited);
    assert.equal(trace.info.targetName, 'com.example.shop.Shop');
    assert.ok(
      (totalCpu(trace, threadNamed(trace, 'customer-1')).get('com.example.shop.Search.find') ?? 0) > 0,
    );
    // The points are those of a program that runs already.
    await btrace('record', '--pid', pid(), '--duration', '300ms', '-o', 'attached.btrace', '-q');
    const attached = decodeFile(recordings.file('attached.btrace'));
    const hooksOf = ({ hooks }: Trace): string[] => hooks.map(({ name }) => name).sort();
    assert.deepEqual(hooksOf(trace), hooksOf(attached));
    for (const { name, state, why } of [...trace.hooks, ...attached.hooks])
      assert.ok(state === HookState.Installed || state === HookState.Removed, `${name}: ${why}`);
    const failing = await btrace(
      'record',
      '-q',
      '--',
      java,
      '-cp',
      compile('shop'),
      'com.example.shop.Shop',
      'x',
    );
    assert.equal(failing.code, 1, failing.err);
    const written = failing.out.trimEnd().split('\n').at(-1) ?? '';
    assert.match(written, /btrace-recordings\/com\.example\.shop\.Shop .*\.btrace$/);
    assert.ok(existsSync(written), failing.out);
  });

  it('reaches a JVM below another command by the environment', async () => {
    const script = recordings.file('build.sh');
    writeFileSync(
      script,
      `#!/bin/sh\n${java} -version 2>/dev/null\nexec ${java} -cp ${compile('shop')} com.example.shop.Shop 1\n`,
    );
    chmodSync(script, 0o755);
    const { code, err } = await btrace('record', '--name', 'shop', '-o', 'below.btrace', '-q', '--', script);
    assert.equal(code, 0, err);
    assert.match(err, /Picked up JAVA_TOOL_OPTIONS/);
    assert.equal(decodeFile(recordings.file('below.btrace')).info.targetName, 'com.example.shop.Shop');
  });

  it('puts the socket elsewhere when TMPDIR is too long', async () => {
    const long = path.join(recordings.folder, 'long'.repeat(25));
    mkdirSync(long);
    const run = start(['record', '--pid', pid(), '-d', '0.3s', '-o', 'long.btrace', '-q'], {
      env: { TMPDIR: long },
    });
    const { code, err } = await run.ended;
    assert.equal(code, 0, err);
    assert.deepEqual(readdirSync(long), []);
  });
});
