/** Opens the recording that it is given, asks for what report, export and page ask for, and tells what that cost. A process of its own. */
import { readFileSync } from 'node:fs';
import { takeSnapshot } from '../../../src/webview/worker/snapshot.js';
import { exporters } from '../../../src/trace/formats/index.js';
import { TraceReader } from '../../../src/trace/trace-reader.js';
import { usualMemoryBytes } from '../../../src/trace/assemble/budget.js';
import { lateFrames } from '../../../src/trace/measure/late-frames.js';
import { lineFigures } from '../../../src/trace/measure/lines.js';
import { methodFigures } from '../../../src/trace/measure/methods.js';
import { wholeTrace } from '../../../src/trace/measure/scope.js';
import { sumScope } from '../../../src/trace/measure/sums.js';
import { virtualThreadFigures } from '../../../src/trace/measure/virtual-threads.js';
import { offCarrierWaitPlaces } from '../../../src/trace/measure/off-carrier-waits.js';
import { sectionFigures } from '../../../src/trace/measure/sections.js';
import { samplingOf, lostOf } from '../../../src/trace/measure/trust.js';

const pieceBytes = 4 * 2 ** 20;
const times: Record<string, number> = {};
let last = process.cpuUsage();
const told = (what: string): void => {
  const { user, system } = process.cpuUsage(last);
  last = process.cpuUsage();
  times[what] = Math.round((user + system) / 1000);
};
const [file] = process.argv.slice(2);
let problems: string[] = [];
if (file !== undefined) {
  const bytes = new Uint8Array(readFileSync(file));
  const reader = new TraceReader({ mostBytes: usualMemoryBytes });
  for (let at = 0; at < bytes.length; at += pieceBytes) reader.append(bytes.subarray(at, at + pieceBytes));
  reader.finish();
  const trace = reader.trace();
  told('decode');
  const sums = sumScope(trace, wholeTrace);
  methodFigures(sums, trace.methods.count);
  lineFigures(trace, wholeTrace);
  virtualThreadFigures(trace, wholeTrace);
  offCarrierWaitPlaces(trace, wholeTrace);
  samplingOf(trace.info, trace.status);
  lostOf(trace.losses, trace.status);
  sectionFigures(trace, wholeTrace);
  lateFrames(trace, wholeTrace, 5);
  told('measure');
  exporters.find(({ id }) => id === 'chrome')?.write(trace, () => undefined);
  told('export');
  takeSnapshot(trace, { live: false });
  told('snapshot');
  problems = trace.problems.map(({ what }) => what);
}
const { user, system } = process.cpuUsage();
const { maxRSS } = process.resourceUsage();
console.log(
  JSON.stringify({
    memoryBytes: maxRSS * 1024,
    cpuMs: (user + system) / 1000,
    times,
    problems: problems.slice(0, 20),
  }),
);
