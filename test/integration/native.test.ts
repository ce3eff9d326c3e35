/** Native code below Java: the function on the CPU is named, from the library that the program has loaded. */
import assert from 'node:assert/strict';
import { jdks, JavaProgram, nativeWorkLibrary } from '../rigs/jvm/programs.js';
import { cpuOf, Recordings, threadNamed, totalCpu } from './recordings.js';

for (const jdk of jdks()) {
  describe(`native functions, JDK ${jdk.version}`, () => {
    let recordings: Recordings;
    let program: JavaProgram;

    before(async () => {
      recordings = new Recordings();
      const vmArgs = parseInt(jdk.version) >= 21 ? ['-XX:+EnableDynamicAgentLoading'] : [];
      program = await JavaProgram.start('native-work', { jdk, vmArgs, args: [nativeWorkLibrary()] });
    });
    after(() => {
      recordings.remove();
    });

    it('have the CPU time that they used, by name', async () => {
      const trace = await recordings.record(program.pid, 2000, { asyncIntervalNs: 1e6 });
      assert.deepEqual(trace.problems, []);
      const worker = threadNamed(trace, 'worker');
      const cpu = totalCpu(trace, worker);
      assert.equal(await program.end(), 0);
      const [, shuffled, sifted] = /^used (\d+) (\d+)$/m.exec(program.output)!.map(Number);
      const truth = shuffled! / (shuffled! + sifted!);
      const share = (name: string): number => (cpu.get(`${name} (libnative-work.so)`) ?? 0) / cpuOf(worker);
      const told = `${[...cpu.keys()].join(', ')}: ${share('work::shuffle(unsigned int, int)')} of ${truth}`;
      assert.ok(Math.abs(share('work::shuffle(unsigned int, int)') - truth) < 0.1, told);
      assert.ok(Math.abs(share('work::Sieve::sift(unsigned int, int)') - (1 - truth)) < 0.1, told);
    });
  });
}
