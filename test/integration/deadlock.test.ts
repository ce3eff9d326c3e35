/** A program whose threads wait for each other for good, recorded from before that and long after: who waits for whom. */
import assert from 'node:assert/strict';
import { lockWaitsAtEnd, SampleFlag, SampleKind, type Trace } from '../../src/trace/index.js';
import { JavaProgram, type Jdk, oneJdk } from '../rigs/jvm/programs.js';
import { decodeFile, Recordings, threadNamed } from './recordings.js';
import { until } from '../rigs/until.js';

/** What counts as a long wait, and some time beside. */
const longMs = 1300;

interface Told {
  readonly thread: string;
  readonly owner: string;
  readonly lock: string;
  readonly method: string;
}

function told(trace: Trace) {
  const nameOf = (index: number): string =>
    trace.threads.find((thread) => thread.index === index)?.name ?? '';
  const { deadlocks, others } = lockWaitsAtEnd(trace);
  const one = (wait: (typeof others)[number]): Told => {
    const { waits } = trace.threads.find(({ index }) => index === wait.thread)!;
    assert.equal(wait.isEstimated, false);
    assert.ok(wait.line > 0, `${nameOf(wait.thread)} waits in line ${wait.line}`);
    return {
      thread: nameOf(wait.thread),
      owner: nameOf(wait.owner),
      lock: trace.className(waits.type[wait.row]!),
      method: trace.methods.qualifiedName(wait.method),
    };
  };
  const byName = (a: Told, b: Told): number => a.thread.localeCompare(b.thread);
  return {
    deadlocks: deadlocks.map((circle) => circle.map(one).sort(byName)).sort(([a], [b]) => byName(a!, b!)),
    others: others.map(one).sort(byName),
  };
}

const reentrant = 'java.util.concurrent.locks.ReentrantLock$NonfairSync';
const pair = (name: string, lock: string, method: string): Told[] => [
  { thread: `${name}-1`, owner: `${name}-2`, lock, method },
  { thread: `${name}-2`, owner: `${name}-1`, lock, method },
];
const truth = {
  deadlocks: [
    pair('lock', reentrant, 'Deadlock.exchange'),
    pair('monitor', 'Deadlock$Account', 'Deadlock.transfer'),
  ],
  others: [
    { thread: 'behind', owner: 'monitor-1', lock: 'Deadlock$Account', method: 'Deadlock.audit' },
    { thread: 'counter', owner: 'keeper', lock: 'Deadlock$Till', method: 'Deadlock.count' },
  ],
};

/** Of the wait that a thread is in at the end. */
function lastWait(trace: Trace, name: string) {
  const { waits } = threadNamed(trace, name);
  const row = waits.count - 1;
  return {
    kind: waits.kind[row],
    flags: waits.flags[row]! & (SampleFlag.OpenWait | SampleFlag.FromBefore),
    owner: waits.owner[row],
    link: waits.link[row],
    end: waits.end[row],
    begin: waits.begin[row],
  };
}

for (const jdk of oneJdk('oldest')) {
  describe(`a deadlock, JDK ${jdk.version}`, () => {
    let recordings: Recordings;
    let program: JavaProgram;
    beforeEach(() => (recordings = new Recordings()));
    afterEach(async () => {
      await program.kill();
      recordings.remove();
    });

    const start = async (jdkOf: Jdk, ways: string[], ...args: string[]): Promise<void> => {
      const vmArgs = ['-XX:+IgnoreUnrecognizedVMOptions', '-XX:+EnableDynamicAgentLoading', ...ways];
      program = await JavaProgram.start('deadlock', { jdk: jdkOf, args, vmArgs });
    };

    it('that forms during the recording is reported, with threads that only wait behind it', async () => {
      await start(jdk, []);
      const session = await recordings.start(program.pid);
      await new Promise<void>((resolve) => session.onStatus(() => resolve()));
      program.child.stdin.write('\n');
      await program.says(/^tangled$/m);
      const tangledMs = session.status().elapsedMs;
      await until('the deadlock lasts', () => session.status().elapsedMs >= tangledMs + longMs);
      await session.stop();
      const trace = decodeFile((await session.ended).file);
      assert.deepEqual(trace.problems, []);
      assert.deepEqual(told(trace), truth);
      const ends = new Set<number | undefined>();
      for (const name of ['monitor-1', 'monitor-2', 'lock-1', 'lock-2', 'behind', 'counter', 'keeper']) {
        const { flags, link, end } = lastWait(trace, name);
        assert.deepEqual([flags, link], [SampleFlag.OpenWait, -1], name);
        ends.add(end);
      }
      assert.equal(ends.size, 1);
      assert.equal(lastWait(trace, 'keeper').kind, SampleKind.Sleep);
      // The program lives on as it was.
      assert.equal(await program.end(), 0, program.output);
    });

    // Where the class of what is waited for is in the object's first word.
    const ways = parseInt(jdk.version) < 25 ? [''] : ['', '-XX:+UseCompactObjectHeaders'];
    for (const way of ways) {
      it(`that was there before is told as well${way && `, ${way}`}`, async () => {
        await start(jdk, [way].filter(Boolean), 'before');
        const trace = await recordings.record(program.pid, longMs);
        assert.deepEqual(trace.problems, []);
        assert.deepEqual(told(trace), truth);
        for (const name of ['monitor-1', 'lock-1', 'behind', 'counter']) {
          const { flags, begin } = lastWait(trace, name);
          assert.deepEqual([flags, begin], [SampleFlag.OpenWait | SampleFlag.FromBefore, 0], name);
        }
        assert.equal(threadNamed(trace, 'idle').waits.count, 0);
        assert.equal(await program.end(), 0, program.output);
      });
    }
  });
}
