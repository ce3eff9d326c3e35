/** Text of Windows' tools: UTF-16 behind its mark. */
export function utf16Mark(bytes: Uint8Array): 'utf-16le' | 'utf-16be' | undefined {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return 'utf-16le';
  return bytes[0] === 0xfe && bytes[1] === 0xff ? 'utf-16be' : undefined;
}

/** Makes UTF-8 of UTF-16 that comes in pieces; the mark is left out. */
export class Utf16Stream {
  readonly #decoder: TextDecoder;
  readonly #encoder = new TextEncoder();

  constructor(encoding: 'utf-16le' | 'utf-16be') {
    this.#decoder = new TextDecoder(encoding);
  }

  push(bytes: Uint8Array): Uint8Array {
    return this.#encoder.encode(this.#decoder.decode(bytes, { stream: true }));
  }

  end(): Uint8Array {
    return this.#encoder.encode(this.#decoder.decode());
  }
}
