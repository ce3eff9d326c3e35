/** What the points of HotSpot tell that the truth does not ask for, and who else may be at work in the same JVM. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { once } from 'node:events';
import type { RecordOptions } from '../../src/targets/target.js';
import { HookState, SampleKind, type ThreadTrack, type Trace } from '../../src/trace/index.js';
import { allocationHolder, JavaProgram, oneJdk } from '../rigs/jvm/programs.js';
import { stackOf, stacksOf } from '../rigs/stacks.js';
import { Recordings, decodeFile, threadNamed, totalCpu } from './recordings.js';

const quiet = ['-XX:+IgnoreUnrecognizedVMOptions', '-XX:+EnableDynamicAgentLoading'];

const statesOf = ({ hooks }: Trace): Record<string, number> =>
  Object.fromEntries(hooks.map(({ name, state }) => [name, state]));

const rowsOf = ({ kind, count }: ThreadTrack['events'] | ThreadTrack['waits'], of: number): number[] =>
  Array.from(kind.subarray(0, count).keys()).filter((row) => kind[row] === of);

for (const jdk of oneJdk('newest')) {
  describe(`points, JDK ${jdk.version}`, () => {
    let recordings: Recordings;
    let program: JavaProgram;
    beforeEach(() => (recordings = new Recordings()));
    afterEach(async () => {
      await program.kill();
      recordings.remove();
    });

    async function truth(parts: string[], vmArgs: readonly string[] = []): Promise<JavaProgram> {
      const args = [recordings.file('truth.txt'), ...parts];
      return (program = await JavaProgram.start('truth', { jdk, args, vmArgs: [...quiet, ...vmArgs] }));
    }

    /** Until the program has used a second of CPU time: as long as that takes on a busy machine. */
    async function worked(more: Partial<RecordOptions>): Promise<Trace> {
      const session = await recordings.start(program.pid, more);
      session.onStatus(({ processCpuNs }) => {
        if (processCpuNs > 1e9) void session.stop();
      });
      return decodeFile((await session.ended).file);
    }

    it('tell loaded classes, who started a thread and where, and collections', async () => {
      await truth(['load', 'churn', 'allocate', 'garbage'], ['-Xmx64m']);
      // Each of them, however close they are.
      const trace = await worked({ syncIntervalNs: 0, budgetPpm: 0 });
      assert.deepEqual(trace.problems, []);

      const loader = threadNamed(trace, 'loader');
      // Of what its loaders ask others for they are told, too: java.lang.Object.
      const loaded = rowsOf(loader.events, SampleKind.ClassLoad).filter(
        (row) =>
          trace.className(loader.events.type[row]!) === 'Loaded' &&
          / < Classes\$Fresh\.loadClass < /.test(stackOf(trace, loader.events.path[row]!)),
      );
      assert.ok(loaded.length > 0, `${loaded.length} classes were loaded`);

      const churn = threadNamed(trace, 'churn');
      const started = trace.threads.filter(({ name, creator }) => name.startsWith('brief-') && creator > 0);
      assert.ok(started.length > 0, `${started.length} threads have a creator`);
      for (const { creator } of started) assert.equal(creator, churn.index);
      const starts = rowsOf(churn.events, SampleKind.ThreadStart);
      const children = new Set(starts.map((row) => churn.events.peer[row]!));
      // On a busy machine the agent may have held the thread's record at that moment: then it is counted as lost. The last
      // one may have been started when the recording had just ended.
      const last = Math.max(...started.map(({ index }) => index));
      const missing = started
        .map(({ index }) => index)
        .filter((index) => index !== last && !children.has(index));
      const lost = trace.losses.filter(({ thread }) => thread === churn.index);
      const lostRows = lost.reduce((sum, { count }) => sum + count, 0);
      assert.ok(
        missing.length <= lostRows,
        `the starts of ${String(missing)} of ${last}, ${lostRows} rows lost`,
      );
      for (const row of starts)
        assert.match(
          stackOf(trace, churn.events.path[row]!),
          /^java\.lang\.Thread\.start0 < .* < Parts\.\S*churn/,
        );

      const pauses = trace.threads.flatMap(({ waits }) =>
        rowsOf(waits, SampleKind.Gc).map((row) => stackOf(trace, waits.path[row]!)),
      );
      assert.ok(pauses.length > 0, `${pauses.length} collections`);
      for (const stack of pauses) assert.equal(stack, '[garbage collection]');

      // Who asks for a collection, and who stands at a safepoint meanwhile.
      const waitsFor = (thread: ThreadTrack): string[] =>
        rowsOf(thread.waits, SampleKind.GcWait).map((row) => stackOf(trace, thread.waits.path[row]!));
      const collector = threadNamed(trace, 'collector');
      const asks = waitsFor(collector).filter((stack) =>
        /^java\.lang\.Runtime\.gc < .* < Parts\./.test(stack),
      );
      assert.ok(asks.length > 0, `none of ${waitsFor(collector).join('\n')}`);
      const stands = trace.threads.filter((thread) => thread !== collector).flatMap(waitsFor);
      const known = stands.filter((stack) => / < Classes\.| < Parts\./.test(stack));
      assert.ok(known.length > 0, `none of ${stands.length}: ${stands.join('\n')}`);
      assert.equal(await program.end(), 0, program.output);
    });

    it('are told apart in hook health where another agent holds sampled allocations', async () => {
      await truth(['allocate'], [`-agentpath:${allocationHolder()}`]);
      const trace = await recordings.record(program.pid, 500);
      const allocation = trace.hooks.find(({ name }) => name === 'allocation');
      assert.equal(allocation?.state, HookState.Missing);
      assert.match(allocation.why, /another agent in this process samples allocations/);
      const others = Object.entries(statesOf(trace)).filter(([name]) => name !== 'allocation');
      for (const [name, state] of others) assert.equal(state, HookState.Removed, name);
      assert.equal(await program.end(), 0, program.output);
    });

    it('sample fewer allocations than asked where that would cost more than the budget, and say so', async () => {
      await truth(['allocate']);
      const asked = { allocationIntervalBytes: 1024, budgetPpm: 1000 };
      const session = await recordings.start(program.pid, asked);
      const isSaid = /fewer allocations than asked, to stay within the budget/;
      session.onStatus(({ hooks }) => {
        if (hooks.some(({ name, why }) => name === 'allocation' && isSaid.test(why))) void session.stop();
      });
      const trace = decodeFile((await session.ended).file);
      assert.match(trace.hooks.find(({ name }) => name === 'allocation')?.why ?? '', isSaid);
      const unbound = await recordings.record(program.pid, 1000, {
        ...asked,
        budgetPpm: 0,
        file: recordings.file('all.btrace'),
      });
      assert.equal(unbound.hooks.find(({ name }) => name === 'allocation')?.why, '');
    });

    it('give methods that are inlined their own time, in what is compiled from then on', async () => {
      await truth(['inline']);
      const trace = await worked({});
      const { intervals } = threadNamed(trace, 'inlining');
      const self = new Map<string, number>();
      for (let row = 0; row < intervals.count; row++) {
        const name = trace.methods.qualifiedName(trace.paths.method[intervals.path[row]!]!);
        self.set(name, (self.get(name) ?? 0) + intervals.cpu[row]!);
      }
      const [inner, outer] = [self.get('Inlined.inner') ?? 0, self.get('Inlined.outer') ?? 0];
      assert.ok(inner > 2 * outer, `inner has ${inner} ns, outer ${outer} ns`);
      assert.equal(await program.end(), 0, program.output);
    });

    it('keep both ends of a stack that is deeper than a sample has room for', async () => {
      await truth(['deeper'], ['-Xss8m']);
      // A walk of so many frames takes so long that the budget allows one in the whole run.
      const trace = await worked({ budgetPpm: 0 });
      const stacks = stacksOf(trace, threadNamed(trace, 'deeper'));
      const deep = stacks
        .map((stack) => stack.split(' < '))
        // Down there, and not on the way.
        .filter((stack) => stack.includes('Work.bottom'));
      assert.ok(deep.length > 0, `${stacks.length} intervals`);
      for (const stack of deep) {
        assert.equal(stack.length, 4096);
        assert.equal(stack.at(-1), 'java.lang.Thread.run');
        assert.equal(stack.indexOf('Work.down'), stack.indexOf('Work.bottom') + 1, stack.slice(0, 9).join());
      }
      assert.equal(await program.end(), 0, program.output);
    });

    it('cost a runaway recursion no memory, and say that its callers are not known', async () => {
      await truth(['runaway'], ['-Xmx64m']);
      const trace = await worked({ budgetPpm: 0 });
      const kilobytes = /VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${program.pid}/status`, 'utf8'))?.[1];
      // The JVM takes some 5 KB for each frame that it passes on a walk, and there are tens of thousands.
      assert.ok(Number(kilobytes) < 200_000, `the program has had ${kilobytes} KB`);
      const stacks = stacksOf(trace, threadNamed(trace, 'runaway'));
      assert.ok(stacks.some((stack) => stack.endsWith(' < [callers beyond 8,192 frames]')));
      assert.equal(await program.end(), 0, program.output);
    });

    it('name methods as javac, Kotlin and Scala do, and what the JVM makes itself', async () => {
      await truth(['names']);
      const session = await recordings.start(program.pid, { syncIntervalNs: 0, budgetPpm: 0 });
      session.onStatus(({ samples }) => {
        if (samples > 300) void session.stop();
      });
      const trace = decodeFile((await session.ended).file);
      assert.deepEqual(trace.problems, []);
      const { waits } = threadNamed(trace, 'names');
      const stacks = new Set(rowsOf(waits, SampleKind.Sleep).map((row) => stackOf(trace, waits.path[row]!)));
      const ways = [
        String.raw`Names\$1\.go < Names\.all`,
        String.raw`Names\$1Local\.inLocal < Names\.all`,
        // Hidden classes: without the address that the JVM adds, which is another one in each run.
        String.raw`Names\.lambda\$static\$\d+ < Names\$\$Lambda(\$\d+)?\.go < Names\.all`,
        String.raw`Names\.lambda\$static\$\d+ < Names\$\$Lambda(\$\d+)?\.invoke < \$Proxy\d+\.go < Names\.all`,
        String.raw`Names\.referred < Names\$\$Lambda(\$\d+)?\.go < Names\.all`,
        String.raw`Names\$Inner\.<init> < Names\.lambda`,
        String.raw`Names\$Inner\$Deeper\.inDeeper < Names\.lambda`,
        String.raw`Names\$Companion\.inCompanion < Names\.lambda`,
        String.raw`Names\$Object\$\.\$plus\$plus < Names\.lambda`,
        String.raw`Names\.fill\$default < Names\.lambda`,
        String.raw`Names\.access\$hidden < Names\.lambda`,
        String.raw`Names\.\$anonfun\$work\$1 < Names\.lambda`,
        String.raw`Names\.größe < Names\.lambda`,
      ];
      const missing = ways.filter((way) => {
        const pattern = new RegExp(` < Names\\.asleep < ${way}`);
        return ![...stacks].some((stack) => pattern.test(stack));
      });
      assert.deepEqual(missing, [], [...stacks].join('\n'));
    });

    it('work without signals, by the external sampler', async () => {
      await truth(['burn']);
      const kinds = Object.values(SampleKind).filter((kind) => kind > 0 && kind !== SampleKind.CpuTimer);
      const trace = await worked({ kinds });
      assert.equal(statesOf(trace)['cpu timers'], HookState.Off);
      const count = (of: number) => trace.status?.costs.find(({ kind }) => kind === of)?.count ?? 0;
      assert.equal(count(SampleKind.CpuTimer), 0);
      assert.ok(count(SampleKind.ExternalSampler) > 0);
      assert.ok(trace.info.linesNearSafepoints);
      const cpu = totalCpu(trace, threadNamed(trace, 'burner'));
      assert.ok((cpu.get('Work.half') ?? 0) > 0, [...cpu.keys()].join(', '));
    });

    it("go on beside a debugger that holds the program for a while, and beside the JVM's own recorder", async () => {
      const debugging = '-agentlib:jdwp=transport=dt_socket,server=y,suspend=n,address=127.0.0.1:0';
      await truth(['burn', 'sleep'], [debugging, '-XX:StartFlightRecording:settings=profile']);
      const [, port] = /transport dt_socket at address: (\d+)/.exec(program.output)!;
      const debugger_ = await attachDebugger(Number(port));
      const session = await recordings.start(program.pid);
      const samples = async (more: number): Promise<void> => {
        const { samples: before } = session.status();
        await new Promise<void>((resolve) =>
          session.onStatus((now) => now.samples >= before + more && resolve()),
        );
      };
      await samples(20);
      await debugger_.ask(suspend);
      await debugger_.ask(resume);
      await samples(20);
      debugger_.end();
      assert.equal((await session.stop()).reason, 'stopped');
      const trace = decodeFile(session.file);
      assert.deepEqual(trace.problems, []);
      for (const { name, state, why } of trace.hooks)
        assert.equal(state, HookState.Removed, `${name}: ${why}`);
      assert.ok(rowsOf(threadNamed(trace, 'sleeper').waits, SampleKind.Sleep).length > 0);
      assert.equal(await program.end(), 0, program.output);
    });
  });
}

/** Commands of the VirtualMachine set of the Java Debug Wire Protocol. */
const suspend = 8;
const resume = 9;

async function attachDebugger(port: number) {
  const socket = connect(port, '127.0.0.1');
  await once(socket, 'connect');
  socket.write('JDWP-Handshake');
  await once(socket, 'data');
  let id = 0;
  return {
    /** Returns when the JVM has answered. */
    async ask(command: number): Promise<void> {
      const packet = Buffer.alloc(11);
      packet.writeUInt32BE(packet.length, 0);
      packet.writeUInt32BE(++id, 4);
      packet[9] = 1;
      packet[10] = command;
      socket.write(packet);
      await once(socket, 'data');
    },
    end: () => socket.destroy(),
  };
}
