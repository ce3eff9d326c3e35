/** Methods of classes that java.lang.reflect.Proxy makes, which are in no dex file. */
import assert from 'node:assert/strict';
import { SampleKind } from '../../src/trace/model/kinds.js';
import { IntervalState } from '../../src/trace/model/trace.js';
import {
  assertBetween,
  cpuWithin,
  eventsOf,
  mainThread,
  methodNamed,
  pathHas,
} from '../rigs/art/read-trace.js';
import { type Engine, engines } from '../rigs/art/runtime.js';
import { quitsWell, stopped, onEachArt } from '../rigs/art/with-art.js';
import { stackOf } from '../rigs/stacks.js';

onEachArt('proxies in the Android Runtime', (bench) => {
  for (const engine of Object.keys(engines) as Engine[])
    it(`have the names and figures of the interfaces that they are of (${engine})`, async () => {
      const app = await bench.running({ engine, app: 'Proxies', arguments: [0] });
      const session = await bench.record(app, { syncIntervalNs: 50_000, budgetPpm: 0 });
      await app.more('round', 60);
      const trace = await stopped(session);
      await quitsWell(app);

      const main = mainThread(trace);
      const cpuOf = (name: string): number => cpuWithin(trace, main, methodNamed(trace, name));
      const names = [
        'sample.Proxies$Prices.price',
        'sample.Proxies$Stock.count',
        'java.lang.Object.hashCode',
      ];
      const cpu = names.map(cpuOf);
      const all = cpuOf('sample.Proxies.round');
      for (const [which, share] of [4 / 7, 2 / 7, 1 / 7].entries())
        assertBetween(cpu[which]! / all, share - 0.07, share + 0.07);

      const invoke = methodNamed(trace, 'sample.Proxies.invoke');
      const { path, state, count } = main.intervals;
      for (let row = 0; row < count; row++)
        if (state[row] !== IntervalState.Gap && pathHas(trace, path[row]!, invoke))
          assert.match(
            stackOf(trace, path[row]!),
            /sample\.Proxies\.invoke < java\.lang\.reflect\.Proxy\.invoke < (sample\.Proxies\$Prices\.price|sample\.Proxies\$Stock\.count|java\.lang\.Object\.hashCode) < sample\.Proxies\.round < /,
          );
      const types = new Set(eventsOf(trace, main, SampleKind.Allocation).map(({ type }) => type));
      assert.ok(types.has('$Proxy'), [...types].join());

      const { methods } = trace;
      const unnamed = Array.from({ length: methods.count }, (_, method) =>
        methods.qualifiedName(method),
      ).filter((name) => /unloaded/.test(name));
      assert.deepEqual([...unnamed, ...[...types].filter((name) => /unloaded/.test(name))], []);
    });
});
