// Messages of the main run loop and reads of clocks, in a program of Darwin with a stand-in for Core Foundation.
import assert from 'node:assert/strict';
import { HookState, SampleKind, type Trace } from '../../src/trace/index.js';
import { messageFigures } from '../../src/trace/measure/messages.js';
import { decodeFile, Recordings, threadNamed, totalCpu } from '../integration/recordings.js';
import { type DarwinMachine, darwinProgram, whyNoDarwin } from '../rigs/darwin/darwin.js';
import { recordDarwin } from '../rigs/darwin/record.js';
import { wide } from '../rigs/scale.js';
import { stackOf } from '../rigs/stacks.js';

/** What programs/run_loop.cc prints. */
interface Truth {
  readonly reads: readonly number[];
  /** Begin and end by the clock that the recording's start is told in, ns. */
  readonly messages: readonly (readonly [number, number])[];
}

const handler = 'shop.Cart.handle() (run_loop)';
const machines: readonly DarwinMachine[] = wide ? ['x86_64', 'arm64'] : ['x86_64'];
/** CPU time in which the program reads one clock, ns. */
const readNs = 40e6;
const closeNs = 4e6;

for (const machine of machines) {
  describe(`a program of Darwin with a run loop, ${machine}`, function () {
    const recordings = new Recordings();
    let trace: Trace;
    let truth: Truth;

    before('record', async function () {
      if (whyNoDarwin(machine) !== undefined) this.skip();
      const { session, run } = await recordDarwin(
        machine,
        darwinProgram('run_loop', machine, 'classic', [], ['CoreFoundation']),
        [],
        // Whoever suspends threads comes seldom: what is seen between is seen at points.
        recordings.options({ asyncIntervalNs: 100_000_000, budgetPpm: 0 }),
      );
      const { file } = await session.ended;
      const { code, out } = await run.ended;
      assert.equal(code, 0, out);
      truth = JSON.parse(out) as Truth;
      trace = decodeFile(file);
    });
    after(() => recordings.remove());

    it('has both points in, and no Core Foundation was called before it was there', () => {
      const states = new Map(trace.hooks.map(({ name, state }) => [name, state]));
      for (const name of ['clock reads', 'run loop']) assert.equal(states.get(name), HookState.Removed, name);
      assert.deepEqual(trace.problems, []);
    });

    it('has each message of the main thread, when it was and how long', () => {
      const main = threadNamed(trace, 'main');
      const figures = messageFigures(trace, [main.index]);
      const handled = Array.from({ length: figures.count }, (_, row) => row).filter(
        (row) => nameOf(trace, figures.method[row]!) === handler,
      );
      assert.equal(handled.length, truth.messages.length);
      const start = Number(trace.info.startMonotonicNs);
      for (const [at, row] of handled.entries()) {
        const [begin, end] = truth.messages[at]!.map((ns) => ns - start) as [number, number];
        const seen = [figures.begin[row]!, figures.end[row]!] as const;
        const told = `message ${at}: ${seen.join('..')}, not ${begin}..${end}`;
        assert.ok(seen[0] < begin + 1e6 && seen[0] > begin - closeNs, told);
        assert.ok(seen[1] > end - 1e6 && seen[1] < end + closeNs, told);
      }
      const ids = handled.map((row) => figures.id[row]);
      assert.equal(new Set(ids).size, ids.length, 'messages of one stack are told apart');
    });

    it('has what it waited for between them', () => {
      const { waits } = threadNamed(trace, 'main');
      const polls = Array.from(waits.kind.keys()).filter((row) => waits.kind[row] === SampleKind.Poll);
      assert.ok(polls.length >= truth.messages.length, `${polls.length} waits`);
      for (const row of polls) assert.equal(stackOf(trace, waits.path[row]!), 'main (run_loop) < [thread]');
      const long = polls.filter((row) => waits.end[row]! - waits.begin[row]! > 25e6);
      assert.ok(long.length >= truth.messages.length, `${long.length} waits of 30 ms`);
    });

    it('has the time in which a thread reads clocks, though it is not suspended meanwhile', () => {
      const cost = trace.status?.costs.find(({ kind }) => kind === SampleKind.ClockRead);
      assert.ok((cost?.count ?? 0) > 50, `${cost?.count} reads with a stack`);
      const totals = totalCpu(trace, threadNamed(trace, 'main'));
      const names = ['read_absolute', 'read_continuous', 'read_time', 'read_time_of_day', 'read_ns'];
      for (const [at, name] of names.entries()) {
        assert.ok(truth.reads[at]! > 1000, name);
        const cpu = totals.get(`${name} (run_loop)`) ?? 0;
        assert.ok(Math.abs(cpu - readNs) < closeNs, `${name}: ${cpu / 1e6} ms`);
      }
    });
  });
}

function nameOf(trace: Trace, method: number): string {
  return method < 0 ? '' : trace.methods.qualifiedName(method);
}
