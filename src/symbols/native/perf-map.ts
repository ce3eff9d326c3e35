/**
 * Names of code that a program makes as it runs, from the file in which compilers at run time tell them for Linux's perf: V8
 * (`--perf-basic-prof`), CPython (`-X perf`), .NET (`DOTNET_PerfMapEnabled`) and others. It grows while the program runs.
 */
import type { FileHandle } from 'node:fs/promises';
import { openRegular, readFile } from '../read-at.js';
import { lastUpTo } from './first-from.js';

export interface PerfMapOwner {
  /** As the program itself knows it, which may be in a container. */
  readonly innerPid: number;
  /** Anyone may write into the shared folder: another user's file is not believed. */
  readonly uid: number;
  /** What stands before a path to reach the program's file. */
  readonly root: string;
}

/** Of a program that we started. */
export function ownPerfMap(pid: number): PerfMapOwner {
  return { innerPid: pid, uid: process.getuid?.() ?? 0, root: '' };
}

export interface RuntimeFunction {
  readonly start: number;
  readonly name: string;
  /** Empty: not told. */
  readonly file: string;
  /** From 1; 0: not told. */
  readonly line: number;
}

interface Entry {
  readonly start: number;
  readonly end: number;
  readonly name: string;
}

/** What is beyond has no names. */
const mostBytes = 1 << 28;
const pieceBytes = 1 << 20;
const longestLine = 4096;
/** Some 200 MB, beside the text that their names are parts of; the functions of the largest programs are a tenth of it. */
const mostEntries = 1 << 20;
/** Code is replaced by other code: how many entries that begin before an address are looked at. */
const mostOverlaps = 8;

export class PerfMap {
  readonly #owner: PerfMapOwner;
  #readBytes = 0;
  readonly #decoder = new TextDecoder();
  #rest = '';
  /** Of one place the latest alone. */
  readonly #byStart = new Map<number, Entry>();
  /** By where they begin. */
  #entries: readonly Entry[] = [];
  #starts = new Float64Array();
  #isSorted = true;

  constructor(owner: PerfMapOwner) {
    this.#owner = owner;
  }

  /** In the addresses' order; undefined where no code is known. Never throws for what the file holds. */
  async find(addresses: readonly number[]): Promise<(RuntimeFunction | undefined)[]> {
    await this.#readMore();
    return addresses.map((address) => this.#at(address));
  }

  async #readMore(): Promise<void> {
    const { root, innerPid, uid } = this.#owner;
    let file: FileHandle | undefined;
    try {
      file = await openRegular(`${root}/tmp/perf-${innerPid}.map`, 0, (found) => found.uid === uid);
      for (;;) {
        const bytes = await readFile(file)(
          this.#readBytes,
          Math.min(pieceBytes, mostBytes - this.#readBytes),
        );
        if (bytes.length === 0) break;
        this.#readBytes += bytes.length;
        this.#add(this.#rest + this.#decoder.decode(bytes, { stream: true }));
      }
    } catch {
      // It has none, or none that can be read.
    } finally {
      await file?.close();
    }
    if (this.#isSorted) return;
    this.#entries = [...this.#byStart.values()].sort((a, b) => a.start - b.start);
    this.#starts = Float64Array.from(this.#entries, ({ start }) => start);
    this.#isSorted = true;
  }

  /** Line by line: the lines of a piece may be a million. */
  #add(text: string): void {
    let begin = 0;
    for (let end; (end = text.indexOf('\n', begin)) >= 0; begin = end + 1) {
      const entry = entryOf(text.slice(begin, Math.min(end, begin + longestLine)));
      if (entry === undefined) continue;
      if (this.#byStart.size >= mostEntries && !this.#byStart.has(entry.start)) continue;
      this.#byStart.set(entry.start, entry);
      this.#isSorted = false;
    }
    this.#rest = text.slice(begin, begin + longestLine);
  }

  #at(address: number): RuntimeFunction | undefined {
    const last = lastUpTo(this.#starts, address);
    for (let at = last; at >= 0 && at > last - mostOverlaps; at--) {
      const { start, end, name } = this.#entries[at] as Entry;
      if (address < end) return { start, ...sourceOf(name) };
    }
    return undefined;
  }
}

/** "START SIZE name", both in hexadecimal. */
function entryOf(line: string): Entry | undefined {
  const found = /^(?:0x)?([0-9a-fA-F]{1,13}) (?:0x)?([0-9a-fA-F]{1,13}) (\S.*)$/.exec(line);
  if (found === null) return undefined;
  const [, start = '', size = '', name = ''] = found;
  const begin = parseInt(start, 16);
  const bytes = parseInt(size, 16);
  return bytes === 0 ? undefined : { start: begin, end: begin + bytes, name };
}

/** The source that the name tells: "JS:*fib /srv/app.js:3:12" of V8, "py::work:/srv/app.py" of CPython. */
function sourceOf(told: string): Omit<RuntimeFunction, 'start'> {
  if (told.startsWith('py::')) {
    const at = told.indexOf(':', 4);
    if (at > 4) return { name: told.slice(4, at), file: told.slice(at + 1), line: 0 };
  }
  const script = /^(?:JS|Script|Eval|Function|LazyCompile):[~^+*]?/.exec(told)?.[0];
  if (script === undefined) return { name: told, file: '', line: 0 };
  const words = told.slice(script.length);
  const space = words.indexOf(' ');
  const name = words.slice(0, Math.max(space, 0)) || '(anonymous)';
  const place = words.slice(space + 1);
  const column = place.lastIndexOf(':');
  const line = place.lastIndexOf(':', column - 1);
  if (line <= 0) return { name: words || told, file: '', line: 0 };
  const number = Number(place.slice(line + 1, column));
  return { name, file: pathOf(place.slice(0, line)), line: isLine(number) ? number : 0 };
}

/** A recording has no others, and a chunk of names with another one cannot be read. */
const isLine = (number: number): boolean => Number.isInteger(number) && number > 0 && number < 2 ** 31;

function pathOf(url: string): string {
  if (!url.startsWith('file://')) return url;
  try {
    return decodeURIComponent(url.slice('file://'.length));
  } catch {
    return url.slice('file://'.length);
  }
}
