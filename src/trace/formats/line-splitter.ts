import { ByteWindow } from './byte-window.js';

/** Of a longer line these first bytes are taken: no format here has one. */
const maxLineBytes = 4 << 20;

/** Bytes of the line, without its end; `offset` is the line's place in the file. */
export type OnLine = (bytes: Uint8Array, from: number, to: number, offset: number) => void;

/** Cuts bytes that come in pieces into lines, without making strings. */
export class LineSplitter {
  readonly #window = new ByteWindow();
  readonly #onLine: OnLine;
  readonly #maxBytes: number;
  /** Bytes of the unfinished line that were already searched for its end. */
  #searched = 0;
  /** The first bytes of the line were taken already. */
  #isTaken = false;

  constructor(onLine: OnLine, maxBytes = maxLineBytes) {
    this.#onLine = onLine;
    this.#maxBytes = maxBytes;
  }

  append(piece: Uint8Array): void {
    const window = this.#window;
    window.add(piece);
    for (;;) {
      const end = window.bytes.indexOf(0x0a, window.at + this.#searched);
      if (end < 0 || end >= window.end) break;
      this.#line(end);
      window.at = end + 1;
      this.#searched = 0;
    }
    this.#searched = window.end - window.at;
    if (this.#searched > this.#maxBytes) {
      this.#line(window.end);
      this.#isTaken = true;
      window.at = window.end;
      this.#searched = 0;
    }
  }

  finish(): void {
    if (this.#window.at < this.#window.end) this.#line(this.#window.end);
    this.#window.at = this.#window.end;
  }

  #line(end: number): void {
    const { bytes, at, offset } = this.#window;
    if (this.#isTaken) {
      this.#isTaken = false;
      return;
    }
    const last = end > at && bytes[end - 1] === 0x0d ? end - 1 : end;
    const to = Math.min(last, at + this.#maxBytes);
    if (to > at) this.#onLine(bytes, at, to, offset);
  }
}
