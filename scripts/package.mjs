// npm run package [-- --no-build]: one universal .vsix with the agents that are built, and what each part of it weighs.
import {
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { buildInApp, inAppJar } from './build-in-app.mjs';
import { bundledPackages } from './bundles.mjs';
import { billName, billOfMaterials, notices, noticesName } from './notices.mjs';
import { run } from './process.mjs';
import { withSameBytes } from './same-bytes.mjs';
import { find, root } from './setup.mjs';
import { words } from './words.mjs';

/** Where each agent is built, and what the package calls it: the names that findAgent() looks for. */
const agents = {
  host: `linux-${process.arch}`,
  'linux-x64': 'linux-x64',
  'linux-arm64': 'linux-arm64',
  'android-arm64': 'android-arm64',
  'android-x86_64': 'android-x86_64',
  'android-armv7': 'android-armv7',
};

// Without the agents. DuckDB's WebAssembly takes 8 MB of it.
const limitBytes = 13_000_000;

export const ownManifest = () => JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8'));

/** Where a package is made: what `npm run package` makes is a vsix. */
export function packageFile(ending = 'vsix') {
  const { name, version } = ownManifest();
  return path.join(root, 'build', `${name}-${version}.${ending}`);
}

function agentsBuilt() {
  if (process.platform !== 'linux') return [];
  return Object.entries(agents)
    .map(([preset, name]) => ({ name, file: path.join(root, 'build/native', preset, 'libbtrace-agent.so') }))
    .filter(({ file }) => existsSync(file));
}

/** Names of agents that a release has to have and that are not built. */
export function missingAgents() {
  const built = new Set(agentsBuilt().map(({ name }) => name));
  return [...new Set(Object.values(agents))].filter((name) => !built.has(name));
}

/** Files of the checkout, under their own names, in a folder made for them. */
export function copyFiles(files, to) {
  rmSync(to, { recursive: true, force: true });
  mkdirSync(to, { recursive: true });
  for (const file of files) cpSync(path.join(root, file), path.join(to, file), { recursive: true });
}

/** What records and is recorded with. Returns the names of the agents. */
export function copyAgents(to) {
  const libraries = agentsBuilt();
  for (const { name, file } of libraries) {
    const library = path.join(to, 'agents', name, 'libbtrace-agent.so');
    mkdirSync(path.dirname(library), { recursive: true });
    copyFileSync(file, library);
    for (const other of ['libbtrace-native.so', 'btrace-external']) {
      const built = path.join(path.dirname(file), other);
      if (existsSync(built)) copyFileSync(built, path.join(path.dirname(library), other));
    }
  }
  const inApp = path.join(to, 'in-app');
  mkdirSync(inApp, { recursive: true });
  // What programs in C are built with, which take libbtrace-native.so of their machine's agents.
  copyFileSync(path.join(root, 'native-agent/in-app/btrace.h'), path.join(inApp, 'btrace.h'));
  if (existsSync(inAppJar)) copyFileSync(inAppJar, path.join(inApp, 'btrace.jar'));
  return libraries.map(({ name }) => name);
}

export function writeManifest(folder, manifest) {
  writeFileSync(path.join(folder, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`);
}

/** [{name, bytes}] as they lie in the file, compressed: read from the zip's central directory. */
function entries(file) {
  const bytes = readFileSync(file);
  const end = bytes.lastIndexOf(Buffer.from('PK\x05\x06', 'latin1'));
  const found = [];
  for (let at = bytes.readUInt32LE(end + 16), left = bytes.readUInt16LE(end + 10); left > 0; left--) {
    const [nameLength, extra, comment] = [28, 30, 32].map((field) => bytes.readUInt16LE(at + field));
    const name = bytes.toString('utf8', at + 46, at + 46 + nameLength).replace(/^extension\//, '');
    found.push({ name, bytes: bytes.readUInt32LE(at + 20) });
    at += 46 + nameLength + extra + comment;
  }
  return found;
}

/** What a manifest says of where its sources are, such as https://example.org/a/b. */
export const homeOf = (repository) =>
  repository === undefined
    ? {}
    : {
        repository: { type: 'git', url: `git+${repository}.git` },
        homepage: `${repository}#readme`,
        bugs: { url: `${repository}/issues` },
      };

/**
 * The names at the top of the checkout that a line of .vscodeignore lets in, or something below them. Of these vsce chooses the files by
 * all of its lines; of the whole checkout it would try each file, of the caches too, on each line.
 */
function mayShip() {
  const lines = readFileSync(path.join(root, '.vscodeignore'), 'utf8').split('\n');
  const tops = lines.filter((line) => line.startsWith('!')).map((line) => line.slice(1).split('/')[0]);
  const patterns = tops.map((top) => new RegExp(`^${top.replaceAll('.', '\\.').replaceAll('*', '.*')}$`));
  return readdirSync(root).filter((name) => patterns.some((pattern) => pattern.test(name)));
}

/**
 * Makes the package: from the same files, the same bytes. Returns {file, failed}: `failed` says why there is none. A release has a
 * `repository`, and may be a `preRelease`.
 */
export async function makePackage(
  say = () => {},
  file = packageFile(),
  { repository, preRelease = false } = {},
) {
  const { createVSIX } = await import('@vscode/vsce');
  const folder = `${file}.folder`;
  // Without a JDK there is no agent either.
  const withoutJar = find('jdk') ? await buildInApp() : undefined;
  if (withoutJar) return { failed: withoutJar };
  const packages = await bundledPackages();
  const { text, failed } = notices(packages);
  if (failed) return { failed };
  // From a folder of its own: an agents/ folder in the checkout would hide the agent just built.
  copyFiles(['.vscodeignore', ...mayShip()], folder);
  const names = copyAgents(folder);
  if (repository !== undefined) writeManifest(folder, { ...ownManifest(), ...homeOf(repository) });
  writeFileSync(path.join(folder, noticesName), text);
  writeFileSync(path.join(folder, billName), billOfMaterials(packages));
  // Without a repository links of the README have nowhere to lead; with one they lead to what was released.
  const at = `v${ownManifest().version}`;
  const links = { baseContentUrl: `${repository}/blob/${at}`, baseImagesUrl: `${repository}/raw/${at}` };
  await createVSIX({
    cwd: folder,
    packagePath: file,
    dependencies: false,
    preRelease,
    allowMissingRepository: true,
    rewriteRelativeLinks: repository !== undefined,
    ...(repository !== undefined && links),
  });
  writeFileSync(file, withSameBytes(readFileSync(file), ['/btrace-external']));
  rmSync(folder, { recursive: true });
  const all = entries(file);
  const weigh = (isOne) => all.filter(({ name }) => isOne(name)).reduce((sum, { bytes }) => sum + bytes, 0);
  const kilobytes = (bytes) => `${(bytes / 1000).toFixed(1).padStart(9)} kB`;
  for (const { name, bytes } of all.filter(({ name }) => /^(dist|agents|in-app)\//.test(name)))
    say(`${kilobytes(bytes)}  ${name}`);
  const agentBytes = weigh((name) => name.startsWith('agents/'));
  const total = statSync(file).size;
  say(`${kilobytes(weigh((name) => !/^(dist|agents|in-app)\//.test(name)))}  the rest`);
  say(
    `${kilobytes(total)}  ${path.relative(root, file)}, agents for ${names.join(', ') || 'nothing: none is built'}`,
  );
  if (total - agentBytes > limitBytes)
    return { failed: `without agents the package has ${total - agentBytes} bytes, over ${limitBytes}` };
  return { file };
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { 'no-build': built } = words(import.meta.url, { flags: ['no-build'] });
  // Without compilers for other machines there are no agents for them, and what is listed at the end says so.
  const steps = built ? [] : [['build.mjs'], ['build-agent.mjs', '--all']];
  for (const [script, ...args] of steps) {
    const { code } = await run(process.execPath, [path.join(root, 'scripts', script), ...args], {
      cwd: root,
      output: 'show',
    });
    if (code !== 0) process.exit(1);
  }
  const { failed } = await makePackage((line) => console.log(line));
  if (failed) {
    console.error(failed);
    process.exit(1);
  }
}
