/** Answers the page's questions about a trace. */
import type { Trace } from '../../trace/model/trace.js';
import type { Answers, Query } from './messages.js';

export function answer(trace: Trace, query: Query): Answers[Query['kind']] {
  switch (query.kind) {
    case 'source':
      return sourceOf(trace, query.method);
    default:
      throw new Error(`There are no figures of this kind (${query.kind}).`);
  }
}

function sourceOf({ methods }: Trace, method: number): Answers['source'] {
  return {
    className: methods.className(method),
    method: methods.name(method),
    signature: methods.signature(method),
    file: methods.file(method),
    line: methods.firstLine(method),
  };
}
