// npm run build [-- --debug] [--watch]: bundles with esbuild the extension host, its engine worker, the page, its worker and the command line;
// --debug leaves them readable, with maps to the sources; --watch bundles again what changes.
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import path from 'node:path';
import esbuild from 'esbuild';
import { words } from './words.mjs';

const { debug, watch } = words(import.meta.url, { flags: ['debug', 'watch'] });
const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)));
const shared = {
  absWorkingDir: root,
  bundle: true,
  minify: !debug,
  sourcemap: debug,
  legalComments: 'linked',
  logLevel: 'warning',
};
const node = { ...shared, platform: 'node', target: 'node20', format: 'cjs', external: ['vscode'] };
const page = { ...shared, platform: 'browser', target: 'es2022', format: 'iife', loader: { '.css': 'text' } };

const bundles = [
  { ...node, entryPoints: ['src/extension/extension.ts'], outfile: 'dist/extension.cjs' },
  { ...node, entryPoints: ['src/extension/engine-worker.ts'], outfile: 'dist/engine-worker.cjs' },
  {
    ...node,
    entryPoints: ['src/cli/main.ts'],
    outfile: 'dist/btrace.cjs',
    banner: { js: '#!/usr/bin/env node' },
  },
  { ...page, entryPoints: ['src/webview/page.ts'], outfile: 'dist/page.js' },
  { ...page, entryPoints: ['src/webview/engine-worker.ts'], outfile: 'dist/page-worker.js' },
].filter((bundle) => existsSync(path.join(root, bundle.entryPoints[0])));

if (watch) {
  await Promise.all(bundles.map(async (bundle) => (await esbuild.context(bundle)).watch()));
} else {
  await Promise.all(bundles.map((bundle) => esbuild.build(bundle)));
}
