/** Answers the page's questions about a trace. */
import type { Trace } from '../../trace/model/trace.js';
import type { Answers, Query } from './messages.js';

export class Desk {
  readonly #trace: () => Trace;

  constructor(trace: () => Trace) {
    this.#trace = trace;
  }

  answer(query: Query): Answers[Query['kind']] {
    const { methods } = this.#trace();
    return {
      className: methods.className(query.method),
      method: methods.name(query.method),
      signature: methods.signature(query.method),
      file: methods.file(query.method),
      line: methods.firstLine(query.method),
    };
  }
}
