/**
 * Opening a recording with the kernel's scheduler beside it: CPU time until the first chart, against the same recording
 * without; and how long the scheduler's columns take afterwards. `--quick` has fewer events.
 */
import { RecordingDecoder } from '../../src/trace/index.js';
import { schedulingColumns } from '../../src/webview/worker/scheduling.js';
import { takeSnapshot } from '../../src/webview/worker/snapshot.js';
import { scheduledRecording } from '../unit/trace/scheduled-recording.js';
import { cpuMs } from '../unit/cpu-time.js';
import { isQuick, say } from './figure.js';

const [switches, samples] = isQuick ? [100_000, 50_000] : [2_500_000, 1_000_000];
const runs = isQuick ? 1 : 3;
const pieceBytes = 4 * 2 ** 20;

const { plain, scheduled } = await scheduledRecording(switches, {
  samples,
  threads: 24,
  depth: 20,
  methods: 5000,
});

/** As the page's worker opens it. */
function opened(bytes: Uint8Array): {
  readonly ms: number;
  readonly columnsMs: number;
  readonly events: number;
} {
  const began = cpuMs();
  const decoder = new RecordingDecoder({ magic: true, systemLater: true });
  for (let at = 0; at < bytes.length; at += pieceBytes) decoder.append(bytes.subarray(at, at + pieceBytes));
  decoder.finish();
  const trace = decoder.trace();
  takeSnapshot(trace, { live: false, rowsInSight: 40 });
  const ms = cpuMs() - began;
  schedulingColumns(trace);
  const { system } = trace;
  const events =
    system === undefined ? 0 : system.switches.count + system.wakes.count + system.diskWaits.count;
  return { ms, columnsMs: cpuMs() - began - ms, events };
}

let [without, beside, columns, events] = [Infinity, Infinity, Infinity, 0];
for (let run = 0; run <= runs; run++) {
  without = Math.min(without, opened(plain).ms);
  const found = opened(scheduled);
  [beside, columns, events] = [Math.min(beside, found.ms), Math.min(columns, found.columnsMs), found.events];
}
say('system.open.events', events / 1e6, 'M events');
say('system.open.without', without, 'ms');
say('system.open.with', beside, 'ms');
say('system.open.to-without', beside / without, 'x', ['<=', 1.5]);
say('system.open.columns', columns, 'ms');
