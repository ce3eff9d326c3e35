/** Native code below Java: the functions on the CPU are named, up to the method that called the first, from the library that the program has loaded. */
import assert from 'node:assert/strict';
import { type Trace } from '../../src/trace/index.js';
import { jdks, JavaProgram, nativeWorkLibrary } from '../rigs/jvm/programs.js';
import { cpuOf, decodeFile, Recordings, selfCpu, threadNamed, totalCpu } from './recordings.js';

for (const jdk of jdks()) {
  describe(`native functions, JDK ${jdk.version}`, () => {
    let trace: Trace;
    /** What the program says of itself. */
    let output: string;

    before(async () => {
      const recordings = new Recordings();
      // Without a warning of the JVM's, which may come in the middle of what the program says.
      const quiet = ['-XX:+EnableDynamicAgentLoading', '--enable-native-access=ALL-UNNAMED'];
      const vmArgs = parseInt(jdk.version) >= 21 ? quiet : [];
      const program = await JavaProgram.start('native-work', { jdk, vmArgs, args: [nativeWorkLibrary()] });
      try {
        // As long as it takes for some hundred interrupts, on a busy machine too.
        const session = await recordings.start(program.pid, { asyncIntervalNs: 1e6 });
        session.onStatus(({ processCpuNs }) => {
          if (processCpuNs > 3e9) void session.stop();
        });
        trace = decodeFile((await session.ended).file);
        assert.equal(await program.end(), 0);
        output = program.output;
      } finally {
        await program.kill();
        recordings.remove();
      }
      assert.deepEqual(trace.problems, []);
    });

    it('have the CPU time that they and those they call used, by name', () => {
      const worker = threadNamed(trace, 'worker');
      const total = totalCpu(trace, worker);
      const self = selfCpu(trace, worker);
      const used = /^used (\d+) (\d+) (\d+)$/m.exec(output)!.slice(1).map(Number);
      const [dealt, sifted, shuffled] = used as [number, number, number];
      const of = (cpu: Map<string, number>, name: string): number =>
        cpu.get(`${name} (libnative-work.so)`) ?? 0;
      const both = of(total, 'Java_NativeWork_both');
      const told = `${both} ns, truly ${dealt}, ${sifted} and ${shuffled}, of ${[...total].join(' ')}; self ${[...self].join(' ')}`;
      assert.ok(both >= 0.7 * cpuOf(worker), told);
      const share = (ns: number, truth: number): void =>
        assert.ok(Math.abs(ns / both - truth / (dealt + sifted)) < 0.1, `${ns}, ${truth}: ${told}`);
      share(of(total, 'work::deal(unsigned int, int, long&)'), dealt);
      share(of(self, 'work::deal(unsigned int, int, long&)'), dealt - shuffled);
      share(of(total, 'work::shuffle(unsigned int, int)'), shuffled);
      share(of(total, 'work::Sieve::sift(unsigned int, int)'), sifted);
      share(of(self, 'Java_NativeWork_both'), 0);
      // All of it is Java's, too, and next to nothing of that is shown without the functions between.
      assert.ok((total.get('NativeWork.both') ?? 0) >= both, told);
      assert.ok((self.get('NativeWork.both') ?? 0) < 0.1 * both, told);
    });

    it("have what the JDK's libraries do below them, whether its functions have names or not", () => {
      const packer = threadNamed(trace, 'packer');
      const total = totalCpu(trace, packer);
      const packed = total.get('Java_java_util_zip_Deflater_deflateBytesBytes (libzip.so)') ?? 0;
      const told = [...total].join(' ');
      assert.ok(packed > 0.9 * cpuOf(packer), told);
      const self = selfCpu(trace, packer);
      assert.ok((self.get('java.util.zip.Deflater.deflateBytesBytes') ?? 0) < 0.1 * packed, told);
    });
  });
}
