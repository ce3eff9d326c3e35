import type { UnnamedCode } from '../code-names.js';
import type { LinedMethods, LinedStacks } from '../lined-stacks.js';
import type { NameTable } from '../names.js';
import type { Numbers } from '../numbers.js';
import type { Stretches } from '../stretches.js';
import { type AddressSpace, AddressSpaces, type CodeMap } from './address-spaces.js';
import { Chains } from './chains.js';
import { CodePlaces, isMadeAtRunTime } from './code-places.js';

/** In whose memory the kernel's own code is said to be; its addresses are below 0. */
export const kernelPid = -1;
/** Words of a stack from here to 0 say whose addresses follow: the kernel's, the program's. */
const firstMark = -4095;
const mostChanges = 1 << 20;
const changeBytes = 200;

/** What changes the memory of a process, at a time; records of several cores are in no order. */
type Change =
  | { readonly time: number; readonly pid: number; readonly map: CodeMap }
  | { readonly time: number; readonly pid: number; readonly forkedFrom: number };

/** Code that came into the memory of a process: a file or a part of one, or what was made at run time. */
export interface MappedCode {
  readonly time: number;
  readonly pid: number;
  readonly start: number;
  readonly length: number;
  /** Where the mapped part begins in the file. */
  readonly offset: number;
  readonly path: string;
  readonly buildId: Uint8Array | undefined;
}

/**
 * The stacks of samples. While the file is read they are addresses; at its end, when it is known what lay where at all times, they
 * become places in files.
 */
export class CodeStacks {
  /** Maps and forks that were too many. */
  changesLeftOut = 0;
  /** Stacks of samples that memory had no room for. */
  leftOut = 0;
  readonly #addresses = new Chains();
  readonly #placed = new Chains();
  readonly #places = new CodePlaces();
  readonly #changes: Change[] = [];

  get memoryBytes(): number {
    const { memoryBytes } = this.#addresses;
    // As places in files they take about as much again.
    return 2 * memoryBytes + changeBytes * this.#changes.length + this.#places.memoryBytes;
  }

  /** How many places have no name, and whether somebody has looked for names. */
  get unnamedCount(): number {
    return this.#places.unnamedCount;
  }
  get wasNamed(): boolean {
    return this.#places.wasNamed;
  }

  /** The stack with `address` called by `caller`, 0 for none. */
  child(caller: number, address: number): number {
    return this.#addresses.child(caller, address);
  }

  /** Of a file whose build is told apart from where it is mapped. */
  setBuildId(path: string, buildId: Uint8Array): void {
    this.#places.setBuildId(path, buildId);
  }

