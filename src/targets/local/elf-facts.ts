/** The little that is asked of a Linux program or library before anything is loaded into it. */
import type { FileHandle } from 'node:fs/promises';
import { Elf } from '../../symbols/native/elf.js';
import { openRegular, readFile } from '../../symbols/read-at.js';

export interface ElfFacts {
  /** "x64", "arm64" …, as Node names them; the bare number for others. */
  readonly arch: string;
  readonly is64: boolean;
  /** False when the file ends before its section table does: a torn copy. */
  readonly isWhole: boolean;
  readonly sections: ReadonlySet<string>;
}

const machines = new Map([
  [3, 'ia32'],
  [40, 'arm'],
  [62, 'x64'],
  [183, 'arm64'],
  [243, 'riscv64'],
]);

/** Undefined when it is no ELF file, or one of a big-endian machine, which has no agent, or cannot be read. */
export async function readElf(path: string): Promise<ElfFacts | undefined> {
  let file: FileHandle | undefined;
  try {
    file = await openRegular(path);
    const elf = await Elf.open(readFile(file));
    const { machine, is64 } = elf;
    const sections = await elf.sections().catch(() => undefined);
    return {
      arch: machines.get(machine) ?? String(machine),
      is64,
      isWhole: sections !== undefined,
      sections: new Set(sections?.map(({ name }) => name)),
    };
  } catch {
    return undefined;
  } finally {
    await file?.close();
  }
}
