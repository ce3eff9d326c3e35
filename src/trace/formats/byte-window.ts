/**
 * The bytes of a file that are at hand and not yet read. A piece that is read whole is used in place; only what is left
 * over from one piece is copied in front of the next. Room grows by doubling, so an item that spans many pieces costs
 * its length, not its square.
 */
export class ByteWindow {
  bytes: Uint8Array = new Uint8Array(0);
  /** Next byte to read. */
  at = 0;
  end = 0;
  /** Place in the file of bytes[0]. */
  base = 0;
  #owned = false;

  add(piece: Uint8Array): void {
    const rest = this.end - this.at;
    if (rest === 0) {
      this.base += this.end;
      this.bytes = piece;
      this.at = 0;
      this.end = piece.length;
      this.#owned = false;
      return;
    }
    const needed = rest + piece.length;
    if (this.#owned && needed <= this.bytes.length) this.bytes.copyWithin(0, this.at, this.end);
    else {
      const grown = new Uint8Array(Math.max(needed, rest * 2));
      grown.set(this.bytes.subarray(this.at, this.end));
      this.bytes = grown;
      this.#owned = true;
    }
    this.bytes.set(piece, rest);
    this.base += this.at;
    this.at = 0;
    this.end = needed;
  }

  /** Place in the file of the next byte. */
  get offset(): number {
    return this.base + this.at;
  }
}
