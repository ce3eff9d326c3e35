// Functions of a library that the desktop has no file of, as it has none of those of iOS: named by the agent.
import assert from 'node:assert/strict';
import { type Trace } from '../../src/trace/index.js';
import { decodeFile, Recordings, threadNamed, totalCpu } from '../integration/recordings.js';
import {
  type DarwinMachine,
  darwinMachines,
  darwinProgram,
  darwinSystemLibrary,
  whyNoDarwin,
} from '../rigs/darwin/darwin.js';
import { recordDarwin } from '../rigs/darwin/record.js';
import { stackOf } from '../rigs/stacks.js';

for (const machine of Object.keys(darwinMachines) as DarwinMachine[])
  describe(`a library of the system, ${machine}`, function () {
    const recordings = new Recordings();
    let trace: Trace;

    before('record', async function () {
      if (whyNoDarwin(machine) !== undefined) this.skip();
      const library = darwinSystemLibrary('shelf', machine, ['_shelf_open', '_shelf_use']);
      const program = darwinProgram('reader', machine, 'chained', [], [], [library]);
      const options = recordings.options({ asyncIntervalNs: 1_000_000, budgetPpm: 0 });
      const { session, run } = await recordDarwin(machine, program, [], options);
      const { file } = await session.ended;
      assert.equal((await run.ended).code, 0);
      trace = decodeFile(file);
      assert.deepEqual(trace.problems, []);
    });
    after(() => recordings.remove());

    it('has its functions by name: of the symbol table, of the exports, of C++, of Objective-C', () => {
      const totals = totalCpu(trace, threadNamed(trace, 'main'));
      const names = ['shelf_open', 'shelf_sort_books', 'shelf::arrange(int)', 'shelf_use'];
      for (const name of [...names, '-[Shelf tidy:]', '+[Shelf build]'])
        assert.ok((totals.get(`${name} (shelf)`) ?? 0) > 0, `${name}: ${JSON.stringify([...totals])}`);
    });

    it('gives a function without a name no name of another', () => {
      const { intervals } = threadNamed(trace, 'main');
      const stacks = Array.from(intervals.path.subarray(0, intervals.count), (path) => stackOf(trace, path));
      const caller = 'shelf_sort_books (shelf) < shelf_use (shelf)';
      assert.ok(stacks.some((stack) => stack.startsWith(`shelf < ${caller}`)));
      assert.ok(!stacks.some((stack) => stack.startsWith(`shelf_sort_books (shelf) < ${caller}`)));
    });
  });
