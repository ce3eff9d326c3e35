// npm run package [-- --no-build]: one universal .vsix with the agents that are built, and what each part of it weighs.
import { copyFileSync, cpSync, existsSync, mkdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { buildInApp, inAppJar } from './build-in-app.mjs';
import { run } from './process.mjs';
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

const limitBytes = 4_000_000; // without the agents

/** The file that `npm run package` makes. */
export function packageFile() {
  const { name, version } = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8'));
  return path.join(root, 'build', `${name}-${version}.vsix`);
}

function agentsBuilt() {
  if (process.platform !== 'linux') return [];
  return Object.entries(agents)
    .map(([preset, name]) => ({ name, file: path.join(root, 'build/native', preset, 'libbtrace-agent.so') }))
    .filter(({ file }) => existsSync(file));
}

/** The package is made from a folder of its own: an agents/ folder in the checkout would hide the agent just built. */
async function stage(to, listFiles) {
  rmSync(to, { recursive: true, force: true });
  mkdirSync(to, { recursive: true });
  // 2: no package manager is asked, since what ships is bundled.
  for (const file of ['.vscodeignore', ...(await listFiles({ cwd: root, packageManager: 2 }))]) {
    cpSync(path.join(root, file), path.join(to, file), { recursive: true });
  }
  const libraries = agentsBuilt();
  for (const { name, file } of libraries) {
    const library = path.join(to, 'agents', name, 'libbtrace-agent.so');
    mkdirSync(path.dirname(library), { recursive: true });
    copyFileSync(file, library);
  }
  if (existsSync(inAppJar)) {
    mkdirSync(path.join(to, 'in-app'), { recursive: true });
    copyFileSync(inAppJar, path.join(to, 'in-app/btrace.jar'));
  }
  return libraries.map(({ name }) => name);
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

/** Makes the package. Returns {file, failed}: `failed` says why there is none. */
export async function makePackage(say = () => {}) {
  const { createVSIX, listFiles } = await import('@vscode/vsce');
  const folder = path.join(root, 'build/package');
  const file = packageFile();
  // Without a JDK there is no agent either.
  const withoutJar = find('jdk') ? await buildInApp() : undefined;
  if (withoutJar) return { failed: withoutJar };
  const names = await stage(folder, listFiles);
  // From a folder of its own, vsce must not look for a repository, nor follow links of the README to one.
  await createVSIX({
    cwd: folder,
    packagePath: file,
    dependencies: false,
    allowMissingRepository: true,
    rewriteRelativeLinks: false,
  });
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
