/** The worker's entry: the engine behind the page. */
import { FigureDesk } from './worker/figure-desk.js';
import { openRecording } from './worker/open-recording.js';
import { serve } from './worker/serve.js';
import type { WorkerPort } from './worker/serve.js';

// The DOM's types know a window's postMessage only; in a worker it takes what it gives away as its second argument.
const desk = new FigureDesk();
serve(globalThis as unknown as WorkerPort, openRecording, (trace, query) => desk.answer(trace, query));
