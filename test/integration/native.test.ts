/** Native code below Java: the function on the CPU is named, from the library that the program has loaded. */
import assert from 'node:assert/strict';
import { jdks, JavaProgram, nativeWorkLibrary } from '../rigs/jvm/programs.js';
import { decodeFile, Recordings, threadNamed, totalCpu } from './recordings.js';

for (const jdk of jdks()) {
  describe(`native functions, JDK ${jdk.version}`, () => {
    let recordings: Recordings;
    let program: JavaProgram;

    before(async () => {
      recordings = new Recordings();
      // Without a warning of the JVM's, which may come in the middle of what the program says.
      const quiet = ['-XX:+EnableDynamicAgentLoading', '--enable-native-access=ALL-UNNAMED'];
      const vmArgs = parseInt(jdk.version) >= 21 ? quiet : [];
      program = await JavaProgram.start('native-work', { jdk, vmArgs, args: [nativeWorkLibrary()] });
    });
    after(async () => {
      await program.kill();
      recordings.remove();
    });

    it('have the CPU time that they used, by name', async () => {
      // As long as it takes for some hundred interrupts, on a busy machine too.
      const session = await recordings.start(program.pid, { asyncIntervalNs: 1e6 });
      session.onStatus(({ processCpuNs }) => {
        if (processCpuNs > 2e9) void session.stop();
      });
      const trace = decodeFile((await session.ended).file);
      assert.deepEqual(trace.problems, []);
      const worker = threadNamed(trace, 'worker');
      const cpu = totalCpu(trace, worker);
      assert.equal(await program.end(), 0);
      const [, shuffled, sifted] = /^used (\d+) (\d+)$/m.exec(program.output)!.map(Number);
      const of = (name: string): number => cpu.get(`${name} (libnative-work.so)`) ?? 0;
      const shuffle = of('work::shuffle(unsigned int, int)');
      const sift = of('work::Sieve::sift(unsigned int, int)');
      const told = `${shuffle} and ${sift} ns, truly ${shuffled} and ${sifted}, of ${[...cpu.keys()].join(', ')}`;
      // Whoever calls them gets next to none of it.
      const all = Math.max(...cpu.values());
      assert.ok(shuffle + sift >= 0.7 * all, `${told}: ${all} ns in all`);
      assert.ok(Math.abs(shuffle / (shuffle + sift) - shuffled! / (shuffled! + sifted!)) < 0.1, told);
    });
  });
}
