// A third JDK beside the packaged ones: Java 21, as Debian 13 packages it, with the C library that it is linked to.
import {
  existsSync,
  lstatSync,
  readFileSync,
  readdirSync,
  readlinkSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { run } from '../process.mjs';
import { unpackDebian } from './debian.mjs';

const packages = [
  'openjdk-21-jdk-headless',
  'openjdk-21-jre-headless',
  'libc6',
  'libgcc-s1',
  'libstdc++6',
  'zlib1g',
];

const unpacked = (cache) => path.join(cache, 'jdk21-trixie');
const homeOf = (cache) => path.join(unpacked(cache), 'usr/lib/jvm/java-21-openjdk-amd64');
/** The launcher names its loader by its whole path, so a copy of the folder needs one of its own. */
const stamp = (cache) => path.join(homeOf(cache), 'bin/java.for');

export function findJdk21(cache) {
  const made = existsSync(stamp(cache)) ? readFileSync(stamp(cache), 'utf8') : undefined;
  return made === homeOf(cache) ? { at: homeOf(cache) } : undefined;
}

/** Links of the packages lead to `/etc` and `/usr` of the machine: lets them lead into the folder. */
function leadLinksInto(folder, at = folder) {
  for (const name of readdirSync(at)) {
    const file = path.join(at, name);
    const kind = lstatSync(file);
    if (kind.isDirectory()) leadLinksInto(folder, file);
    if (!kind.isSymbolicLink()) continue;
    const to = readlinkSync(file);
    const inside = path.join(folder, to);
    if (!path.isAbsolute(to) || !existsSync(inside)) continue;
    rmSync(file);
    symlinkSync(path.relative(at, inside), file);
  }
}

async function buildLauncher(cache) {
  const home = homeOf(cache);
  const libraries = path.join(unpacked(cache), 'usr/lib/x86_64-linux-gnu');
  const made = path.join(home, 'bin/java.new');
  const options = [
    `-I${home}/include`,
    `-I${home}/include/linux`,
    `-L${home}/lib`,
    '-ljli',
    `-Wl,--dynamic-linker=${libraries}/ld-linux-x86-64.so.2`,
    // For libraries that the JVM loads later on, too, which only the older of the two tags is.
    `-Wl,--disable-new-dtags,-rpath,${home}/lib:${libraries}`,
    // libjli wants functions that this machine's C library lacks.
    '-Wl,--unresolved-symbols=ignore-in-shared-libs',
  ];
  const source = fileURLToPath(new URL('java-launcher.c', import.meta.url));
  const { code, error, text } = await run('gcc', ['-o', made, source, ...options], {});
  if (code !== 0) return `gcc: ${error ?? text.trim()}`;
  renameSync(made, path.join(home, 'bin/java'));
  writeFileSync(stamp(cache), home);
  return undefined;
}

export async function installJdk21(cache, say) {
  if (!existsSync(homeOf(cache))) {
    const failed = await unpackDebian({ suite: 'trixie', packages, to: unpacked(cache) }, say);
    if (failed) return failed;
    leadLinksInto(unpacked(cache));
  }
  return await buildLauncher(cache);
}
