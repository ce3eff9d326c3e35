/** Who ends a wait is known also where the JVM has compiled what ends it: no JDK here does so past the agent's hooks. */
import assert from 'node:assert/strict';
import { SampleFlag, SampleKind } from '../../src/trace/index.js';
import { JavaProgram, jdks } from '../rigs/jvm/programs.js';
import { decodeFile, Recordings, threadNamed } from './recordings.js';

const KINDS = new Map<number, string>([
  [SampleKind.Wait, 'wait'],
  [SampleKind.Park, 'park'],
]);
/** Each way to end a wait comes at least this often. */
const ROUNDS = 10;
/** Code is compiled while the program waits for it, not some time later. */
const vmArgs = [
  '-Xbatch',
  '-XX:+PrintCompilation',
  '-XX:+IgnoreUnrecognizedVMOptions',
  '-XX:+EnableDynamicAgentLoading',
];

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
      await session.stop();
      const trace = decodeFile((await session.ended).file);

      const { blocks } = threadNamed(trace, 'listener');
      const seen = new Map<string, number>();
      for (let row = 0; row < blocks.count; row++) {
        const link = blocks.link[row]!;
        const by = trace.threads.find(({ index }) => link >= 0 && index === trace.links.waker[link])?.name;
        const kind = KINDS.get(blocks.kind[row]!);
        if (!kind || (blocks.flags[row]! & SampleFlag.StillWaits) !== 0) continue;
        const what = `${kind} ended by ${by ?? 'nobody'}`;
        seen.set(what, (seen.get(what) ?? 0) + 1);
      }
      assert.deepEqual([...seen.keys()].sort(), ['park ended by bellman', 'wait ended by bellman']);
      // Half of them at least: on a busy machine some last less than a millisecond, and not each of those is told.
      assert.ok(seen.get('park ended by bellman')! >= ROUNDS / 2, JSON.stringify([...seen]));
      assert.ok(seen.get('wait ended by bellman')! >= ROUNDS, JSON.stringify([...seen]));
    });
  });
}
