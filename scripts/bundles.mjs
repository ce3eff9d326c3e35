// The bundles that ship, and the packages whose code is in them.
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import esbuild from 'esbuild';
import { root } from './setup.mjs';

/** What esbuild is told of each bundle. `debug` leaves them readable, with maps to the sources. */
export function bundles(debug = false) {
  const shared = {
    absWorkingDir: root,
    bundle: true,
    minify: !debug,
    sourcemap: debug,
    legalComments: 'linked',
    logLevel: 'warning',
  };
  const node = { ...shared, platform: 'node', target: 'node20', format: 'cjs', external: ['vscode'] };
  const page = {
    ...shared,
    platform: 'browser',
    target: 'es2022',
    format: 'iife',
    loader: { '.css': 'text' },
  };
  return [
    { ...node, entryPoints: ['src/extension/extension.ts'], outfile: 'dist/extension.cjs' },
    {
      // A browser has no Node: an import of it fails here, as any that is not there.
      ...node,
      ...{ platform: 'browser', target: 'es2022' },
      entryPoints: ['src/extension/web.ts'],
      outfile: 'dist/extension-web.cjs',
    },
    { ...node, entryPoints: ['src/extension/engine-worker.ts'], outfile: 'dist/engine-worker.cjs' },
    { ...node, entryPoints: ['src/extension/tools-worker.ts'], outfile: 'dist/tools-worker.cjs' },
    {
      ...node,
      entryPoints: ['src/cli/main.ts'],
      outfile: 'dist/btrace.cjs',
      banner: { js: '#!/usr/bin/env node' },
    },
    { ...node, entryPoints: ['src/cli/mcp/server.ts'], outfile: 'dist/mcp.cjs' },
    {
      ...node,
      entryPoints: ['src/query/query-worker.ts'],
      outfile: 'dist/query-worker.cjs',
      // One Arrow for DuckDB and us. The other two only make WebSockets faster, of which there are none.
      alias: { 'apache-arrow': './node_modules/apache-arrow/Arrow.node.js' },
      external: [...node.external, 'bufferutil', 'utf-8-validate'],
    },
    {
      ...node,
      entryPoints: ['src/targets/session/native-names-worker.ts'],
      outfile: 'dist/native-names-worker.cjs',
    },
    { ...page, entryPoints: ['src/webview/page.ts'], outfile: 'dist/page.js' },
    { ...page, entryPoints: ['src/webview/engine-worker.ts'], outfile: 'dist/page-worker.js' },
  ].filter((bundle) => existsSync(path.join(root, bundle.entryPoints[0])));
}

/** Files of packages that ship beside the bundles, as they are. */
export const shippedFiles = [
  { from: 'node_modules/@duckdb/duckdb-wasm/dist/duckdb-eh.wasm', to: 'dist/duckdb-eh.wasm' },
];

/** The folder of the package that a file lies in, "node_modules/a/node_modules/@b/c"; undefined for a file of ours. */
export function packageFolder(file) {
  return /^(?:.*\/)?node_modules\/(?:@[^/]+\/)?[^/]+(?=\/)/.exec(file)?.[0];
}

/**
 * Each package that has code in a bundle: {folder, name, version, manifest}, by name. Bundles anew, without writing, so that it says
 * what is true of the sources. Takes about a second. `files`: of these bundles alone.
 */
export async function bundledPackages(files) {
  const made = await Promise.all(
    bundles()
      .filter(({ outfile }) => files === undefined || files.includes(outfile))
      .map((bundle) => esbuild.build({ ...bundle, write: false, metafile: true })),
  );
  const folders = new Set();
  for (const { metafile } of made)
    for (const { inputs } of Object.values(metafile.outputs))
      for (const [file, { bytesInOutput }] of Object.entries(inputs)) {
        const folder = packageFolder(file);
        if (folder !== undefined && bytesInOutput > 0) folders.add(folder);
      }
  return [...folders]
    .map((folder) => {
      const manifest = JSON.parse(readFileSync(path.join(root, folder, 'package.json'), 'utf8'));
      return { folder, name: manifest.name, version: manifest.version, manifest };
    })
    .sort((a, b) => (a.folder < b.folder ? -1 : 1));
}
