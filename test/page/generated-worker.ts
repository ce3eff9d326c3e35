/** The page's worker with a reader that makes its trace up: the bytes are the options, as JSON. */
import type { Trace } from '../../src/trace/model/trace.js';
import { FigureDesk } from '../../src/webview/worker/figure-desk.js';
import type { Reader } from '../../src/webview/worker/open-reader.js';
import { serve } from '../../src/webview/worker/serve.js';
import type { WorkerPort } from '../../src/webview/worker/serve.js';
import { generateTrace } from './generated-trace.js';
import type { GeneratedOptions } from './generated-trace.js';

const reader = (): Reader => {
  let trace: Trace | undefined;
  return {
    append: (bytes) => {
      trace = generateTrace(JSON.parse(new TextDecoder().decode(bytes)) as GeneratedOptions);
    },
    finish: () => undefined,
    trace: () => trace!,
  };
};

const desk = new FigureDesk();
serve(globalThis as unknown as WorkerPort, reader, (trace, query) => desk.answer(trace, query));
