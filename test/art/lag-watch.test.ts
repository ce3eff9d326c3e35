/** The lag watch in an app: the main looper's messages, and what it writes when the system says that the app does not respond. */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import { LagKind } from '../../src/trace/model/kinds.js';
import { lagNs, type LagRecord, readLagRecord } from '../../src/trace/lags/lag-record.js';
import { mainThread, traceOf } from '../rigs/art/read-trace.js';
import { agentLibrary } from '../rigs/art/record.js';
import { onArtPairs } from '../rigs/art/with-art.js';

const limitNs = 400e6;

onArtPairs('an app that watches its lags', (bench) => {
  const lagFiles = (): LagRecord[] =>
    readdirSync(bench.folder)
      .filter((name) => name.startsWith('lag-') && name.endsWith('.btrace'))
      .map((name) => {
        const file = path.join(bench.folder, name);
        const lag = readLagRecord(file, readFileSync(file));
        assert.ok(lag, file);
        return lag;
      });

  for (const engine of ['interpreter', 'quick'] as const)
    it(`finds each message of its main looper that takes too long, and no other (${engine})`, async () => {
      const app = bench.start({
        engine,
        app: 'Lags',
        debuggable: false,
        arguments: [12, agentLibrary, bench.folder],
      });
      assert.deepEqual(await app.ended, { code: 0, signal: null }, app.output());
      assert.deepEqual(
        app.truths('watch').map((truth) => truth.number('done')),
        [1],
        app.output(),
      );
      const took = app.truths('message').map((truth) => truth.number('ns'));
      const long = took.filter((ns) => ns > limitNs).length;
      // The looper's message begins before the app's own clock is read: long before, if a busy machine puts it aside.
      const unclear = took.filter((ns) => ns <= limitNs && ns > limitNs * 0.5).length;
      assert.ok(long >= 4);
      const [before = 0] = app.truths('before').map((truth) => truth.number('lags'));
      const [after = 0] = app.truths('after').map((truth) => truth.number('lags'));
      const found = after - before;
      assert.ok(found >= long && found <= long + unclear, `${found} of ${long}: ${app.output()}`);

      const lags = lagFiles();
      assert.ok(lags.length >= 2, app.output());
      for (const lag of lags) {
        assert.deepEqual([lag.appVersion, lag.threadName], ['7', 'main']);
        assert.ok(lagNs(lag) >= limitNs * 0.99, `${lagNs(lag)} ns`);
      }
      const methods = lags.map(({ frames }) =>
        frames.map(({ className, method }) => `${className}.${method}`),
      );
      for (const planted of ['sample.Lags.load', 'sample.Lags.wait'])
        assert.ok(
          methods.some((frames) => frames.includes(planted)),
          `${planted}: ${JSON.stringify(methods)}`,
        );
      const trace = await traceOf(lags[0]!.name);
      assert.deepEqual([trace.problems, trace.complete], [[], true]);
      assert.ok(mainThread(trace).intervals.count > 0);
    });

  it('writes what came before when the system asks an app that hung for its stacks, and nothing of one that did not', async () => {
    const healthy = bench.start({
      engine: 'quick',
      app: 'Lags',
      arguments: [0, agentLibrary, bench.folder, 1],
    });
    await healthy.until(/^truth before/m);
    process.kill(healthy.pid, 'SIGQUIT');
    // The runtime has taken the signal, and the watch has looked since.
    await healthy.until(/Signal Catcher|SIGQUIT|DALVIK THREADS/);
    await healthy.more('message', 100);
    await healthy.kill();
    assert.deepEqual(
      lagFiles().filter(({ kind }) => kind === LagKind.NotResponding),
      [],
    );
    const app = bench.start({ engine: 'quick', app: 'Lags', arguments: [0, agentLibrary, bench.folder] });
    await app.until(/^file /m);
    process.kill(app.pid, 'SIGQUIT');
    await app.until(/DALVIK THREADS/);
    const told = () => lagFiles().filter(({ kind }) => kind === LagKind.NotResponding);
    for (let round = 0; told().length === 0 && round < 50; round++) await app.more('message', 3);
    assert.equal(told().length, 1);
    assert.ok(told()[0]!.frames.some(({ method }) => method === 'hang'));
    await app.kill();
  });
});
