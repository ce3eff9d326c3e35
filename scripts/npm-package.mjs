// npm run package:npm: the command line as a package for npm, build/btrace-VERSION.tgz, of what is built. Needs npm.
import { existsSync, readdirSync, renameSync, rmdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { bundledPackages } from './bundles.mjs';
import { billName, billOfMaterials, notices, noticesName } from './notices.mjs';
import { copyAgents, copyFiles, homeOf, ownManifest, packageFile, writeManifest } from './package.mjs';
import { run } from './process.mjs';
import { root } from './setup.mjs';
import { words } from './words.mjs';

/** Bundles of the command line, with the workers that it starts. */
const bundles = ['btrace', 'mcp', 'query-worker', 'native-names-worker'].map((name) => `dist/${name}.cjs`);
const readme = 'scripts/npm-readme.md';
/** Texts in other languages; those in English are in the bundles. */
const translations = () =>
  readdirSync(path.join(root, 'l10n'))
    .filter((name) => /^bundle\.l10n\..+\.json$/.test(name))
    .map((name) => `l10n/${name}`);

/** What npm is told. Nothing is installed with it but DuckDB's own library, where there is one for the machine. */
export function npmManifest(repository) {
  const { name, version, description, license, keywords, engines, bin, optionalDependencies } = ownManifest();
  const own = { name, version, description, license, keywords, bin, optionalDependencies };
  return { ...own, engines: { node: engines.node }, type: 'module', ...homeOf(repository) };
}

/** Returns {file, failed}: `failed` says why there is none. */
export async function makeNpmPackage(repository) {
  const file = packageFile('tgz');
  const folder = `${file}.folder`;
  const packages = await bundledPackages(bundles);
  const { text, failed } = notices(packages);
  if (failed) return { failed };
  const legal = bundles
    .map((name) => `${name}.LEGAL.txt`)
    .filter((name) => existsSync(path.join(root, name)));
  const files = [...bundles, ...legal, ...translations(), 'dist/duckdb-eh.wasm', 'LICENSE', readme];
  const missing = files.find((name) => !existsSync(path.join(root, name)));
  if (missing) return { failed: `${missing} is not built: npm run build` };
  copyFiles(files, folder);
  renameSync(path.join(folder, readme), path.join(folder, 'README.md'));
  rmdirSync(path.join(folder, path.dirname(readme)));
  copyAgents(folder);
  writeManifest(folder, npmManifest(repository));
  writeFileSync(path.join(folder, noticesName), text);
  writeFileSync(path.join(folder, billName), billOfMaterials(packages));
  const args = ['pack', '--ignore-scripts', '--pack-destination', path.dirname(file)];
  const { code, error, text: said } = await run('npm', args, { cwd: folder });
  rmSync(folder, { recursive: true });
  return code === 0 ? { file } : { failed: `npm pack: ${error ?? said}` };
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  words(import.meta.url);
  const { file, failed } = await makeNpmPackage();
  console[failed ? 'error' : 'log'](failed ?? path.relative(root, file));
  if (failed) process.exit(1);
}
