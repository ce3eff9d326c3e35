/**
 * How much of a recording is taken in, by the size of its file. Deflate inflates a byte to a thousand, and a byte of a message
 * may become an object or a row of columns: without these bounds a small file that is damaged, or made to harm, takes
 * gigabytes. Usual recordings stay below a quarter of each bound. What is beyond is left out, counted and told.
 */
import { formatBytes } from '../measure/quantities.js';
import { chunkName } from '../recording/chunk.js';
import { DamageError } from '../recording/wire.js';

const megabyte = 2 ** 20;

/** What each account may hold: so many times the file's bytes, and so much for small files. */
const accounts = {
  /** Bytes of inflated payloads. */
  inflated: { times: 16, free: 48 * megabyte },
  /** Bytes of messages that become objects, such as threads and hooks. */
  entries: { times: 8, free: 2 * megabyte },
  /** Memory for what is kept beside samples and threads. */
  beside: { times: 16, free: 64 * megabyte },
  /** Memory for waits of virtual threads, and for a figure of each thread. */
  waits: { times: 64, free: 32 * megabyte },
  /** Memory for sections and messages between processes, of a system's trace. */
  sections: { times: 64, free: 32 * megabyte },
  /** Memory for samples: their intervals, calls and details. */
  samples: { times: 16, free: 64 * megabyte },
  /** Memory for threads with nothing in their columns. So much is free for programs that start a thread for each task. */
  threads: { times: 64, free: 60 * megabyte },
};
type Account = keyof typeof accounts;

/** There is more in a chunk than a file of this size may hold. */
export class BoundError extends DamageError {
  constructor() {
    super('there is more than a file of this size may hold');
  }
}

export class FileBounds {
  #fileBytes = 0;
  readonly #spent = { inflated: 0, entries: 0, beside: 0, waits: 0, sections: 0, samples: 0, threads: 0 };
  /** By kind of chunk, what was left out. */
  readonly #leftOut = new Map<number, { chunks: number; bytes: number }>();

  /** So many bytes of the file were read. */
  saw(bytes: number): void {
    this.#fileBytes += bytes;
  }

  hasRoom(account: Account, bytes: number): boolean {
    const { times, free } = accounts[account];
    return this.#spent[account] + bytes <= times * this.#fileBytes + free;
  }

  /** Throws a BoundError where there is no room for so much. */
  spend(account: Account, bytes: number): void {
    if (!this.hasRoom(account, bytes)) throw new BoundError();
    this.#spent[account] += bytes;
  }

  /** A chunk was not taken in to its end. `bytes`: what its message has. */
  leaveOut(kind: number, bytes: number): void {
    const before = this.#leftOut.get(kind);
    this.#leftOut.set(kind, { chunks: (before?.chunks ?? 0) + 1, bytes: (before?.bytes ?? 0) + bytes });
  }

  problems(): string[] {
    return [...this.#leftOut].map(
      ([kind, { chunks, bytes }]) =>
        `${chunkName(kind)}: ${chunks === 1 ? 'a chunk' : `${chunks} chunks`} of ${formatBytes(bytes)} together, or the ` +
        `rest of ${chunks === 1 ? 'it' : 'them'}, left out: a file of this size may not hold so much`,
    );
  }
}
