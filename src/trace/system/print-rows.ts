/**
 * What programs and Android printed into the kernel's trace, and messages between processes, as columns. Each text is kept
 * once: sections of a name are printed again and again. 16 bytes a print, 29 a message.
 */
import { grown, nextCapacity } from '../assemble/grow.js';
import { NameTable } from '../formats/names.js';

/** Of a longer print nothing is kept. The kernel cuts those of programs at 1 KB. */
export const mostPrintBytes = 2 ** 12;

export class PrintRows {
  count = 0;
  time = new Float64Array(0);
  tid = new Int32Array(0);
  /** In `texts`. */
  text = new Int32Array(0);
  texts = new NameTable();

  push(time: number, tid: number, bytes: Uint8Array, from: number, to: number): void {
    this.pushText(time, tid, this.texts.intern(bytes, from, to));
  }

  /** `text`: one of `texts`. */
  pushText(time: number, tid: number, text: number): void {
    const row = this.count;
    if (row === this.time.length) this.#grow(row + 1);
    this.time[row] = time;
    this.tid[row] = tid;
    this.text[row] = text;
    this.count = row + 1;
  }

  /** What was printed, as a view. */
  bytes(row: number): Uint8Array {
    return this.texts.bytes(this.text[row] as number);
  }

  clear(): void {
    if (this.count > 0) this.texts = new NameTable();
    this.count = 0;
  }

  #grow(needed: number): void {
    const size = nextCapacity(this.time.length, Math.max(needed, 256));
    this.time = grown(this.time, size);
    this.tid = grown(this.tid, size);
    this.text = grown(this.text, size);
  }
}

export const BinderEnd = { Sent: 0, Replied: 1, Received: 2 } as const;

/** Messages between processes, one row for each of their ends. */
export class BinderRows {
  count = 0;
  time = new Float64Array(0);
  tid = new Int32Array(0);
  /** BinderEnd. */
  end = new Uint8Array(0);
  /** Of the message. */
  id = new Int32Array(0);
  /** Process that it is sent to. */
  toPid = new Int32Array(0);
  flags = new Float64Array(0);

  push(time: number, tid: number, end: number, id: number, toPid: number, flags: number): void {
    const row = this.count;
    if (row === this.time.length) this.#grow(row + 1);
    this.time[row] = time;
    this.tid[row] = tid;
    this.end[row] = end;
    this.id[row] = id;
    this.toPid[row] = toPid;
    this.flags[row] = flags;
    this.count = row + 1;
  }

  #grow(needed: number): void {
    const size = nextCapacity(this.time.length, Math.max(needed, 256));
    this.time = grown(this.time, size);
    this.tid = grown(this.tid, size);
    this.end = grown(this.end, size);
    this.id = grown(this.id, size);
    this.toPid = grown(this.toPid, size);
    this.flags = grown(this.flags, size);
  }
}
