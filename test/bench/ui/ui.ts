// npm run bench:ui [-- --quick] [SIZE …]: the page alone against speedscope, same content, same browser, same run. Sizes
// are 100k, 1M and 5M; the machine is kept for shorter when they are measured one by one.
//
// Content is that of the engine's bench: 8 threads, a sample about each millisecond, stacks about 40 deep, none merged, so
// that there are about two calls for each sample, as in a real program. speedscope gets the same calls in its own format.
// One line a figure: `bench NAME VALUE UNIT target >=T ok|short`, or `-` where there is no target.
import { mkdtempSync, openSync, closeSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { words } from '../../../scripts/words.mjs';
import { writeSpeedscope } from '../../../src/trace/formats/speedscope-export.js';
import { decodeRecording, synthesize } from '../../../src/trace/index.js';
import { isQuick, say } from '../figure.js';
import { measureBarePaint, measurePage } from './measure-page.js';
import type { Phases } from './measure-page.js';
import { measureSpeedscope } from './measure-speedscope.js';
import { measureVSCode } from './measure-vscode.js';
import { median, restMs } from './browser.js';

export interface Measured {
  readonly openMs: number;
  readonly memoryBytes: number;
  readonly frameP95Ms: number;
}

const { names: sizes } = words(import.meta.url, { flags: ['quick'], names: ['100k', '1M', '5M'] });
const wants = (size: string): boolean => sizes.length === 0 || sizes.includes(size);
const frames = isQuick ? 48 : 120;
const runs = isQuick ? 1 : 3;
const folder = mkdtempSync(path.join(tmpdir(), 'btrace-bench-'));

async function recording(samples: number): Promise<Buffer> {
  const parts: Uint8Array[] = [];
  const write = (bytes: Uint8Array): Promise<void> => Promise.resolve(void parts.push(bytes.slice()));
  await synthesize({ write }, { samples, merge: false });
  return Buffer.concat(parts);
}

function forSpeedscope(bytes: Buffer, name: string): string {
  const file = path.join(folder, `${name}.speedscope.json`);
  const handle = openSync(file, 'w');
  writeSpeedscope(decodeRecording(bytes).trace(), (piece) => void writeSync(handle, piece));
  closeSync(handle);
  return file;
}

async function ours(name: string, bytes: Buffer, times: number): Promise<Measured> {
  const all: (Measured & Phases)[] = [];
  for (let run = 0; run < times; run++) all.push(await measurePage(bytes, frames, restMs));
  const middle = (pick: (one: Measured & Phases) => number): number => median(all.map(pick));
  const openMs = middle((one) => one.openMs);
  const memoryBytes = middle((one) => one.memoryBytes);
  say(`ui.open.${name}`, openMs, 'ms');
  say(
    `ui.open.${name}.columns`,
    middle((one) => one.columnsMs),
    'ms',
  );
  say(
    `ui.open.${name}.draw`,
    middle((one) => one.drawMs),
    'ms',
  );
  say(
    `ui.open.${name}.paint`,
    middle((one) => one.paintMs),
    'ms',
  );
  say(
    `ui.open.${name}.whole`,
    middle((one) => one.wholeMs),
    'ms',
  );
  // Bytes that come the moment the page is ready meet one that still compiles itself.
  say(`ui.open.${name}.at-once`, (await measurePage(bytes, 1, 0)).openMs, 'ms');
  say(`ui.memory.${name}`, memoryBytes / 1e6, 'MB');
  return { openMs, memoryBytes, frameP95Ms: middle((one) => one.frameP95Ms) };
}

async function compare(name: string, samples: number, least: number, bare: number): Promise<Measured> {
  const bytes = await recording(samples);
  const page = await ours(name, bytes, runs);
  const inVSCode = await measureVSCode(bytes, folder);
  if (inVSCode === undefined) console.error('ui.open.in-vscode is left out: run npm run package first');
  else {
    say(`ui.open.${name}.in-vscode`, inVSCode.openMs, 'ms');
    say(`ui.open.${name}.in-vscode.page`, inVSCode.pageMs, 'ms');
    say(`ui.back.${name}.in-vscode`, inVSCode.backMs, 'ms');
  }
  const peer = await measureSpeedscope(forSpeedscope(bytes, name), frames, 120_000);
  if (peer === undefined) {
    say(`ui.open.${name}.speedscope`, undefined, 'ms');
  } else {
    say(`ui.open.${name}.speedscope`, peer.openMs, 'ms');
    say(`ui.memory.${name}.speedscope`, peer.memoryBytes / 1e6, 'MB');
    say(`ui.open.${name}.faster`, peer.openMs / page.openMs, 'x', ['>=', least]);
    say(`ui.memory.${name}.share`, page.memoryBytes / peer.memoryBytes, 'x', ['<=', 0.15]);
    say(`ui.pan.${name}.speedscope`, peer.frameP95Ms, 'ms');
  }
  const limit = Math.max(1.15 * bare, peer === undefined ? 0 : 0.5 * peer.frameP95Ms);
  say(`ui.pan.${name}`, page.frameP95Ms, 'ms', ['<=', Number(limit.toFixed(1))]);
  return page;
}

try {
  const bare = await measureBarePaint(frames);
  say('ui.pan.bare-paint', bare, 'ms');
  if (isQuick) {
    await compare('20k', 20_000, 12, bare);
  } else {
    const small = wants('100k') || wants('5M') ? await compare('100k', 100_000, 12, bare) : undefined;
    if (wants('1M')) await compare('1M', 1_000_000, 30, bare);
    if (small !== undefined && wants('5M')) {
      const large = await ours('5M', await recording(5_000_000), 1);
      say('ui.pan.5M', large.frameP95Ms, 'ms');
      say('ui.pan.5M-to-100k', large.frameP95Ms / small.frameP95Ms, 'x', ['<=', 1.5]);
    }
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
