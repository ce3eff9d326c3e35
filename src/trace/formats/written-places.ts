/** Methods in one line of them, numbered from 1 in the order in which they are asked for. */
import type { Trace } from '../model/trace.js';
import { lineOf, methodOf } from './written-stacks.js';

export interface WrittenPlace {
  readonly id: number;
  readonly method: number;
  /** 0 unknown. */
  readonly line: number;
}

export class WrittenPlaces {
  readonly #trace: Trace;
  /** By method, then by line: no number holds both for all that a trace may have. */
  readonly #ids = new Map<number, Map<number, number>>();
  #count = 0;

  constructor(trace: Trace) {
    this.#trace = trace;
  }

  /** Without a line that is known, the method's first. */
  of(stack: number): WrittenPlace {
    const { methods } = this.#trace;
    const method = methodOf(this.#trace, stack);
    const line = Math.max(0, lineOf(this.#trace, stack, method) || methods.firstLine(method));
    let lines = this.#ids.get(method);
    if (lines === undefined) this.#ids.set(method, (lines = new Map<number, number>()));
    let id = lines.get(line);
    if (id === undefined) lines.set(line, (id = ++this.#count));
    return { id, method, line };
  }

  get methods(): IterableIterator<number> {
    return this.#ids.keys();
  }

  *[Symbol.iterator](): IterableIterator<WrittenPlace> {
    for (const [method, lines] of this.#ids) for (const [line, id] of lines) yield { id, method, line };
  }
}
