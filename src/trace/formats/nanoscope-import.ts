import type { EventThread } from '../assemble/event-builder.js';
import { endTop } from '../assemble/event-columns.js';
import { idIn } from '../assemble/number-gate.js';
import type { Trace } from '../model/trace.js';
import { textOf } from '../recording/text.js';
import type { ImportOptions } from './importer.js';
import { LineImporter } from './line-importer.js';

/** Reads Nanoscope's text (F72): "ns:method" begins a call, "ns:+method" too, "ns:POP" ends the innermost. */
export class NanoscopeImporter extends LineImporter {
  #thread: EventThread | undefined;

  constructor(options: ImportOptions = {}) {
    super(options, 'not "ns:method" or "ns:POP"');
  }

  protected override trace(): Trace {
    return this.builder.finish(this.methods, { format: 'nanoscope' });
  }

  protected override line(bytes: Uint8Array, from: number, to: number): boolean {
    if (bytes[from] === 0x23) {
      const [, tid, name = ''] = /^# thread (\d+)(?: (.*))?$/.exec(textOf(bytes.subarray(from, to))) ?? [];
      if (tid !== undefined) this.#thread = this.builder.thread(idIn(tid), 0, name);
      return true;
    }
    if (this.builder.isFull) return true;
    let at = from;
    let time = 0;
    for (; at < to; at++) {
      const digit = (bytes[at] as number) - 0x30;
      if (digit < 0 || digit > 9) break;
      time = time * 10 + digit;
    }
    let name = at + 1;
    if (at === from || bytes[at] !== 0x3a || name >= to || time > Number.MAX_SAFE_INTEGER) {
      return false;
    }
    this.#thread ??= this.builder.thread(0, 0, 'main');
    const { events } = this.#thread;
    if (to - name === 3 && bytes[name] === 0x50 && bytes[name + 1] === 0x4f && bytes[name + 2] === 0x50) {
      events.push(time, endTop);
      return true;
    }
    if (bytes[name] === 0x2b && name + 1 < to) name++;
    events.push(time, this.names.intern(bytes, name, to));
    return true;
  }
}
