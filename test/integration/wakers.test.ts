/** Who ends a wait is known also where the JVM has compiled what ends it: no JDK here does so past the agent's hooks. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { SampleFlag, SampleKind, type Trace } from '../../src/trace/index.js';
import { JavaProgram, jdks } from '../rigs/jvm/programs.js';
import { decodeFile, Recordings, threadNamed } from './recordings.js';

const kinds = new Map<number, string>([
  [SampleKind.Wait, 'wait'],
  [SampleKind.Park, 'park'],
]);
/** Each way to end a wait comes at least this often. */
const rounds = 10;
/** Code is compiled while the program waits for it, not some time later. */
const vmArgs = [
  '-Xbatch',
  '-XX:+PrintCompilation',
  '-XX:+IgnoreUnrecognizedVMOptions',
  '-XX:+EnableDynamicAgentLoading',
];

/** How often each kind of wait of a thread was ended by whom. */
function waitsOf(trace: Trace, name: string): Map<string, number> {
  const { waits } = threadNamed(trace, name);
  const seen = new Map<string, number>();
  for (let row = 0; row < waits.count; row++) {
    const link = waits.link[row]!;
    const by = trace.threads.find(({ index }) => link >= 0 && index === trace.links.waker[link])?.name;
    const kind = kinds.get(waits.kind[row]!);
    if (!kind || (waits.flags[row]! & SampleFlag.OpenWait) !== 0) continue;
    const what = `${kind} ended by ${by ?? 'nobody'}`;
    seen.set(what, (seen.get(what) ?? 0) + 1);
  }
  return seen;
}

for (const jdk of jdks()) {
  describe(`compiled code that ends waits, JDK ${jdk.version}`, () => {
    const recordings = new Recordings();
    let program: JavaProgram;
    before(async () => (program = await JavaProgram.start('bell', { jdk, vmArgs })));
    after(async () => {
      await program.kill();
      recordings.remove();
    });

    it('is seen, by notify, notifyAll and unpark', async () => {
      assert.match(program.output, / 4 +Bell::ring /, 'C2 has compiled it');
      const session = await recordings.start(program.pid);
      // Thirty rings lie between the second one and the first, which may have been under way.
      const rungs = program.output.split('rung').length - 1 + 2;
      await program.says(new RegExp(`(rung[^]*){${rungs}}`));
      // What the agent looks for in libraries makes the JVM load none.
      const libraries = readFileSync(`/proc/${program.pid}/maps`, 'utf8');
      assert.match(libraries, /libbtrace-agent/);
      assert.doesNotMatch(libraries, /lib(nio|net)\.so/);
      await session.stop();
      const trace = decodeFile((await session.ended).file);

      const seen = waitsOf(trace, 'listener');
      assert.deepEqual([...seen.keys()].sort(), ['park ended by bellman', 'wait ended by bellman']);
      // Half of them at least: on a busy machine some last less than a millisecond, and not each of those is told.
      assert.ok(seen.get('park ended by bellman')! >= rounds / 2, JSON.stringify([...seen]));
      assert.ok(seen.get('wait ended by bellman')! >= rounds, JSON.stringify([...seen]));
      // A thread that ends ends the waits of those that join it: the JVM itself tells them.
      const joins = waitsOf(trace, 'joiner');
      assert.ok((joins.get('wait ended by runner') ?? 0) >= rounds / 2, JSON.stringify([...joins]));
      assert.ok((joins.get('wait ended by nobody') ?? 0) <= 1, JSON.stringify([...joins]));
    });
  });
}
