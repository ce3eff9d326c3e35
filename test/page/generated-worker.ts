/** The page's worker with a decoder that makes its trace up: the bytes are the options, as JSON. */
import type { Trace } from '../../src/trace/model/trace.js';
import { FigureDesk } from '../../src/webview/worker/figure-desk.js';
import { serve } from '../../src/webview/worker/serve.js';
import type { Decoder, WorkerPort } from '../../src/webview/worker/serve.js';
import { generateTrace } from './generated-trace.js';
import type { GeneratedOptions } from './generated-trace.js';

const decoder = (): Decoder => {
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
serve(globalThis as unknown as WorkerPort, decoder, (trace, query) => desk.answer(trace, query));
