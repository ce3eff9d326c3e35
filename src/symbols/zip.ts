/**
 * Single entries out of a large archive (a JDK's src.zip is 53 MB with 25,000 entries): the directory is kept as bytes and
 * searched as bytes, so that nothing is made for entries that nobody asks for.
 */
import { stat } from 'node:fs/promises';
import { promisify } from 'node:util';
import { inflateRaw } from 'node:zlib';
import { type ReadAt, readPath } from './read-at.js';

const inflate = promisify(inflateRaw);
/** A comment of at most 64 kB may follow the end record. */
const endBytes = 65_557;
const endSignature = 0x06054b50;
const entrySignature = 0x02014b50;
const entryHead = 46;
/** What is looked for in an archive is smaller than this; whatever says it is larger is not that. */
const mostEntryBytes = 16 * 2 ** 20;
const mostDirectoryBytes = 64 * 2 ** 20;

export interface ZipEntry {
  readonly name: string;
  readonly method: number;
  readonly storedBytes: number;
  readonly bytes: number;
  readonly offset: number;
}

export class ZipArchive {
  readonly #read: ReadAt;
  readonly #directory: Buffer;

  private constructor(
    readonly path: string,
    read: ReadAt,
    directory: Buffer,
  ) {
    this.#read = read;
    this.#directory = directory;
  }

  static async open(path: string): Promise<ZipArchive> {
    const { size } = await stat(path);
    return await ZipArchive.of(path, size, readPath(path));
  }

  /** Of an archive that lies elsewhere. */
  static async of(path: string, size: number, read: ReadAt): Promise<ZipArchive> {
    const tail = await whole(read, Math.max(0, size - endBytes), Math.min(size, endBytes));
    let at = tail.length - 22;
    while (at >= 0 && tail.readUInt32LE(at) !== endSignature) at -= 1;
    if (at < 0) throw new Error(`${path} is not a zip archive.`);
    const bytes = tail.readUInt32LE(at + 12);
    const offset = tail.readUInt32LE(at + 16);
    if (offset + bytes > size || bytes > mostDirectoryBytes)
      throw new Error(`${path} has a damaged directory.`);
    return new ZipArchive(path, read, await whole(read, offset, bytes));
  }

  /** The entry with this name, or the first whose name ends in "/" + `name` (a JDK's sources lie in folders by module). */
  find(name: string): ZipEntry | undefined {
    const wanted = Buffer.from(name);
    let suffix: ZipEntry | undefined;
    for (let at = this.#directory.indexOf(wanted); at >= 0; at = this.#directory.indexOf(wanted, at + 1)) {
      const entry = this.#entryNamedAt(at, wanted.length);
      if (entry?.name === name) return entry;
      if (entry !== undefined && suffix === undefined && entry.name.endsWith(`/${name}`)) suffix = entry;
    }
    return suffix;
  }

  /** The entry whose name ends with the `length` bytes at `at`: its head is before the name, at a distance it states itself. */
  #entryNamedAt(at: number, length: number): ZipEntry | undefined {
    const directory = this.#directory;
    for (let begin = at - entryHead; begin >= 0 && begin > at - entryHead - 1024; begin--) {
      if (directory.readUInt32LE(begin) !== entrySignature) continue;
      const nameLength = directory.readUInt16LE(begin + 28);
      if (begin + entryHead + nameLength !== at + length) return undefined;
      return {
        name: directory.toString('utf8', begin + entryHead, begin + entryHead + nameLength),
        method: directory.readUInt16LE(begin + 10),
        storedBytes: directory.readUInt32LE(begin + 20),
        bytes: directory.readUInt32LE(begin + 24),
        offset: directory.readUInt32LE(begin + 42),
      };
    }
    return undefined;
  }

  async text(entry: ZipEntry): Promise<string> {
    return (await this.bytes(entry)).toString('utf8');
  }

  async bytes(entry: ZipEntry): Promise<Buffer> {
    if (entry.bytes > mostEntryBytes || entry.storedBytes > mostEntryBytes)
      throw new Error(`${entry.name} in ${this.path} is larger than ${mostEntryBytes} bytes.`);
    const head = await whole(this.#read, entry.offset, 30);
    const begin = entry.offset + 30 + head.readUInt16LE(26) + head.readUInt16LE(28);
    const stored = await whole(this.#read, begin, entry.storedBytes);
    if (entry.method === 0) return stored;
    if (entry.method !== 8)
      throw new Error(`${entry.name} in ${this.path} is packed in a way that is not known here.`);
    return await inflate(stored, { maxOutputLength: mostEntryBytes });
  }
}

async function whole(read: ReadAt, at: number, length: number): Promise<Buffer> {
  const bytes = await read(at, length);
  if (bytes.length < length) throw new Error('The archive is cut off.');
  return bytes;
}
