/**
 * Says whether a thread's name differs from the one it had in the event before: each switch repeats the name, and a
 * string is made for a new one only. Names are compared by their hashes. 8 bytes a thread, of a quarter of a million
 * threads at most; beyond that it forgets and begins anew.
 */
const mostThreads = 2 ** 18;

export class NameChanges {
  #mask = 1023;
  #count = 0;
  /** Tid + 1; 0 is a free place. */
  #tid = new Int32Array(1024);
  #hash = new Int32Array(1024);

  isNew(tid: number, hash: number): boolean {
    const mask = this.#mask;
    let at = Math.imul(tid, 0x9e3779b1) & mask;
    for (;;) {
      const found = this.#tid[at];
      if (found === tid + 1) {
        if (this.#hash[at] === hash) return false;
        this.#hash[at] = hash;
        return true;
      }
      if (found === 0) break;
      at = (at + 1) & mask;
    }
    if (this.#count >= mask >> 1) this.#grow();
    this.#put(tid + 1, hash);
    return true;
  }

  #put(key: number, hash: number): void {
    let at = Math.imul(key - 1, 0x9e3779b1) & this.#mask;
    while (this.#tid[at] !== 0) at = (at + 1) & this.#mask;
    this.#tid[at] = key;
    this.#hash[at] = hash;
    this.#count++;
  }

  #grow(): void {
    const [tids, hashes] = [this.#tid, this.#hash];
    const isFull = this.#count >= mostThreads;
    const size = isFull ? 1024 : tids.length * 2;
    this.#tid = new Int32Array(size);
    this.#hash = new Int32Array(size);
    this.#mask = size - 1;
    this.#count = 0;
    if (isFull) return;
    for (let at = 0; at < tids.length; at++) if (tids[at] !== 0) this.#put(tids[at] ?? 0, hashes[at] ?? 0);
  }
}

/** Of the bytes of a name: by words, of which the last may overlap the one before. */
export function nameHash(view: DataView, from: number, to: number): number {
  let hash = to - from;
  if (hash < 4) {
    for (let at = from; at < to; at++) hash = (hash << 8) ^ view.getUint8(at);
    return hash;
  }
  for (let at = from; at + 4 <= to; at += 4) hash = Math.imul(hash ^ view.getInt32(at, true), 0x01000193);
  return Math.imul(hash ^ view.getInt32(to - 4, true), 0x01000193);
}
