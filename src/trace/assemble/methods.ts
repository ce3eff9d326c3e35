/** The methods of a recording, numbered from 0 in the order in which a name or a stack first mentions them. */
import { MethodKind } from '../model/kinds.js';
import { type Methods } from '../model/trace.js';
import { qualifiedWritten, type WrittenName, writtenName } from '../model/written-name.js';
import { Class, Image, Method, Symbols } from '../recording/messages.js';
import { Entries, isPlausibleId } from './entries.js';
import { grown, nextCapacity } from './grow.js';

/** docs/FORMAT.md, "Damage": longer names are cut when shown. */
const longestName = 2 ** 20;
const mostIds = 2 ** 24;

const noHash = new Uint8Array(0);
/** Of Method in recording.proto. */
const nameField = 3;
const classField = 2;

/** A method's lines, sorted by position. */
interface LineTable {
  readonly position: Float64Array;
  readonly line: Float64Array;
}

/** A native function; without a name all that is not known of its image. */
interface Native {
  readonly image: number;
  readonly name: string;
  /** Of its source; empty where debug information does not tell it. */
  readonly file: string;
  /** The smallest that was seen; 0: none was. */
  firstLine: number;
}

/** Calls that were inlined at an offset, the outermost first: their methods, and the line in each. */
export interface Inlined {
  readonly methods: number[];
  readonly lines: number[];
}

/** Deeper ones are left out: no compiler inlines so far. */
const mostInlined = 64;

/** Numbers of an image's functions; `unknown`: of what no symbol names, −1 before there is any. */
interface NativesOfImage {
  /** By start; by name and file where that is known, so that a function that is also inlined is one. */
  readonly byStart: Map<number | string, number>;
  readonly byOffset: Map<number, number>;
  readonly lines: Map<number, number>;
  readonly inlined: Map<number, Inlined>;
  unknown: number;
}

export class RecordedMethods implements Methods {
  count = 0;
  readonly #classes = new Entries(Class);
  readonly #images = new Entries(Image);
  readonly #imageIds = new Set<number>();

  readonly #entries = new Entries(Method);
  /** Number + 1 by the agent's id; 0: not mentioned yet. */
  #numbers = new Int32Array(1024);
  /** The agent's id by number; −1 − the place in `natives` for native functions. */
  #ids = new Int32Array(1024);
  readonly #natives: Native[] = [];
  readonly #nativesOf = new Map<number, NativesOfImage>();
  readonly #classNames: (string | undefined)[] = [];
  readonly #qualified: (string | undefined)[] = [];
  readonly #lines: (LineTable | undefined)[] = [];

