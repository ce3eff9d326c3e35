/** Who released a monitor, and where: of planted hand-overs, by leaving a synchronized block and by Object.wait. */
import assert from 'node:assert/strict';
import { LinkCertainty, SampleKind } from '../../src/trace/model/kinds.js';
import type { ThreadTrack, Trace } from '../../src/trace/model/trace.js';
import { mainThread } from '../rigs/art/read-trace.js';
import { type Engine, engines } from '../rigs/art/runtime.js';
import { onEachArt, stopped } from '../rigs/art/with-art.js';
import { wide } from '../rigs/scale.js';
import { stackOf } from '../rigs/stacks.js';

/** Two ways of handing over take turns. */
const wantedHandovers = wide ? 200 : 40;
const rightShare = 95 / 100;

/** The stack of the thread's release at that time. */
function releasedAt(trace: Trace, { events }: ThreadTrack, time: number): string {
  for (let row = 0; row < events.count; row++)
    if (events.kind[row] === SampleKind.MonitorRelease && events.time[row] === time)
      return stackOf(trace, events.path[row]!);
  return '';
}

onEachArt('a monitor that is handed on', ({ running, record }) => {
  for (const engine of Object.keys(engines) as Engine[])
    it(`has the thread that released it, with its stack at the release (${engine})`, async () => {
      const app = await running({ engine, app: 'Handover', arguments: [0] });
      const session = await record(app, { budgetPpm: 0 });
      const truths = await app.more('handover', wantedHandovers + 4);
      const trace = await stopped(session);
      const origin = Number(trace.info.startMonotonicNs);
      const { waits } = mainThread(trace);
      const wrong: string[] = [];
      const seen = [0, 0];
      for (const truth of truths) {
        const [from, to] = [truth.number('begin') - origin, truth.number('end') - origin];
        const row = Array.from({ length: waits.count }, (_, at) => at).find(
          (at) => waits.kind[at] === SampleKind.Monitor && waits.begin[at]! >= from && waits.end[at]! <= to,
        );
        if (row === undefined) continue;
        const byWait = truth.number('waits');
        seen[byWait]!++;
        const link = waits.link[row]!;
        const releaser = trace.threads.find(({ index }) => index === trace.links.waker[link]);
        const stack = releaser ? releasedAt(trace, releaser, trace.links.wakerTime[link]!) : 'nobody';
        const where = byWait
          ? /^java\.lang\.Object\.wait < .*sample\.Handover\$Holder\.giveUp </
          : /^sample\.Handover\$Holder\.hold </;
        const right =
          releaser?.tid === truth.number('by') &&
          trace.links.certainty[link] === LinkCertainty.Observed &&
          where.test(stack);
        if (!right) wrong.push(`${byWait ? 'by wait' : 'by leaving'}: ${stack}`);
      }
      assert.ok(Math.min(...seen) >= wantedHandovers * 0.4, `${seen.join(' and ')} hand-overs`);
      const most = (seen[0]! + seen[1]!) * (1 - rightShare);
      assert.ok(wrong.length <= most, `${wrong.length} of ${seen.join(' + ')}:\n${wrong.join('\n')}`);
    });
});
