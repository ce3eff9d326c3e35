/** Where the agent's library is: in the installed package, or in a checkout that built it. */
import { createHash } from 'node:crypto';
import { access, chmod, constants, lstat, mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { TargetError } from '../target.js';
import { readElf } from './elf-facts.js';

function libraryName(platform: string): string {
  return platform === 'darwin' ? 'libbtrace-agent.dylib' : 'libbtrace-agent.so';
}

/**
 * The agent for a program of `arch` ("x64", "arm64"; empty: this process's). `roots` are the folders it may be under:
 * the extension's or the package's. Throws a TargetError that names what is there when none fits.
 */
export async function findAgent(
  roots: readonly string[],
  arch: string,
  platform: string = process.platform,
): Promise<string> {
  const wanted = arch || process.arch;
  const name = libraryName(platform);
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

/**
 * Puts the library where a program in another mount namespace can load it, and returns the path as that program sees
 * it. One place for each content: an agent is never unloaded, so a second path would be a second agent in it.
 */
export async function bringAgent(library: string, root: string): Promise<string> {
  const bytes = await readFile(library);
  const name = `agent-${createHash('sha256').update(bytes).digest('hex').slice(0, 16)}.so`;
  const inner = `/tmp/btrace-agent-${process.geteuid?.() ?? 0}`;
  const folder = root + inner;
  await mkdir(folder, { mode: 0o700, recursive: true });
  const found = await lstat(folder);
  if (!found.isDirectory() || found.uid !== process.geteuid?.() || (found.mode & 0o022) !== 0) {
    throw new TargetError(
      'not-permitted',
      `${inner} in the program's container belongs to somebody else.`,
      'Remove that folder there.',
    );
  }
  const file = path.posix.join(folder, name);
  const there = await readFile(file).catch(() => undefined);
  if (there?.equals(bytes) !== true) {
    const partial = `${file}.${process.pid}`;
    await writeFile(partial, bytes, { mode: 0o500 });
    await chmod(partial, 0o500);
    await rename(partial, file);
  }
  return path.posix.join(inner, name);
}
