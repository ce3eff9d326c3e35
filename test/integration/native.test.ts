/** Native code below Java: the functions on the CPU are named, up to the method that called the first, from the library that the program has loaded. */
import assert from 'node:assert/strict';
import { type Trace } from '../../src/trace/index.js';
import { oneJdk, JavaProgram, nativeWorkLibrary } from '../rigs/jvm/programs.js';
import { cpuOf, decodeFile, Recordings, selfCpu, threadNamed, totalCpu } from './recordings.js';

/** Of the CPU time of a thread that has the JVM make its arrays: how much depends on how fast the machine clears memory. */
const leastInJvm = 0.03;

for (const jdk of oneJdk('newest')) {
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
      // Eight standard deviations of as many interrupts, one a tick of the kernel's: on a busy machine they are not independent,
      // as a thread's turns begin and end with ticks.
      const allowed = Math.max(0.1, 8 * Math.sqrt(0.25 / (both / 4e6)));
      const share = (ns: number, truth: number): void =>
        assert.ok(Math.abs(ns / both - truth / (dealt + sifted)) < allowed, `${ns}, ${truth}: ${told}`);
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

    it('of the JVM stand below the compiled method that called them', () => {
      const allocator = threadNamed(trace, 'allocator');
      const { intervals } = allocator;
      let [below, all] = [0, 0];
      for (let row = 0; row < intervals.count; row++) {
        const path = intervals.path[row]!;
        const name = (at: number): string => trace.methods.qualifiedName(trace.paths.method[at]!);
        if (path === 0 || !/\.so/.test(name(path))) continue;
        all += intervals.cpu[row]!;
        if (name(trace.paths.parent[path]!) === 'NativeWork.allocate') below += intervals.cpu[row]!;
      }
      const told = `${below} of ${all} of ${cpuOf(allocator)} ns: ${[...selfCpu(trace, allocator)].join(' ')}`;
      assert.ok(all > leastInJvm * cpuOf(allocator), told);
      assert.ok(below > 0.9 * all, told);
    });
  });
}
