import { Gunzip, Unzlib } from 'fflate';

/** Inflates a zlib stream of at most `maxBytes`; a string says why it cannot be. */
export function inflateZlib(bytes: Uint8Array, maxBytes: number): Uint8Array | string {
  const pieces: Uint8Array[] = [];
  let total = 0;
  const stream = new Unzlib((piece) => {
    total += piece.length;
    if (total > maxBytes) throw new TooLarge(maxBytes);
    pieces.push(piece);
  });
  try {
    // In steps, so that a bomb is noticed while it is small.
    const step = 1 << 16;
    for (let at = 0; at < bytes.length; at += step) {
      stream.push(bytes.subarray(at, at + step), at + step >= bytes.length);
    }
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
  return joined(pieces, total);
}

/** Inflates a gzip stream as it comes, up to `maxBytes`. */
export class GzipStream {
  #total = 0;
  #failed: string | undefined;
  readonly #stream: Gunzip;

  constructor(maxBytes: number, onPiece: (bytes: Uint8Array) => void) {
    this.#stream = new Gunzip((piece) => {
      this.#total += piece.length;
      if (this.#total > maxBytes) throw new TooLarge(maxBytes);
      if (piece.length > 0) onPiece(piece);
    });
  }

  /** Why inflating stopped, if it did. */
  get failed(): string | undefined {
    return this.#failed;
  }

  push(bytes: Uint8Array, final: boolean): void {
    if (this.#failed !== undefined) return;
    const step = 1 << 16;
    try {
      if (bytes.length === 0) this.#stream.push(bytes, final);
      for (let at = 0; at < bytes.length; at += step) {
        this.#stream.push(bytes.subarray(at, at + step), final && at + step >= bytes.length);
      }
    } catch (error) {
      // What reads the inflated bytes throws only when it is cancelled: that is not about the file.
      if (!(error instanceof TooLarge) && !isInflateError(error)) throw error;
      this.#failed = error.message;
    }
  }
}

class TooLarge extends Error {
  constructor(maxBytes: number) {
    super(`it is larger than ${Math.round(maxBytes / 2 ** 20)} MiB when inflated`);
  }
}

/** fflate's errors carry a number. */
export function isInflateError(error: unknown): error is Error & { readonly code: number } {
  return error instanceof Error && 'code' in error && typeof error.code === 'number';
}

function joined(pieces: readonly Uint8Array[], total: number): Uint8Array {
  const whole = new Uint8Array(total);
  let at = 0;
  for (const piece of pieces) {
    whole.set(piece, at);
    at += piece.length;
  }
  return whole;
}
