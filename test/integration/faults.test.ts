/** What happens to a program, or to its recording, while it is recorded. */
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { EndReason, lockWaitsAtEnd, LossReason } from '../../src/trace/index.js';
import { compile, jdks } from '../rigs/jvm/programs.js';
import { decodeFile, refusal, threadNamed } from './recordings.js';
import { TruthPrograms } from './truth-programs.js';

describe('faults', () => {
  let recordings: TruthPrograms;

  before(() => void compile('truth'));
  beforeEach(() => (recordings = new TruthPrograms()));
  afterEach(() => recordings.end());

  it('a JVM that checks what is called by JNI: it is left as it was, without the names of classes', async () => {
    for (const jdk of jdks()) {
      const program = await recordings.program('deadlock', {
        jdk,
        args: ['before'],
        vmArgs: ['-Xcheck:jni'],
      });
      const said = program.output;
      const trace = await recordings.record(program.pid, 500, {
        file: recordings.file(`${jdk.version}.btrace`),
      });
      assert.deepEqual(trace.problems, []);
      assert.equal(lockWaitsAtEnd(trace).deadlocks.length, 2);
      assert.equal(await program.end(), 0, program.output);
      assert.equal(program.output, said);
    }
  });

  it('two recordings of one program at once: the second is told, the first goes on', async () => {
    const program = await recordings.truth(['burn']);
    const first = await recordings.start(program.pid);
    await assert.rejects(
      recordings.start(program.pid, { file: recordings.file('second.btrace') }),
      refusal('busy', /another recording/),
    );
    assert.ok(!existsSync(recordings.file('second.btrace')));
    assert.equal((await first.stop()).reason, 'stopped');
    assert.ok(decodeFile(first.file).complete);
  });

  it('the program killed: what came until then is there, with names', async () => {
    const program = await recordings.truth(['burn', 'allocate']);
    const session = await recordings.start(program.pid);
    await new Promise<void>((resolve) => {
      session.onStatus(({ samples, elapsedMs }) => {
        if (samples > 50 && elapsedMs > 1500) resolve();
      });
    });
    await program.kill('SIGKILL');
    const end = await session.ended;
    assert.equal(end.reason, 'target-exited');
    const trace = decodeFile(end.file);
    assert.equal(trace.endReason, EndReason.TargetExited);
    const allocator = threadNamed(trace, 'allocator');
    assert.ok(allocator.sampleCount > 0);
    const names = new Set<string>();
    for (let method = 1; method < trace.methods.count; method++)
      names.add(trace.methods.qualifiedName(method));
    assert.ok(names.has('Parts.buffer'), [...names].join(' '));
  });

  it('the program ends by itself: the file has its end', async () => {
    const program = await recordings.truth(['burn']);
    const session = await recordings.start(program.pid);
    assert.equal(await program.end(), 0);
    const end = await session.ended;
    assert.equal(end.reason, 'target-exited');
    assert.equal(decodeFile(end.file).endReason, EndReason.TargetExited);
  });

  it('stopped or cancelled in the moment it starts', async () => {
    const program = await recordings.truth(['burn']);
    for (let round = 0; round < 10; round++) {
      const session = await recordings.start(program.pid, { file: recordings.file(`${round}.btrace`) });
      const end = await (round % 2 === 0 ? session.stop() : session.cancel());
      assert.equal(end.reason, round % 2 === 0 ? 'stopped' : 'cancelled');
      assert.equal(existsSync(end.file), round % 2 === 0);
    }
    const gaveUp = new AbortController();
    const starting = (await recordings.targets.find(program.pid)).start(recordings.options(), gaveUp.signal);
    gaveUp.abort(new Error('changed my mind'));
    await assert.rejects(starting, /changed my mind/);
    assert.ok(!existsSync(recordings.file()));
    const after = await recordings.start(program.pid);
    assert.equal((await after.stop()).reason, 'stopped');
  });

  it('a child of fork is not recorded, and lives', async () => {
    const program = await recordings.truth(['fork', 'burn']);
    const session = await recordings.start(program.pid);
    session.onStatus(({ samples, elapsedMs }) => {
      if (samples > 50 && elapsedMs > 1500) void session.stop();
    });
    const trace = decodeFile((await session.ended).file);
    assert.ok(threadNamed(trace, 'forker').sampleCount > 0);
    assert.deepEqual(trace.problems, []);
    assert.equal(await program.end(), 0, program.output);
  });

  it('classes that come and go', async () => {
    const program = await recordings.truth(['load', 'garbage']);
    // Until a class went before its name was asked for: a slow machine loads few a second.
    for (let round = 0, gone = 0; gone === 0; round++) {
      const trace = await recordings.record(program.pid, 2000, {
        file: recordings.file(`${round}.btrace`),
        syncIntervalNs: 0,
        budgetPpm: 0,
      });
      assert.ok(trace.complete);
      assert.deepEqual(trace.problems, []);
      // Each of those costs its name, and is counted.
      for (let method = 1; method < trace.methods.count; method++)
        if (trace.methods.qualifiedName(method) === '[unloaded]') gone++;
      const types = new Set(
        trace.threads.flatMap(({ events }) => [...events.type.subarray(0, events.count)]),
      );
      const classes = [...types].filter((type) => trace.className(type) === '[unloaded]').length;
      const counted = trace.losses
        .filter(({ reason }) => reason === LossReason.NameUnloaded)
        .reduce((sum, { count }) => sum + count, 0);
      assert.equal(counted, gone + classes);
    }
    assert.equal(await program.end(), 0, program.output);
  });

  for (const vmArgs of [[], ['-Xint', '-XX:+UseSerialGC']])
    it(`a class that lies where one was that is gone: neither its methods nor its objects bear that one’s name ${vmArgs.join(' ')}`, async () => {
      const program = await recordings.truth(['replace'], { vmArgs });
      const seen = new Set<string>();
      // A slow machine makes few classes a second.
      for (let round = 0; seen.size <= 20; round++) {
        const trace = await recordings.record(program.pid, 1500, {
          file: recordings.file(`${round}.btrace`),
          syncIntervalNs: 0,
          budgetPpm: 0,
        });
        assert.deepEqual(trace.problems, []);
        const makers = new Map<number, string>();
        for (let method = 1; method < trace.methods.count; method++) {
          const [, type] = /^(Passing\d+)\.make$/.exec(trace.methods.qualifiedName(method)) ?? [];
          if (type !== undefined) makers.set(method, type);
        }
        // Each class has another name, and one such method.
        assert.equal(new Set(makers.values()).size, makers.size);
        const { events } = threadNamed(trace, 'replacing');
        for (let row = 0; row < events.count; row++) {
          const maker = makers.get(trace.paths.method[events.path[row]!]!);
          const type = trace.className(events.type[row]!);
          if (maker === undefined || type === '[unloaded]') continue;
          assert.equal(type, maker);
          seen.add(type);
        }
      }
      assert.equal(await program.end(), 0, program.output);
    });

  it('2,000 threads', async () => {
    const program = await recordings.truth(['2000', 'burn']);
    const trace = await recordings.record(program.pid, 3000);
    assert.deepEqual(trace.problems, []);
    const crowd = trace.threads.filter(({ name }) => name.startsWith('crowd-'));
    const seen = crowd.filter(({ sampleCount }) => sampleCount > 0).length;
    assert.ok(
      seen === 2000 || trace.losses.length > 0,
      `${seen} of 2,000 seen, and nothing is said to be lost`,
    );
  });

  it('200 threads a second', async () => {
    const program = await recordings.truth(['churn', 'burn']);
    const trace = await recordings.record(program.pid, 3000);
    assert.deepEqual(trace.problems, []);
    const brief = trace.threads.filter(({ name }) => name.startsWith('brief-'));
    assert.ok(brief.length > 10, `${brief.length} brief threads`);
    assert.ok(brief.every(({ endNs, beginNs }) => endNs === 0 || endNs >= beginNs));
    assert.equal(await program.end(), 0, program.output);
  });
});
