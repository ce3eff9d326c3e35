/**
 * The Android Runtime as newer phones have it: the functions that the agent asks for are not exported, and stand in the packed debug information
 * alone, if there. Made from the one of this machine.
 */
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { Elf } from '../../../src/symbols/native/elf.js';
import { readFrom } from '../../../src/symbols/read-at.js';
import { elfFile, type ElfSymbol, withSection, withSymbols } from '../elf-file.js';
import { agentLibrary } from './record.js';
import type { ArtRuntime } from './runtime.js';

const symbolBytes = 24;
const functionType = 2;

/** By the program that builds of Android use, with their options. */
export async function packed(bytes: Buffer): Promise<Buffer> {
  const child = execFile('xz', ['--stdout', '--block-size=64k', '--threads=0'], { encoding: 'buffer' });
  const pieces: Buffer[] = [];
  child.stdout?.on('data', (piece: Buffer) => pieces.push(piece));
  child.stdin?.end(bytes);
  const [code] = (await once(child, 'close')) as [number];
  if (code !== 0) throw new Error('xz did not pack it');
  return Buffer.concat(pieces);
}

/** `debugData` makes the section of the functions that were hidden; default: as it is on a phone. */
export async function hiddenRuntime(
  runtime: ArtRuntime,
  folder: string,
  debugData: (functions: readonly ElfSymbol[]) => Promise<Buffer> = (functions) => packed(elfFile(functions)),
): Promise<ArtRuntime> {
  return remade(runtime, folder, async (library) => {
    const functions = await hideWanted(library);
    return withSection(library, '.gnu_debugdata', await debugData(functions));
  });
}

/** As phones are up to Android 14: not all is exported, but the file has its full table of symbols. */
export function runtimeWithFullTable(runtime: ArtRuntime, folder: string): Promise<ArtRuntime> {
  return remade(runtime, folder, async (library) => withSymbols(library, await hideWanted(library)));
}

async function remade(
  runtime: ArtRuntime,
  folder: string,
  change: (library: Buffer) => Promise<Buffer>,
): Promise<ArtRuntime> {
  const name = 'libart.so.0';
  await writeFile(path.join(folder, name), await change(await readFile(path.join(runtime.libart, name))));
  return { ...runtime, libart: folder };
}

/** All that the agent asks for. */
async function hideWanted(library: Buffer): Promise<ElfSymbol[]> {
  const wanted = new Set((await readFile(agentLibrary, 'latin1')).match(/_ZNK?3art\w+/g));
  return hide(library, (name) => wanted.has(name));
}

/** One that has not even packed what it hides. */
export async function runtimeWithout(
  functions: RegExp,
  runtime: ArtRuntime,
  folder: string,
): Promise<ArtRuntime> {
  return remade(runtime, folder, async (library) => {
    await hide(library, (symbol) => functions.test(symbol));
    return library;
  });
}

/** One in which the first of these functions is what the second does: it goes by its name, and is not what it was. */
export async function runtimeWhere(
  { name, does }: { readonly name: string; readonly does: string },
  runtime: ArtRuntime,
  folder: string,
): Promise<ArtRuntime> {
  return remade(runtime, folder, async (library) => {
    const rows = new Map<string, number>();
    await eachSymbol(library, (symbol, at) => rows.set(symbol, at));
    const [to, from] = [rows.get(name), rows.get(does)];
    if (to === undefined || from === undefined) throw new Error('this library has no such functions');
    library.copy(library, to + 8, from + 8, from + 16);
    return library;
  });
}

/** Takes the first letter from their names. Nothing else refers to them by name: the library is linked to its own. */
async function hide(library: Buffer, isWanted: (name: string) => boolean): Promise<ElfSymbol[]> {
  const hidden: ElfSymbol[] = [];
  await eachSymbol(library, (name, at) => {
    if (!isWanted(name)) return;
    hidden.push({ name, start: Number(library.readBigUInt64LE(at + 8)) });
    library.writeUInt32LE(library.readUInt32LE(at) + 1, at);
  });
  return hidden;
}

/** The functions that it exports, by name, and where each has its row. */
async function eachSymbol(library: Buffer, see: (name: string, at: number) => void): Promise<void> {
  const elf = await Elf.open(readFrom(library));
  const table = await elf.section('.dynsym');
  const names = await elf.section('.dynstr');
  if (!table || !names) throw new Error('this library exports nothing');
  for (let at = table.offset; at < table.offset + table.size; at += symbolBytes) {
    const from = names.offset + library.readUInt32LE(at);
    if ((library.readUInt8(at + 4) & 15) === functionType)
      see(library.toString('latin1', from, library.indexOf(0, from)), at);
  }
}
