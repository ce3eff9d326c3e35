/** The little that is asked of a Linux program or library before anything is loaded into it. */
import { open, type FileHandle } from 'node:fs/promises';

export interface ElfFacts {
  /** "x64", "arm64" …, as Node names them; the bare number for others. */
  readonly arch: string;
  readonly is64: boolean;
  /** False when the file ends before its section table does, which linkers put last: a torn copy. Known of 64-bit files. */
  readonly isWhole: boolean;
  readonly sections: ReadonlySet<string>;
}

const MACHINES = new Map([
  [3, 'ia32'],
  [40, 'arm'],
  [62, 'x64'],
  [183, 'arm64'],
  [243, 'riscv64'],
]);

async function readAt(file: FileHandle, at: number, length: number): Promise<Buffer> {
  const bytes = Buffer.alloc(length);
  const { bytesRead } = await file.read(bytes, 0, length, at);
  return bytes.subarray(0, bytesRead);
}

/** Undefined when it is no ELF file or cannot be read. Reads the header and the section names: a few kB of any size of file. */
export async function readElf(path: string): Promise<ElfFacts | undefined> {
  let file: FileHandle | undefined;
  try {
    file = await open(path);
    const head = await readAt(file, 0, 64);
    if (head.length < 64 || head.readUInt32BE(0) !== 0x7f454c46) return undefined;
    const is64 = head[4] === 2;
    if (head[5] !== 1) return undefined; // big-endian machines have no agent
    const machine = head.readUInt16LE(18);
    const arch = MACHINES.get(machine) ?? String(machine);
    if (!is64) return { arch, is64, isWhole: true, sections: new Set() };
    const sectionsEnd = Number(head.readBigUInt64LE(40)) + head.readUInt16LE(58) * head.readUInt16LE(60);
    const isWhole = (await file.stat()).size >= sectionsEnd;
    return { arch, is64, isWhole, sections: isWhole ? await sectionNames(file, head) : new Set() };
  } catch {
    return undefined;
  } finally {
    await file?.close();
  }
}

async function sectionNames(file: FileHandle, head: Buffer): Promise<Set<string>> {
  const names = new Set<string>();
  const size = head.readUInt16LE(58);
  const count = head.readUInt16LE(60);
  const nameIndex = head.readUInt16LE(62);
  if (size !== 64 || nameIndex >= count) return names;
  const headers = await readAt(file, Number(head.readBigUInt64LE(40)), size * count);
  if (headers.length < size * count) return names;
  const at = Number(headers.readBigUInt64LE(nameIndex * size + 24));
  const table = await readAt(
    file,
    at,
    Math.min(Number(headers.readBigUInt64LE(nameIndex * size + 32)), 1 << 20),
  );
  for (let i = 0; i < count; i++) {
    const from = headers.readUInt32LE(i * size);
    const end = table.indexOf(0, from);
    if (end > from) names.add(table.toString('latin1', from, end));
  }
  return names;
}
