/** Answers the page's questions about a trace with the engine's figures. */
import { callFigures } from '../../trace/measure/calls.js';
import { findingsIn } from '../../trace/findings/registry.js';
import { hotLine, lineAtMoment } from '../../trace/measure/hot-line.js';
import { hotMethods } from '../../trace/measure/hot-methods.js';
import { messageFigures } from '../../trace/measure/messages.js';
import { methodWaits } from '../../trace/measure/method-waits.js';
import { methodFigures } from '../../trace/measure/methods.js';
import { overviewOf } from '../../trace/measure/overview.js';
import { stretchScheduling } from '../../trace/measure/scheduling.js';
import { type Scope, wholeTrace } from '../../trace/measure/scope.js';
import { sumScope } from '../../trace/measure/sums.js';
import type { Sums } from '../../trace/measure/sums.js';
import { isTime, type Weight } from '../../trace/measure/weights.js';
import { callees, callers, flame, matched, neighbours } from '../../trace/measure/trees.js';
import { virtualThreadFigures } from '../../trace/measure/virtual-threads.js';
import { waitPaths } from '../../trace/measure/wait-paths.js';
import { offCarrierWaitPlaces } from '../../trace/measure/off-carrier-waits.js';
import type { Trace } from '../../trace/model/trace.js';
import { myMethods } from '../my-code.js';
import type { SourceKey } from '../../protocol/messages.js';
import type { Answers, CallQuery, FlameQuery, SourceQuery, TraceQuery } from './messages.js';

/** All of a scope's figures come from one pass over its intervals; the last few passes are kept. */
const keptScopes = 4;
/** More are in the other views. */
const rowsOfOverview = 6;

export class FigureDesk {
  #trace: Trace | undefined;
  readonly #sums = new Map<string, Sums>();

  answer(trace: Trace, query: TraceQuery): Answers[TraceQuery['kind']] {
    if (trace !== this.#trace) {
      this.#trace = trace;
      this.#sums.clear();
    }
    switch (query.kind) {
      case 'source':
        return { ...sourceOf(trace, query.method), at: lineWanted(trace, query) };
      case 'methods':
        return methodFigures(this.#of(trace, query.scope, query.weight), trace.methods.count);
      case 'messages':
        return messageRows(trace, query.threads);
      case 'tree': {
        const children = query.direction === 'down' ? callees : callers;
        return children(this.#of(trace, query.scope, query.weight), query.weight, query.path);
      }
      case 'flame':
        return this.#flame(trace, query);
      case 'neighbours':
        return neighbours(this.#of(trace, query.scope, query.weight), query.weight, query.method);
      case 'matched':
        return matched(this.#of(trace, query.scope, query.weight), query.weight, query.methods);
      case 'overview': {
        const isMyCode = myMethods(trace.methods, query.myPackages);
        const sums = this.#of(trace, query.scope, 'wall');
        return overviewOf(trace, query.scope, sums, { isMyCode, mostRows: rowsOfOverview, points: 120 });
      }
      case 'findings':
        return findingsIn(trace, query.scope && { scope: query.scope });
      case 'hot': {
        const isMyCode = myMethods(trace.methods, query.myPackages);
        const sums = this.#of(trace, query.scope, query.weight);
        return hotMethods(trace, sums, query.weight, isMyCode, rowsOfOverview);
      }
      case 'sum':
        return this.#of(trace, query.scope).sum;
      case 'scheduling':
        return stretchScheduling(trace, query.thread, query.beginNs, query.endNs);
      case 'methodWaits':
        return methodWaits(trace, query.scope, query.method);
      case 'call':
        return callOf(trace, query);
    }
  }

  #flame(trace: Trace, { scope, weight, least, path }: FlameQuery): Answers['flame'] {
    const waits = weight === 'wall' || weight === 'wait' ? waitPaths(trace, scope) : undefined;
    return flame(this.#of(trace, scope, weight), weight, least, path, waits);
  }

  /** Of all weights, or of times alone where it is one of these that is looked at: most look at no other. */
  #of(trace: Trace, scope: Scope, weight?: Weight): Sums {
    const key = `${scope.beginNs} ${scope.endNs} ${scope.threads.join()} ${scope.counter ?? ''}`;
    const what = weight !== undefined && isTime(weight) ? 'times' : 'all';
    const known = this.#sums.get(`all ${key}`) ?? this.#sums.get(`${what} ${key}`);
    if (known !== undefined) return known;
    if (this.#sums.size >= keptScopes) {
      const [oldest] = this.#sums.keys();
      if (oldest !== undefined) this.#sums.delete(oldest);
    }
    const sums = sumScope(trace, scope, what);
    this.#sums.set(`${what} ${key}`, sums);
    return sums;
  }
}

/** Of all of the time: the range is what this list chooses. */
function messageRows(trace: Trace, threads: readonly number[]): Answers['messages'] {
  const scope = { ...wholeTrace, threads };
  const virtual = virtualThreadFigures(trace, scope);
  const places = offCarrierWaitPlaces(trace, scope);
  if (virtual.all > 0) return { ...virtual, isVirtual: true, places };
  const { count, thread, id, begin, end, cpu, wait, method } = messageFigures(trace, threads);
  const wall = end.map((at, row) => at - (begin[row] ?? 0));
  const known = { count, all: count, thread, id, begin, end, wall, cpu, wait, method };
  // A message waits on its thread: that is in `wait`.
  const none = new Float64Array(count);
  const waits = { waited: none, longest: none, waits: new Uint32Array(count) };
  const nowhere = { waitKind: new Uint8Array(count), waitMethod: new Int32Array(count).fill(-1) };
  return { ...known, ...waits, ...nowhere, isVirtual: false, places };
}

function lineWanted(trace: Trace, { method, scope, moment }: SourceQuery): number {
  const line = moment === undefined ? 0 : lineAtMoment(trace, method, moment.thread, moment.timeNs);
  return line === 0 && scope !== undefined ? hotLine(trace, method, scope) : line;
}

function sourceOf({ methods }: Trace, method: number): SourceKey {
  return {
    className: methods.className(method),
    method: methods.name(method),
    signature: methods.signature(method),
    file: methods.file(method),
    line: methods.firstLine(method),
  };
}

function callOf(trace: Trace, query: CallQuery): Answers['call'] {
  const figures = callFigures(trace, query, query.within);
  if (figures === undefined) throw new Error('This call is not in the recording any more.');
  return { ...figures, key: sourceOf(trace, figures.method) };
}
