/** What lies in the memory of processes: files and their offsets, by address. */

/** A process has at most 65530 of them; in all files, what is beyond is left out. */
const mostMaps = 1 << 17;
const mostOfProcess = 1 << 16;
/** The first change after a fork copies all maps of the process: a file decides how often. */
const mostCopied = 1 << 24;
/** A map that comes in front of others moves them all: half a second or so of that. */
const mostMoved = 2 ** 28;

export interface CodeMap {
  readonly start: number;
  readonly end: number;
  readonly image: number;
  /** The offset in the file of an address is `address + shift`. */
  readonly shift: number;
}

export interface AddressSpace {
  /** In order of address, without overlap. */
  maps: CodeMap[];
  /** Another process has the same ones: who changes them takes a copy. */
  isShared: boolean;
  /** Another one whenever the maps are. */
  version: number;
}

export class AddressSpaces {
  /** Maps that were left out. */
  leftOut = 0;
  readonly #spaces = new Map<number, AddressSpace>();
  #maps = 0;
  #copied = 0;
  #moved = 0;
  #version = 0;

  of(pid: number): AddressSpace {
    let space = this.#spaces.get(pid);
    if (space === undefined)
      this.#spaces.set(pid, (space = { maps: [], isShared: false, version: this.#version++ }));
    return space;
  }

  fork(parent: number, child: number): void {
    if (parent === child) return;
    const space = this.of(parent);
    space.isShared = true;
    this.#spaces.set(child, { ...space });
  }

  /** What was there before makes room. */
  map(pid: number, added: CodeMap): void {
    const space = this.of(pid);
    const copied = space.isShared ? space.maps.length : 0;
    const isFull = this.#maps >= mostMaps || space.maps.length >= mostOfProcess || this.#moved >= mostMoved;
    if (isFull || this.#copied + copied > mostCopied) {
      this.leftOut++;
      return;
    }
    this.#maps++;
    this.#copied += copied;
    if (space.isShared) space.maps = [...space.maps];
    space.isShared = false;
    const { maps } = space;
    const from = firstBehind(maps, added.start);
    let to = from;
    const between: CodeMap[] = [];
    for (; to < maps.length; to++) {
      const one = maps[to] as CodeMap;
      if (one.start >= added.end) break;
      if (one.start < added.start) between.push({ ...one, end: added.start });
    }
    between.push(added);
    const last = to > from ? maps[to - 1] : undefined;
    if (last !== undefined && last.end > added.end) between.push({ ...last, start: added.end });
    this.#moved += maps.length - to;
    maps.splice(from, to - from, ...between);
    space.version = this.#version++;
  }

  static find({ maps }: AddressSpace, address: number): CodeMap | undefined {
    const found = maps[firstBehind(maps, address)];
    return found !== undefined && found.start <= address ? found : undefined;
  }
}

/** The first map that ends behind the address. */
function firstBehind(maps: readonly CodeMap[], address: number): number {
  let [low, high] = [0, maps.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((maps[middle] as CodeMap).end > address) high = middle;
    else low = middle + 1;
  }
  return low;
}
