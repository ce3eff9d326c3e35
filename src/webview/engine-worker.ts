/** The worker's entry: the engine behind the page. */
import { TraceReader } from '../trace/trace-reader.js';
import { FigureDesk } from './worker/figure-desk.js';
import type { OpenReader } from './worker/open-reader.js';
import { serve } from './worker/serve.js';
import type { WorkerPort } from './worker/serve.js';
import { warmUp } from './worker/warm-up.js';

const desk = new FigureDesk();
let isIdle = true;
const open: OpenReader = (part) => {
  isIdle = false;
  return new TraceReader({ ...part, systemLater: true });
};
// The DOM's types know a window's postMessage only; in a worker it takes what it gives away as its second argument.
const port = globalThis as unknown as WorkerPort;
serve(port, open, (trace, query) => desk.answer(trace, query));
void warmUp(
  () => isIdle,
  // Not given away: code for columns that may be gone is slower, and would be what is warm.
  (snapshot) => port.postMessage({ type: 'rehearsal', snapshot }, []),
);
