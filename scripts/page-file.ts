/**
 * Writes the page with a recording inside as one file that opens in any browser, from the bundles in dist/.
 *   node --import tsx scripts/page-file.ts RECORDING OUTPUT
 */
import { randomBytes } from 'node:crypto';
import { closeSync, openSync, readFileSync, readSync, writeSync } from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import { standAloneHtml, standAlonePieceBytes } from '../src/protocol/page-html.js';
import { root } from './setup.mjs';

function* base64Pieces(file: string): Generator<string> {
  const from = openSync(file, 'r');
  const piece = Buffer.alloc(standAlonePieceBytes);
  for (let read; (read = readSync(from, piece)) > 0;) yield piece.toString('base64', 0, read);
  closeSync(from);
}

const [recording, output] = process.argv.slice(2);
if (recording === undefined || output === undefined) {
  console.error('Usage: page-file.ts RECORDING OUTPUT');
  process.exit(2);
}
const bundle = (name: string) => readFileSync(path.join(root, 'dist', name), 'utf8');
const to = openSync(output, 'w', 0o600);
for await (const part of standAloneHtml({
  name: path.basename(recording),
  script: bundle('page.js'),
  worker: bundle('page-worker.js'),
  nonce: randomBytes(24).toString('base64'),
  settings: { myPackages: [], texts: {} },
  withoutScript: 'This page holds a recording of BTrace and draws it itself. Allow it to run its script.',
  data: base64Pieces(recording),
})) {
  writeSync(to, part);
}
closeSync(to);
