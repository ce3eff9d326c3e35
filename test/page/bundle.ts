/** A bundle as scripts/build.mjs makes it, in memory. */
import { fileURLToPath } from 'node:url';
import path from 'node:path';
import esbuild from 'esbuild';

const root = path.dirname(path.dirname(path.dirname(fileURLToPath(import.meta.url))));

export async function bundle(entry: string): Promise<string> {
  const built = await esbuild.build({
    absWorkingDir: root,
    entryPoints: [entry],
    bundle: true,
    write: false,
    minify: true,
    format: 'iife',
    platform: 'browser',
    target: 'es2022',
    loader: { '.css': 'text' },
  });
  return built.outputFiles[0]!.text;
}
