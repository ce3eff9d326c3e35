import { EventBuilder, type EventThread } from '../build/event-builder.js';
import { endTop } from '../build/event-columns.js';
import type { Trace } from '../model/trace.js';
import type { ImportOptions, TraceImporter } from './importer.js';
import { LineSplitter, textOf } from './line-splitter.js';
import { NamedMethods } from './named-methods.js';
import { NameTable } from './names.js';

/** Reads Nanoscope's text (F72): "ns:method" begins a call, "ns:+method" too, "ns:POP" ends the innermost. */
export class NanoscopeImporter implements TraceImporter {
  readonly #builder = new EventBuilder();
  readonly #names = new NameTable();
  readonly #methods = new NamedMethods(this.#names);
  readonly #lines = new LineSplitter((bytes, from, to, offset) => this.#line(bytes, from, to, offset));
  readonly #signal: AbortSignal | undefined;
  #thread: EventThread | undefined;
  #bad = 0;
  #firstBad = 0;

  constructor(options: ImportOptions = {}) {
    this.#signal = options.signal;
  }

  append(bytes: Uint8Array): void {
    this.#signal?.throwIfAborted();
    this.#lines.append(bytes);
  }

  finish(): Trace {
    this.#lines.finish();
    if (this.#bad > 0) {
      this.#builder.problem(
        this.#firstBad,
        `${this.#bad} lines are not "ns:method" or "ns:POP"; they were left out`,
      );
    }
    return this.#builder.finish(this.#methods, { format: 'nanoscope' });
  }

  #line(bytes: Uint8Array, from: number, to: number, offset: number): void {
    if (bytes[from] === 0x23) {
      const [, tid, name = ''] = /^# thread (\d+) ?(.*)$/.exec(textOf(bytes, from, to)) ?? [];
      if (tid !== undefined) this.#thread = this.#builder.thread(Number(tid), 0, name);
      return;
    }
    let at = from;
    let time = 0;
    for (; at < to; at++) {
      const digit = (bytes[at] as number) - 0x30;
      if (digit < 0 || digit > 9) break;
      time = time * 10 + digit;
    }
    let name = at + 1;
    if (at === from || bytes[at] !== 0x3a || name >= to || time > Number.MAX_SAFE_INTEGER) {
      if (this.#bad++ === 0) this.#firstBad = offset;
      return;
    }
    this.#thread ??= this.#builder.thread(0, 0, 'main');
    const { events } = this.#thread;
    if (to - name === 3 && bytes[name] === 0x50 && bytes[name + 1] === 0x4f && bytes[name + 2] === 0x50) {
      events.push(time, endTop);
      return;
    }
    if (bytes[name] === 0x2b && name + 1 < to) name++;
    events.push(time, this.#names.intern(bytes, name, to));
  }
}