  map({ time, pid, start, length, offset, path, buildId }: MappedCode): void {
    if (!this.#hasRoom()) return;
    const isKernel = pid === kernelPid || start < 0;
    const name = path.replace(/^(\[kernel\.kallsyms\])_s?text$/, '$1');
    // Code made at run time is told by its address, and so is the kernel itself.
    const isByAddress = isMadeAtRunTime(name) || name === '[kernel.kallsyms]';
    const map = {
      start,
      // The kernel's own map may end with the last address of all.
      end: isKernel ? Math.min(start + length, firstMark) : start + length,
      shift: isByAddress ? 0 : offset - start,
      image: this.#places.image(name, buildId, pid),
    };
    this.#changes.push({ time, pid: isKernel ? kernelPid : pid, map });
  }

  fork(time: number, pid: number, parent: number): void {
    if (this.#hasRoom()) this.#changes.push({ time, pid, forkedFrom: parent });
  }

  #hasRoom(): boolean {
    if (this.#changes.length < mostChanges) return true;
    this.changesLeftOut++;
    return false;
  }

  /**
   * Replaces the stacks of samples by such of places. `pidOf` says whose a row of the importer's threads is. What is made may take
   * `mostBytes`.
   *
   * Cost: the frames that samples say, and a search among the maps of the process for each.
   */
  place(samples: Stretches, stackOf: Numbers, pidOf: (thread: number) => number, mostBytes: number): void {
    const { thread, end } = samples;
    const spaces = new AddressSpaces();
    const changes = this.#changes.map((change, at) => ({ change, at }));
    changes.sort((a, b) => compare(a.change.time, b.change.time) || a.at - b.at);
    const rows = Uint32Array.from({ length: samples.count }, (_, row) => row);
    rows.sort((a, b) => compare(end[a] ?? 0, end[b] ?? 0) || a - b);
    const addresses = this.#addresses;
    const placedOf = new Int32Array(addresses.count);
    const versionOf = new Int32Array(addresses.count).fill(-1);
    const kernel = spaces.of(kernelPid);
    const links: number[] = [];
    let next = 0;
    for (const row of rows) {
      for (; next < changes.length; next++) {
        const { change } = changes[next] as { change: Change };
        if (change.time > (end[row] ?? 0)) break;
        if ('forkedFrom' in change) spaces.fork(change.forkedFrom, change.pid);
        else if (change.map.end > change.map.start) spaces.map(change.pid, change.map);
      }
      if (this.#placed.memoryBytes + this.#places.memoryBytes > mostBytes) {
        // Processes that share stacks of addresses may have a place each for every one of them.
        if ((stackOf.values[row] ?? 0) > 0) this.leftOut++;
        stackOf.values[row] = 0;
        continue;
      }
      const space = spaces.of(pidOf(thread[row] ?? 0));
      let link = stackOf.values[row] ?? 0;
      for (; link > 0 && versionOf[link] !== space.version; link = addresses.parent[link] ?? 0)
        links.push(link);
      let placed = placedOf[link] ?? 0;
      for (let one = links.pop(); one !== undefined; one = links.pop()) {
        placed = this.#placed.child(placed, this.#placeOf(addresses.value[one] ?? 0, space, kernel));
        placedOf[one] = placed;
        versionOf[one] = space.version;
      }
      stackOf.values[row] = placed;
    }
    this.changesLeftOut += spaces.leftOut;
  }

  #placeOf(address: number, own: AddressSpace, kernel: AddressSpace): number {
    const map = AddressSpaces.find(address < 0 ? kernel : own, address);
    if (map !== undefined) return this.#places.place(map.image, address + map.shift);
    // The kernel's own code may have no record: readers without rights get none.
    if (address < 0) return this.#places.place(this.#places.image('[kernel]', undefined, 0), address);
    return this.#places.place(-1, 0);
  }

  /** The code of the stacks, by file. */
  unnamed(): readonly UnnamedCode[] {
    return this.#places.unnamed();
  }

  /** The node of each stack, as its places are named by now. */
  nodes(lined: LinedStacks, methods: LinedMethods, names: NameTable): Int32Array {
    const placed = this.#placed;
    const nodeOf = new Int32Array(placed.count);
    for (let link = 1; link < placed.count; link++) {
      let node = nodeOf[placed.parent[link] ?? 0] ?? 0;
      const place = placed.value[link] ?? 0;
      const functions = this.#places.functions(place);
      for (let at = functions.length - 1; at >= 0; at--) {
        const { name, file, line } = functions[at] ?? { name: '', file: '', line: 0 };
        const plain = name.replaceAll('\t', ' ');
        const method = names.internText(file === '' ? plain : `${plain}\t${file}`);
        methods.setSource(method, file, 0);
        if (this.#places.isInFile(place)) methods.setNative(method);
        node = lined.child(node, method, line);
      }
      nodeOf[link] = node;
    }
    return nodeOf;
  }
}

export const isMark = (address: number): boolean => address >= firstMark && address < 0;

/** Infinite times are equal to themselves. */
const compare = (a: number, b: number): number => (a < b ? -1 : a > b ? 1 : 0);
