/** Programs and libraries of iOS and macOS (Mach-O of 64 bits, alone or in a file for several processors), read piece by piece. */
import type { ReadAt } from '../read-at.js';

export interface MachOSection {
  readonly segment: string;
  readonly name: string;
  readonly offset: number;
  readonly size: number;
}

export interface MachOSymbols {
  readonly symbols: Buffer;
  readonly names: Buffer;
}

/** What is here is no Mach-O file that can be read, or not a whole one. */
export class MachOError extends Error {}

const magic64 = 0xfeedfacf;
const fatMagic = 0xcafebabe;
const fatMagic64 = 0xcafebabf;
const headBytes = 32;
/** Java's class files begin with the same word; no file is for so many processors. */
const mostSlices = 20;
const mostCommandBytes = 1 << 20;
/** The largest programs have some million symbols, with names of 60 letters. */
const mostSymbolBytes = 128 << 20;
const symbolBytes = 16;
const segmentBytes = 72;
const sectionBytes = 80;
const command = { symbols: 2, segment: 0x19, uuid: 0x1b } as const;
/** The low byte of a section's flags: it has no bytes in the file. */
const zeroFilled: ReadonlySet<number> = new Set([1, 12, 18]);

export class MachO {
  readonly #read: ReadAt;
  readonly #begin: number;
  readonly #commands: Buffer;

  private constructor(read: ReadAt, begin: number, commands: Buffer) {
    this.#read = read;
    this.#begin = begin;
    this.#commands = commands;
  }

  /** Each program in the file, for one processor; more than one in a file for several. */
  static async open(read: ReadAt): Promise<MachO[]> {
    const head = await read(0, 8);
    if (head.length < 8) throw new MachOError('it is no Mach-O file');
    const kind = head.readUInt32BE(0);
    if (kind !== fatMagic && kind !== fatMagic64) return [await MachO.#at(read, 0)];
    const count = head.readUInt32BE(4);
    if (count > mostSlices) throw new MachOError('it is no Mach-O file');
    const entry = kind === fatMagic ? 20 : 32;
    const rows = await whole(read, 8, entry * count, 'list of processors');
    const found: MachO[] = [];
    for (let row = 0; row < rows.length; row += entry) {
      const at = kind === fatMagic ? rows.readUInt32BE(row + 8) : numberOf(rows.readBigUInt64BE(row + 8));
      // A slice for a processor of 32 bits is none that is recorded.
      const one = await MachO.#at(read, at).catch(() => undefined);
      if (one !== undefined) found.push(one);
    }
    return found;
  }

  static async #at(read: ReadAt, begin: number): Promise<MachO> {
    const head = await read(begin, headBytes);
    if (head.length < headBytes || head.readUInt32LE(0) !== magic64)
      throw new MachOError('it is no Mach-O file of 64 bits');
    const bytes = head.readUInt32LE(20);
    if (bytes > mostCommandBytes) throw new MachOError('its load commands are damaged');
    return new MachO(read, begin, await whole(read, begin + headBytes, bytes, 'load commands'));
  }

  /** In hexadecimal digits; undefined where the linker left none. */
  uuid(): string | undefined {
    for (const [kind, bytes] of this.#each())
      if (kind === command.uuid && bytes.length >= 24) return bytes.toString('hex', 8, 24);
    return undefined;
  }

  sections(): MachOSection[] {
    const found: MachOSection[] = [];
    for (const [kind, bytes] of this.#each()) {
      if (kind !== command.segment) continue;
      for (let at = segmentBytes; at + sectionBytes <= bytes.length; at += sectionBytes) {
        if (zeroFilled.has(bytes.readUInt8(at + 64))) continue;
        found.push({
          segment: nameAt(bytes, at + 16),
          name: nameAt(bytes, at),
          offset: this.#begin + bytes.readUInt32LE(at + 48),
          size: numberOf(bytes.readBigUInt64LE(at + 40)),
        });
      }
    }
    return found;
  }

  /** Where its segment of this name is put, before the system moves it. */
  address(segment: string): number | undefined {
    for (const [kind, bytes] of this.#each())
      if (kind === command.segment && bytes.length >= segmentBytes && nameAt(bytes, 8) === segment)
        return numberOf(bytes.readBigUInt64LE(24));
    return undefined;
  }

  /** Undefined where the file has no table, or an empty one. */
  async symbols(): Promise<MachOSymbols | undefined> {
    for (const [kind, bytes] of this.#each()) {
      if (kind !== command.symbols || bytes.length < 24) continue;
      const [symbolsAt, count, namesAt, nameBytes] = [8, 12, 16, 20].map((at) => bytes.readUInt32LE(at)) as [
        number,
        number,
        number,
        number,
      ];
      if (count === 0) return undefined;
      if (count * symbolBytes > mostSymbolBytes || nameBytes > mostSymbolBytes)
        throw new MachOError(`its symbols are larger than ${mostSymbolBytes} bytes`);
      return {
        symbols: await whole(this.#read, this.#begin + symbolsAt, count * symbolBytes, 'symbols'),
        names: await whole(this.#read, this.#begin + namesAt, nameBytes, 'names'),
      };
    }
    return undefined;
  }

  *#each(): Generator<readonly [kind: number, bytes: Buffer]> {
    const all = this.#commands;
    for (let at = 0; at + 8 <= all.length;) {
      const bytes = all.readUInt32LE(at + 4);
      if (bytes < 8 || bytes > all.length - at) return;
      yield [all.readUInt32LE(at), all.subarray(at, at + bytes)];
      at += bytes;
    }
  }
}

async function whole(read: ReadAt, at: number, length: number, what: string): Promise<Buffer> {
  const bytes = length === 0 ? Buffer.alloc(0) : await read(at, length);
  if (bytes.length < length) throw new MachOError(`it ends within its ${what}`);
  return bytes;
}

/** Names of segments and sections fill 16 bytes with zeros. */
function nameAt(bytes: Buffer, at: number): string {
  const text = bytes.toString('latin1', at, at + 16);
  const end = text.indexOf('\0');
  return end < 0 ? text : text.slice(0, end);
}

function numberOf(value: bigint): number {
  if (value > BigInt(Number.MAX_SAFE_INTEGER)) throw new MachOError('it is damaged');
  return Number(value);
}
