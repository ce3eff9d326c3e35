// npm run rig:art: remakes what the rig of the Android Runtime runs, test/rigs/art/dex/*.dex, from the Java sources beside it;
// with --check it says whether that is needed.
// The results are committed, so that only who changes the sources needs a dexer. Debian's last one that takes Java 8 class files
// is bullseye's dalvik-exchange; it is one jar, taken from the machine's own mirror and kept in .cache/.
import { createHash } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import process from 'node:process';
import { run } from './process.mjs';
import { unpackDebian } from './setup/debian.mjs';
import { cache, root, setupOrStop } from './setup.mjs';
import { words } from './words.mjs';

const rig = path.join(root, 'test/rigs/art');
/** What apps may have of ours, which a sample app has. */
const inApp = path.join(root, 'native-agent/in-app');
/** The boot class path of each version: what its libart asks for, where that differs laid over the first. */
const cores = [
  { name: 'core', folders: [path.join(rig, 'core')] },
  { name: 'core14', folders: [path.join(rig, 'core'), path.join(rig, 'core14')] },
];
const sums = path.join(rig, 'dex/SHA256SUMS');
const dexerHome = path.join(cache, 'dalvik-exchange');
const dexer = path.join(dexerHome, 'usr/share/java/com.android.dx-10.0.0.jar');

async function must(command, args, options) {
  const { code, error, text } = await run(command, args, options);
  if (code !== 0) {
    console.error(`${path.basename(command)} failed: ${error ?? `exit code ${code}`}\n${text}`);
    process.exit(1);
  }
  return text;
}

async function fetchDexer() {
  const failed = await unpackDebian(
    { suite: 'bullseye', packages: ['dalvik-exchange'], to: dexerHome },
    (line) => console.log(`fetching the dexer: ${line}`),
  );
  if (!failed) return;
  console.error(
    `There is no dexer (${failed}). Take the package dalvik-exchange of Debian 11 and unpack it to ${dexerHome}.`,
  );
  process.exit(1);
}

function sourcesIn(folder) {
  return readdirSync(folder, { recursive: true })
    .filter((name) => name.endsWith('.java'))
    .sort()
    .map((name) => path.join(folder, name));
}

/** Of the classes in several folders: one in a later folder is taken in place of the one before. */
function laidOver(folders) {
  const found = new Map();
  for (const folder of folders)
    for (const file of sourcesIn(folder)) found.set(path.relative(folder, file), file);
  return [...found.values()];
}

/** javac with nothing but `boot` to compile against: the JDK's own library must not shine through. */
async function compile(jdk, sources, boot, to) {
  const empty = path.join(path.dirname(to), 'empty');
  for (const dir of [to, empty]) mkdirSync(dir, { recursive: true });
  const options = [
    '-g',
    '-nowarn',
    '-proc:none',
    '-source',
    '8',
    '-target',
    '8',
    '-XDignore.symbol.file',
    '-encoding',
    'UTF-8',
  ];
  const paths = ['-bootclasspath', boot ?? empty, '-extdirs', empty, '-cp', empty, '-d', to];
  await must(path.join(jdk, 'bin/javac'), [...options, ...paths, ...sources]);
}

async function dex(jdk, classes, to, ...options) {
  const args = ['-cp', dexer, 'com.android.dx.command.Main', '--dex', '--min-sdk-version=26', ...options];
  await must(path.join(jdk, 'bin/java'), [...args, `--output=${to}`, classes]);
}

/** Of each .dex and of all the sources it was made from. */
function checksums() {
  const sum = (...data) => data.reduce((hash, part) => hash.update(part), createHash('sha256')).digest('hex');
  const lines = [...cores, { name: 'apps', folders: [path.join(rig, 'apps'), inApp] }].flatMap(
    ({ name, folders }) => [
      `${sum(readFileSync(path.join(rig, `dex/${name}.dex`)))}  dex/${name}.dex`,
      `${sum(...folders.flatMap(sourcesIn).flatMap((file) => [path.relative(rig, file), readFileSync(file)]))}  sources of ${name}`,
    ],
  );
  return `${lines.join('\n')}\n`;
}

if (words(import.meta.url, { flags: ['check'] }).check) {
  if (checksums() === readFileSync(sums, 'utf8')) process.exit(0);
  console.error(
    'test/rigs/art/dex is not made from the sources beside it: run npm run rig:art and commit what it makes.',
  );
  process.exit(1);
}

const { jdk } = await setupOrStop(['jdk']);
if (!existsSync(dexer)) await fetchDexer();
const scratch = mkdtempSync(path.join(tmpdir(), 'btrace-rig-art-'));
try {
  mkdirSync(path.join(rig, 'dex'), { recursive: true });
  for (const { name, folders } of cores) {
    await compile(jdk.at, laidOver(folders), undefined, path.join(scratch, name));
    await dex(jdk.at, path.join(scratch, name), path.join(rig, `dex/${name}.dex`), '--core-library');
  }
  const apps = path.join(scratch, 'apps');
  const sources = [path.join(rig, 'apps'), inApp].flatMap(sourcesIn);
  await compile(jdk.at, sources, path.join(scratch, 'core'), apps);
  await dex(jdk.at, apps, path.join(rig, 'dex/apps.dex'));
  writeFileSync(sums, checksums());
} finally {
  rmSync(scratch, { recursive: true, force: true });
}
console.log(`made test/rigs/art/dex: ${[...cores.map(({ name }) => name), 'apps'].join(', ')}`);
