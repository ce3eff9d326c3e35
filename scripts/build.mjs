// npm run build [-- --debug] [--watch]: bundles with esbuild the extension host, its engine worker, the page, its worker and the command line;
// --debug leaves them readable, with maps to the sources; --watch bundles again what changes.
import { copyFileSync, existsSync, mkdirSync, statSync } from 'node:fs';
import path from 'node:path';
import esbuild from 'esbuild';
import { bundles, shippedFiles } from './bundles.mjs';
import { root } from './setup.mjs';
import { words } from './words.mjs';

const { debug, watch } = words(import.meta.url, { flags: ['debug', 'watch'] });

for (const { from, to } of shippedFiles) {
  const [source, target] = [path.join(root, from), path.join(root, to)];
  mkdirSync(path.dirname(target), { recursive: true });
  // 34 MB that seldom change.
  if (!existsSync(target) || statSync(target).size !== statSync(source).size) copyFileSync(source, target);
}

if (watch) {
  await Promise.all(bundles(debug).map(async (bundle) => (await esbuild.context(bundle)).watch()));
} else {
  await Promise.all(bundles(debug).map((bundle) => esbuild.build(bundle)));
}
