// npm run sample: records the sample program anew, for the recording that comes with the extension, beside the program's sources.
import { copyFileSync, mkdirSync, statSync } from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import { run } from './process.mjs';
import { root } from './setup.mjs';
import { words } from './words.mjs';

words(import.meta.url);

/** All of a few seconds; what ships is downloaded by everybody. */
const seconds = 4;
const mostBytes = 200_000;

const made = path.join(root, 'build/sample');
mkdirSync(made, { recursive: true });
const demo = [path.join(root, 'scripts/demo.mjs'), String(seconds), made];
const { code, error, text } = await run(process.execPath, demo, { cwd: root, limitMs: 10 * 60_000 });
const recording = path.join(made, 'demo.btrace');
if (code !== 0) {
  console.error(`sample: recording failed.\n${error ?? text}`);
  process.exit(1);
}
const { size } = statSync(recording);
if (size > mostBytes) {
  console.error(`sample: ${recording} has ${size} bytes, more than ${mostBytes}.`);
  process.exit(1);
}
copyFileSync(recording, path.join(root, 'media/sample/shop.btrace'));
console.log(`sample: media/sample/shop.btrace has ${size} bytes`);
