/**
 * npm run bench:ui [-- --quick]: the page alone against speedscope, same content, same browser, same run.
 * One line a figure: `bench NAME VALUE UNIT target >=T ok|short`, or `-` where there is no target.
 */
import { mkdtempSync, openSync, closeSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { writeSpeedscope } from '../../../src/trace/formats/speedscope-export.js';
import { decodeRecording, synthesize } from '../../../src/trace/index.js';
import { measureBarePaint, measurePage } from './measure-page.js';
import { measureSpeedscope } from './measure-speedscope.js';
import { median } from './browser.js';

export interface Measured {
  readonly openMs: number;
  readonly memoryBytes: number;
  readonly frameP95Ms: number;
}

const isQuick = process.argv.includes('--quick');
const frames = isQuick ? 48 : 120;
const runs = isQuick ? 1 : 3;
const folder = mkdtempSync(path.join(tmpdir(), 'btrace-bench-'));

function say(
  name: string,
  value: number | 'peer-oom',
  unit: string,
  target?: readonly ['>=' | '<=', number],
): void {
  const figure = value === 'peer-oom' ? value : value >= 100 ? value.toFixed(0) : value.toFixed(2);
  const mark = isQuick ? ' quick' : '';
  if (target === undefined || value === 'peer-oom') {
    console.log(`bench ${name} ${figure} ${unit} -${mark}`);
    return;
  }
  const [sign, limit] = target;
  const isMet = sign === '>=' ? value >= limit : value <= limit;
  console.log(`bench ${name} ${figure} ${unit} target ${sign}${limit} ${isMet ? 'ok' : 'short'}${mark}`);
}

async function recording(samples: number): Promise<Buffer> {
  const parts: Uint8Array[] = [];
  await synthesize({ write: (bytes) => Promise.resolve(void parts.push(bytes.slice())) }, { samples });
  return Buffer.concat(parts);
}

function forSpeedscope(bytes: Buffer, name: string): string {
  const file = path.join(folder, `${name}.speedscope.json`);
  const handle = openSync(file, 'w');
  writeSpeedscope(decodeRecording(bytes).trace(), (piece) => void writeSync(handle, piece));
  closeSync(handle);
  return file;
}

async function ours(bytes: Buffer, times: number): Promise<Measured> {
  const all: Measured[] = [];
  for (let run = 0; run < times; run++) all.push(await measurePage(bytes, frames));
  return {
    openMs: median(all.map((one) => one.openMs)),
    memoryBytes: median(all.map((one) => one.memoryBytes)),
    frameP95Ms: median(all.map((one) => one.frameP95Ms)),
  };
}

async function compare(name: string, samples: number, least: number, bare: number): Promise<Measured> {
  const bytes = await recording(samples);
  const page = await ours(bytes, runs);
  say(`ui.open.${name}`, page.openMs, 'ms');
  say(`ui.memory.${name}`, page.memoryBytes / 1e6, 'MB');
  const peer = await measureSpeedscope(forSpeedscope(bytes, name), frames, 120_000);
  if (peer === undefined) {
    say(`ui.open.${name}.speedscope`, 'peer-oom', 'ms');
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
    const small = await compare('100k', 100_000, 12, bare);
    await compare('1M', 1_000_000, 30, bare);
    const large = await ours(await recording(5_000_000), 1);
    say('ui.open.5M', large.openMs, 'ms');
    say('ui.memory.5M', large.memoryBytes / 1e6, 'MB');
    say('ui.pan.5M', large.frameP95Ms, 'ms');
    say('ui.pan.5M-to-100k', large.frameP95Ms / small.frameP95Ms, 'x', ['<=', 1.5]);
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
