/**
 * What a device's runtime keeps of its functions' names for debuggers alone: libart.so exports few of them from Android 15, and has the others
 * packed with xz (`.gnu_debugdata`). An agent cannot unpack them within an app, so they are read here, by ranges of the file.
 */
import type { Adb } from '@yume-chan/adb';
import { Elf, ElfError } from '../../symbols/native/elf.js';
import { packedSymbols } from '../../symbols/native/packed-symbols.js';
import { readDeviceFile } from './device-file.js';
import { shell } from './device-shell.js';

/** Where Android has it: of 11 and newer, of 10, of older ones. */
const folders = ['/apex/com.android.art', '/apex/com.android.runtime', '/system'];
export interface RuntimeFile {
  readonly buildId: string;
  readonly elf: Elf;
}

/** The file of the runtime that apps of this ABI run; undefined where it is not in its place, or does not say which build it is. */
export async function findRuntime(adb: Adb, abi: string): Promise<RuntimeFile | undefined> {
  const files = folders.map((folder) => `${folder}/${abi.includes('64') ? 'lib64' : 'lib'}/libart.so`);
  const { stdout } = await shell(adb, `for f in ${files.join(' ')}; do [ -f $f ] && echo $f && break; done`);
  const file = stdout.trim();
  if (file === '') return undefined;
  const elf = await Elf.open(readDeviceFile(adb, file));
  const buildId = await elf.buildId();
  return buildId === undefined ? undefined : { buildId, elf };
}

/** For the agent (native-agent/rt/art/handed_symbols.h): of the names that it asks for, those that are packed. */
export async function hiddenSymbols({ buildId, elf }: RuntimeFile, agent: Buffer): Promise<string> {
  const lines = [`build-id ${buildId}`];
  // What stands in the file unpacked, the agent reads by itself.
  if ((await elf.section('.symtab')) === undefined)
    try {
      const wanted = new Set(agent.toString('latin1').match(/_ZNK?3art\w+/g));
      for (const [name, value] of await packedFunctions(elf, wanted))
        lines.push(`${value.toString(16)} ${name}`);
    } catch (error) {
      if (!(error instanceof ElfError)) throw error;
      lines.push(`why ${error.message}`);
    }
  return `${lines.join('\n')}\n`;
}

async function packedFunctions(elf: Elf, wanted: Iterable<string>): Promise<Map<string, bigint>> {
  return (await (await packedSymbols(elf))?.functions(wanted)) ?? new Map<string, bigint>();
}
