/** Where the agent's library is: in the installed package, or in a checkout that built it. */
import { createHash, randomBytes } from 'node:crypto';
import { access, constants, rename } from 'node:fs/promises';
import path from 'node:path';
import { readRegular } from '../../symbols/read-at.js';
import { SharedFolder } from '../shared-folder.js';
import { TargetError } from '../target.js';
import { readElf } from './elf-facts.js';

/** It has some 400 kB. */
const mostLibraryBytes = 64 * 2 ** 20;

/** Of programs that run in a JVM, and of those without a runtime. */
export type AgentFamily = 'agent' | 'native';

function libraryName(platform: string, family: AgentFamily): string {
  return `libbtrace-${family}.${platform === 'darwin' ? 'dylib' : 'so'}`;
}

/**
 * The agent for a program of `arch` ("x64", "arm64"; empty: this process's). `roots` are the folders it may be under:
 * the extension's or the package's. Throws a TargetError that names what is there when none fits.
 */
export async function findAgent(
  roots: readonly string[],
  arch: string,
  platform: string = process.platform,
  family: AgentFamily = 'agent',
): Promise<string> {
  const wanted = arch || process.arch;
  const name = libraryName(platform, family);
  const looked: string[] = [];
  const unfit: string[] = [];
  for (const root of roots) {
    for (const folder of [
      path.join('agents', `${platform}-${wanted}`),
      path.join('build', 'native', 'host'),
    ]) {
      const file = path.join(root, folder, name);
      looked.push(file);
      try {
        await access(file, constants.R_OK);
      } catch {
        continue;
      }
      if (platform !== 'linux') return file;
      const elf = await readElf(file);
      // A program that loads a torn library dies of it, when it touches a page that the file does not have.
      if (elf && !elf.isWhole) {
        unfit.push(`${file} is cut short`);
        continue;
      }
      if (elf?.arch === wanted && elf.is64) return file;
      unfit.push(`${file} is ${elf ? `for ${elf.arch}` : 'not a library'}`);
    }
  }
  throw new TargetError(
    'agent-missing',
    `There is no agent for ${platform}-${wanted} programs. ${unfit.length > 0 ? unfit.join('; ') : `Looked for ${looked.join(', ')}`}.`,
    'Install a package of BTrace for this platform; in a checkout, build the agent with: npm run setup && node scripts/build-agent.mjs',
  );
}

/** By a file's name, as `findAgent` and `bringAgent` give it; it may be deleted by now. */
export const isAgent = (file: string): boolean =>
  /\/(?:libbtrace-\w+|agent-[0-9a-f]{16})\.so(?: \(deleted\))?$/.test(file);

/**
 * Puts the library where a program in another mount namespace can load it, and returns the path as that program sees
 * it. One place for each content: an agent is never unloaded, so a second path would be a second agent in it.
 */
export async function bringAgent(library: string, root: string): Promise<string> {
  const bytes = await readRegular(library, mostLibraryBytes);
  const name = `agent-${createHash('sha256').update(bytes).digest('hex').slice(0, 16)}.so`;
  const temporary = await SharedFolder.open(root, '/tmp');
  try {
    // Who can swap the folder's name makes the program load another library.
    if (!temporary.keepsNames)
      throw new TargetError(
        'not-permitted',
        `Other users can replace files of yours in ${temporary.path}, so the agent is not put there.`,
        `Make the folder root's, with the sticky bit: chown 0:0 /tmp && chmod 1777 /tmp`,
      );
    const folderName = `btrace-agent-${process.geteuid?.() ?? 0}`;
    const folder = await temporary.ownFolder(folderName);
    try {
      await bring(folder, name, bytes);
    } finally {
      await folder.close();
    }
    return path.posix.join('/tmp', folderName, name);
  } finally {
    await temporary.close();
  }
}

/** Nobody but this user writes to `folder`; several desktops of this user may do so at once. */
async function bring(folder: SharedFolder, name: string, bytes: Buffer): Promise<void> {
  const there = await folder.readFileOf(process.geteuid?.() ?? 0, name, bytes.length + 1);
  if (there?.equals(bytes) === true) return;
  const partial = `${name}.${randomBytes(4).toString('hex')}`;
  const file = await folder.create(partial, 0o500);
  try {
    await file.writeFile(bytes);
    await file.chmod(0o500);
    await file.close();
    await rename(folder.at(partial), folder.at(name));
  } catch (error) {
    await file.close();
    await folder.remove(partial);
    throw error;
  }
}