  /** A Classes message. Throws a DamageError; the classes before the damage stay. */
  addClasses(payload: Uint8Array): void {
    this.#classes.add(payload, (id) => {
      if (this.#classNames[id] === undefined) return;
      this.#classNames[id] = undefined;
      this.#qualified.length = 0;
    });
  }

  /** An Images message. Throws a DamageError; the images before the damage stay. */
  addImages(payload: Uint8Array): void {
    this.#images.add(payload, (id) => this.#imageIds.add(id));
  }

  /** A Symbols message. Throws a DamageError. */
  addSymbols(payload: Uint8Array): void {
    for (const { image, start, name, file, offset: offsets, line, depth } of Symbols.decode(payload)
      .functions) {
      const known = this.#imageOf(image);
      if (known === undefined) continue;
      const key = file === '' ? start : `${name}\0${file}`;
      let number = known.byStart.get(key);
      if (number === undefined) {
        number = this.#takeNative(image, name, file);
        known.byStart.set(key, number);
      }
      const native = this.#natives[-1 - (this.#ids[number] ?? 0)];
      offsets.forEach((offset, at) => {
        const own = line[at] ?? 0;
        if (native !== undefined && own > 0 && (native.firstLine === 0 || own < native.firstLine))
          native.firstLine = own;
        place(known, offset, number, own, depth[at] ?? 0);
      });
    }
  }

  imageList(): Image[] {
    return [...this.#imageIds].flatMap((id) => this.#images.get(id) ?? []);
  }

  /** A Methods message. Throws a DamageError; the methods before the damage stay. */
  add(payload: Uint8Array): void {
    this.#entries.add(payload, (id) => {
      const number = this.number(id);
      // It may have been asked for before its name came.
      this.#qualified[number] = undefined;
      this.#lines[number] = undefined;
    });
  }

  /** The number of the agent's method `id`, −1 for an id that cannot be. */
  number(id: number): number {
    const known = (this.#numbers[id] ?? 0) - 1;
    if (known >= 0) return known;
    if (!isPlausibleId(id, this.count, mostIds)) return -1;
    if (id >= this.#numbers.length)
      this.#numbers = grown(this.#numbers, nextCapacity(this.#numbers.length, id + 1));
    const number = this.#take(id);
    this.#numbers[id] = number + 1;
    return number;
  }

  /**
   * The number of the native function at an offset of an image, −1 for an image that cannot be. Which function that is only
   * symbols can tell; what they do not tell is one method an image. The offset is the position in it.
   */
  nativeNumber(image: number, offset: number): number {
    const known = this.#imageOf(image);
    if (known === undefined) return -1;
    const number = known.byOffset.get(offset);
    if (number !== undefined) return number;
    if (known.unknown < 0) known.unknown = this.#takeNative(image, '', '');
    return known.unknown;
  }

  /** The line at an offset in the function that was called; 0: not known, −1: of its function none is. */
  nativeLine(image: number, offset: number): number {
    const known = this.#nativesOf.get(image);
    const line = known?.lines.get(offset);
    return line ?? -1;
  }

  /** What was inlined at an offset into the function that was called. */
  inlinedAt(image: number, offset: number): Inlined | undefined {
    return this.#nativesOf.get(image)?.inlined.get(offset);
  }

  className(method: number): string {
    const id = this.#ids[method] ?? 0;
    return id > 0 ? this.classNameById(this.#entries.peek(id, nameField, classField)?.number ?? 0) : '';
  }

  classNameById(id: number): string {
    let name = this.#classNames[id];
    if (name === undefined) {
      const entry = id > 0 ? this.#classes.peek(id, 2, 1) : undefined;
      name = cut(entry?.text ?? '');
      // A class may be named before it comes.
      if (entry !== undefined) this.#classNames[id] = name;
    }
    return name;
  }

  name(method: number): string {
    const id = this.#ids[method] ?? 0;
    if (id < 0) {
      const { image, name } = this.#natives[-1 - id] as Native;
      const told = this.#images.get(image)?.path ?? '';
      const path = told === '' ? `image ${image}` : told;
      const file = path.slice(path.lastIndexOf('/') + 1);
      return cut(name === '' ? file : `${name} (${file})`);
    }
    return this.#shown(id, this.#entries.peek(id, nameField, classField)?.text ?? '');
  }

  qualifiedName(method: number): string {
    let made = this.#qualified[method];
    if (made === undefined) {
      const id = this.#ids[method] ?? 0;
      const entry = id > 0 ? this.#entries.peek(id, nameField, classField) : undefined;
      const className = this.classNameById(entry?.number ?? 0);
      const name = entry === undefined ? this.name(method) : this.#shown(id, entry.text);
      const written = this.#writtenIn(entry?.number ?? 0, name);
      if (written !== undefined) made = qualifiedWritten(written);
      else made = className === '' ? name : `${className}.${name}`;
      this.#qualified[method] = made;
    }
    return made;
  }

  written(method: number): WrittenName | undefined {
    const id = this.#ids[method] ?? 0;
    const entry = id > 0 ? this.#entries.peek(id, nameField, classField) : undefined;
    return entry === undefined ? undefined : this.#writtenIn(entry.number, this.#shown(id, entry.text));
  }

  signature(method: number): string {
    return cut(this.#entry(method)?.signature ?? '');
  }

  file(method: number): string {
    const native = this.#nativeOf(method);
    if (native !== undefined) return cut(native.file);
    return cut(this.#classes.get(this.#entry(method)?.classId ?? 0)?.file ?? '');
  }

  sourceHash(method: number): Uint8Array {
    return this.#classes.get(this.#entry(method)?.classId ?? 0)?.sourceHash ?? noHash;
  }

  kind(method: number): number {
    if ((this.#ids[method] ?? 0) < 0) return MethodKind.NativeFunction;
    return this.#entry(method)?.kind ?? MethodKind.Unresolved;
  }

  firstLine(method: number): number {
    const native = this.#nativeOf(method);
    if (native !== undefined) return native.firstLine;
    const { line } = this.#lineTable(method);
    let first = 0;
    for (const at of line) if (at > 0 && (first === 0 || at < first)) first = at;
    return first;
  }

  lineAt(method: number, position: number): number {
    const native = this.#nativeOf(method);
    // A native function's position is its line where that is known, else an offset.
    if (native !== undefined) return native.file === '' ? 0 : position;
    const table = this.#lineTable(method);
    let low = 0;
    let high = table.position.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((table.position[middle] as number) <= position) low = middle + 1;
      else high = middle;
    }
    return low === 0 ? 0 : (table.line[low - 1] as number);
  }

  #writtenIn(classId: number, name: string): WrittenName | undefined {
    return writtenName(this.classNameById(classId), name, () => this.#classes.get(classId)?.file ?? '');
  }

  #shown(id: number, name: string): string {
    return name === '' ? `(method ${id}, name lost)` : cut(name);
  }

  #imageOf(image: number): NativesOfImage | undefined {
    let known = this.#nativesOf.get(image);
    if (known === undefined) {
      if (!(image > 0 && image < mostIds)) return undefined;
      known = {
        byStart: new Map(),
        byOffset: new Map(),
        lines: new Map(),
        inlined: new Map(),
        unknown: -1,
      };
      this.#nativesOf.set(image, known);
    }
    return known;
  }

  #nativeOf(method: number): Native | undefined {
    const id = this.#ids[method] ?? 0;
    return id < 0 ? this.#natives[-1 - id] : undefined;
  }

  #takeNative(image: number, name: string, file: string): number {
    this.#natives.push({ image, name, file, firstLine: 0 });
    return this.#take(-this.#natives.length);
  }

  #take(id: number): number {
    const number = this.count++;
    if (number >= this.#ids.length) this.#ids = grown(this.#ids, nextCapacity(this.#ids.length, number + 1));
    this.#ids[number] = id;
    return number;
  }

  #entry(method: number): Method | undefined {
    const id = this.#ids[method] ?? 0;
    return id > 0 ? this.#entries.get(id) : undefined;
  }

  #lineTable(method: number): LineTable {
    let table = this.#lines[method];
    if (table === undefined) {
      const entry = this.#entry(method);
      table = { position: summed(entry?.linePosition ?? []), line: summed(entry?.lineNumber ?? []) };
      this.#lines[method] = table;
    }
    return table;
  }
}

function place(known: NativesOfImage, offset: number, method: number, line: number, depth: number): void {
  if (depth === 0) {
    known.byOffset.set(offset, method);
    if (line > 0) known.lines.set(offset, line);
    return;
  }
  if (depth > mostInlined) return;
  let inlined = known.inlined.get(offset);
  if (inlined === undefined) known.inlined.set(offset, (inlined = { methods: [], lines: [] }));
  // They come outermost first; one whose caller is missing cannot be placed.
  if (depth - 1 > inlined.methods.length) return;
  inlined.methods[depth - 1] = method;
  inlined.lines[depth - 1] = line;
}

export function cut(name: string): string {
  return name.length <= longestName ? name : name.slice(0, longestName);
}

function summed(steps: readonly number[]): Float64Array {
  let sum = 0;
  return Float64Array.from(steps, (step) => (sum += step));
}
