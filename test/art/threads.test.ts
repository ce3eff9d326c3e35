/** Threads that are Java's for a while: when each ended, and that nobody is taken for one that has its id now. */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { HookState, ThreadKind } from '../../src/trace/model/kinds.js';
import type { Trace } from '../../src/trace/model/trace.js';
import { runtimeWithout } from '../rigs/art/hidden-runtime.js';
import { cpuWithin, findMethod, methodNamed, pathHas } from '../rigs/art/read-trace.js';
import { type Engine, engines } from '../rigs/art/runtime.js';
import { onEachArt, quitsWell, stopped } from '../rigs/art/with-art.js';

const crunchNs = 200e6;

/** As the kernel counts it of the process's thread of this name. */
function cpuNsOf(pid: number, comm: string): number {
  const tasks = `/proc/${pid}/task`;
  const read = (tid: string, file: string): string => {
    try {
      return readFileSync(`${tasks}/${tid}/${file}`, 'utf8').trim();
    } catch {
      return ''; // it has just ended
    }
  };
  const task = readdirSync(tasks).find((tid) => read(tid, 'comm') === comm);
  assert.ok(task, `no thread ${comm}`);
  return Number(read(task, 'schedstat').split(' ')[0]);
}

/** Those that the app's work is on the stack of: by their names. */
function workersOf(trace: Trace): string[] {
  const work = findMethod(trace, 'sample.Visitors$Heir.run');
  return trace.threads
    .filter(({ intervals }) =>
      intervals.path.subarray(0, intervals.count).some((at) => pathHas(trace, at, work)),
    )
    .map(({ name }) => name);
}

onEachArt('threads that come and go in the Android Runtime', (bench) => {
  const hookOf = (trace: Trace) => trace.hooks.find(({ name }) => name === 'threads')?.state;

  for (const engine of Object.keys(engines) as Engine[]) {
    describe(`engine ${engine}`, () => {
      it('are known to have ended, also those that were there before and captured nothing themselves', async () => {
        const app = await bench.running({ engine, app: 'Visitors', arguments: [0, 1, 15] });
        const session = await bench.record(app);
        await app.more('left', 56); // all that were there, and some that have come since
        const left = new Map(app.truths('left').map((truth) => [truth.number('tid'), truth]));
        const trace = await stopped(session);
        const origin = Number(trace.info.startMonotonicNs);
        // Each lives on without Java, and is met again if it works.
        const ended = trace.threads.filter(({ kind, tid }) => kind === ThreadKind.Platform && left.has(tid));
        assert.ok(
          ended.some(({ beginNs }) => beginNs === 0),
          'one that was there before',
        );
        for (const { tid, endNs } of ended) {
          const truth = left.get(tid)!;
          const end = origin + endNs;
          assert.ok(truth.number('asked') < end && end < truth.number('left'), `${tid} ended at ${end}`);
        }
        assert.deepEqual([...new Set(workersOf(trace))], ['heir']);
      });

      it('have their creator, also those that native code creates, from their first moment on', async () => {
        const app = await bench.running({ engine, app: 'Visitors', arguments: [0] });
        const session = await bench.record(app, { budgetPpm: 0 });
        await app.more('round', 8);
        const trace = await stopped(session);
        const main = trace.threads.find(({ tid }) => tid === app.pid)!;
        const came = trace.threads.filter(({ creator }) => creator === main.index);
        // One that has not come to Java by then still has its creator's name, if any.
        const named = came.filter(({ name }) => name === 'visitor');
        assert.ok(
          named.length >= 8,
          `${named.length} of ${came.length} threads with a creator have their name`,
        );
        for (const { tid, beginNs } of came) assert.ok(beginNs > 0, `${tid} has no begin`);
        assert.equal(new Set(came.map(({ tid }) => tid)).size, came.length);
        const hook = trace.hooks.find(({ name }) => name === 'native thread start');
        assert.equal(hook?.state, HookState.Removed);
        // The library's functions are its own again.
        await app.more('round', 2);
        await quitsWell(app);
      });

      it('of native code alone have the CPU time that they use', async () => {
        const app = await bench.running({ engine, app: 'NativeWaits', arguments: [0], crunches: true });
        await app.more('native', 1); // the library is loaded
        const outerBegin = cpuNsOf(app.pid, 'cruncher');
        const session = await bench.record(app, { budgetPpm: 0 });
        const innerBegin = cpuNsOf(app.pid, 'cruncher');
        let innerEnd = innerBegin;
        while (innerEnd - innerBegin < crunchNs) {
          await app.more('native', 1);
          innerEnd = cpuNsOf(app.pid, 'cruncher');
        }
        const trace = await stopped(session);
        const outerEnd = cpuNsOf(app.pid, 'cruncher');
        const cruncher = trace.threads.find(({ name }) => name === 'cruncher');
        assert.ok(cruncher, 'no row of it');
        const cpuNs = cpuWithin(trace, cruncher, methodNamed(trace, '[native thread]'));
        assert.ok(
          cpuNs > 0.8 * (innerEnd - innerBegin) && cpuNs <= outerEnd - outerBegin,
          `${cpuNs} of ${innerEnd - innerBegin} to ${outerEnd - outerBegin} ns`,
        );
        const hook = trace.hooks.find(({ name }) => name === 'native threads');
        assert.equal(hook?.why, 'they are counted, and where they work is not seen');
        await quitsWell(app);
      });

      it('are not taken for others, nor the agent for one of them, where ART does not tell of their end', async () => {
        const runtime = await runtimeWithout(/ThreadLifecycleCallback/, bench.runtime, bench.folder);
        let app = await bench.running({ engine, app: 'Visitors', arguments: [0, 1, 15] }, runtime);
        const session = await bench.record(app);
        await app.more('left', 24);
        const trace = await stopped(session);
        assert.equal(hookOf(trace), HookState.Missing);
        assert.ok(!workersOf(trace).includes('visitor'));
        await app.kill();

        // The agent's own threads come while others go: ART ends the process of a thread that suspends itself.
        app = await bench.running({ engine, app: 'Visitors', arguments: [0, 50] }, runtime);
        for (let start = 0; start < 25; start++) {
          const short = await bench.record(app);
          await app.more('round', 1);
          assert.equal((await short.stop()).reason, 'stopped', app.output());
        }
        await app.more('round', 2);
      });
    });
  }
});
