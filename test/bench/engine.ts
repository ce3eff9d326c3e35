/**
 * Our own recordings: how fast they open, beside a generic decoder on the same content and a bare loop over the same bytes.
 * One line a figure: `bench NAME VALUE UNIT target >=T ok|short` (or `<=T`), or `-` where there is no target. Each
 * measurement is a new process that has done nothing before: what a person waits for who opens one file.
 * Medians of seven (100k, 1M) or three; `--quick` measures 100k once and marks its lines; `--size=1M` one size.
 */
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync, statSync, writeSync } from 'node:fs';
import { spawnSync } from 'node:child_process';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildSync } from 'esbuild';
import { writePerfetto } from '../../src/trace/formats/perfetto-export.js';
import {
  ChunkKind,
  ChunkParser,
  decodeRecording,
  RecordingDecoder,
  synthesize,
} from '../../src/trace/index.js';
import type { Measured, Rows } from './engine-child.js';
import { isQuick, say } from './figure.js';

const root = path.join(path.dirname(fileURLToPath(import.meta.url)), '../..');

/** The measurements as one bundle, as people get the engine: without what a loader does to modules. */
function bundle(folder: string): void {
  buildSync({
    entryPoints: [path.join(root, 'test/bench/engine-child.ts')],
    outfile: path.join(folder, 'bench.cjs'),
    bundle: true,
    platform: 'node',
    format: 'cjs',
    target: 'node20',
    absWorkingDir: root,
    logLevel: 'warning',
  });
}

/** The median of some runs; undefined when it ran out of memory. */
function measured(what: string, file: string, runs: number, rows?: Rows): Measured | undefined {
  const script = path.join(path.dirname(file), 'bench.cjs');
  const args = ['--max-old-space-size=12000', script, what, file];
  if (rows !== undefined) args.push(JSON.stringify(rows));
  const all: Measured[] = [];
  for (let run = 0; run < runs; run++) {
    const child = spawnSync(process.execPath, args, { encoding: 'utf8', cwd: root });
    if (child.status !== 0) {
      if (child.signal === null && !child.stderr.includes('heap out of memory'))
        throw new Error(child.stderr);
      return undefined;
    }
    all.push(JSON.parse(child.stdout) as Measured);
  }
  const middle = (pick: (one: Measured) => number): number =>
    all.map(pick).sort((a, b) => a - b)[runs >> 1] ?? NaN;
  return {
    ms: middle((one) => one.ms),
    cpuMs: middle((one) => one.cpuMs),
    peakBytes: middle((one) => one.peakBytes),
    pages: middle((one) => one.pages),
    systemMs: middle((one) => one.systemMs),
  };
}

async function writeRecording(file: string, samples: number, deflate: boolean): Promise<void> {
  const handle = openSync(file, 'w');
  const write = (bytes: Uint8Array): Promise<void> => Promise.resolve(void writeSync(handle, bytes));
  // Every sample a row of its own, with all counters.
  await synthesize({ write }, { samples, deflate, merge: false });
  closeSync(handle);
}

/** What one more chunk of samples costs when a recording is there, and drawing what changed is asked for. */
function appendMs(bytes: Uint8Array): number {
  const parser = new ChunkParser({ magic: true });
  parser.push(bytes);
  parser.finish();
  const chunks = [];
  for (let chunk = parser.next(); chunk !== undefined; chunk = parser.next()) chunks.push(chunk);
  const tail = chunks.filter(({ kind }) => kind === ChunkKind.Samples).slice(-9);
  const decoder = new RecordingDecoder();
  decoder.append(bytes.subarray(0, tail[0]?.offset));
  decoder.trace();
  const times = tail.map(({ offset, stored }) => {
    const began = performance.now();
    decoder.append(bytes.subarray(offset, offset + 24 + stored.length));
    decoder.trace();
    return performance.now() - began;
  });
  return times.sort((a, b) => a - b)[times.length >> 1] ?? NaN;
}

async function compare(
  folder: string,
  name: string,
  samples: number,
  runs: number,
  hasPeer: boolean,
): Promise<number> {
  const own = path.join(folder, `own-${name}`);
  await writeRecording(own, samples, false);
  const size = statSync(own).size;
  const packed = path.join(folder, `packed-${name}`);
  await writeRecording(packed, samples, true);
  say(
    `engine.size.raw.${name}`,
    size / samples,
    'bytes/sample',
    samples === 1_000_000 ? ['<=', 16] : undefined,
  );
  say(
    `engine.size.deflated.${name}`,
    statSync(packed).size / samples,
    'bytes/sample',
    samples === 1_000_000 ? ['<=', 10] : undefined,
  );

  const open = measured('open', own, runs);
  if (open === undefined) throw new Error('our own reader ran out of memory');
  const loop = measured('varints', own, runs);
  say(`engine.open.${name}`, open.ms, 'ms');
  say(`engine.open.rate.${name}`, samples / open.ms / 1000, 'Msamples/s');
  say(`engine.open.deflated.${name}`, measured('open', packed, runs)?.ms, 'ms');
  say(`engine.open.memory.${name}`, open.peakBytes / 1e6, 'MB');
  say(`engine.varints.${name}`, loop?.ms, 'ms');
  say(
    `engine.open.of-varints.${name}`,
    loop && open.ms / loop.ms,
    'x',
    samples === 1_000_000 ? ['<=', 3] : undefined,
  );

  const bytes = new Uint8Array(readFileSync(own));
  const { threads } = decodeRecording(bytes).trace();
  const rows = { intervals: 0, calls: 0 };
  for (const thread of threads) {
    rows.intervals += thread.intervals.count;
    rows.calls += thread.calls.count;
  }
  const limit = measured('limit', own, runs, rows);
  say(`engine.limit.${name}`, limit?.ms, 'ms');
  say(`engine.open.cpu.${name}`, open.cpuMs, 'ms');
  say(`engine.open.cpu.system.${name}`, open.systemMs, 'ms');
  say(`engine.open.pages.${name}`, open.pages, 'pages');
  say(`engine.varints.cpu.${name}`, loop?.cpuMs, 'ms');
  say(`engine.limit.cpu.${name}`, limit?.cpuMs, 'ms');
  say(`engine.open.cpu.of-varints.${name}`, loop && open.cpuMs / loop.cpuMs, 'x');
  say(`engine.limit.cpu.of-varints.${name}`, loop && limit && limit.cpuMs / loop.cpuMs, 'x');
  const warm = measured('open.warm', own, Math.min(runs, 3));
  const loopWarm = measured('varints.warm', own, Math.min(runs, 3));
  say(`engine.open.warm.${name}`, warm?.ms, 'ms');
  say(`engine.open.warm.cpu.${name}`, warm?.cpuMs, 'ms');
  say(`engine.open.warm.cpu.system.${name}`, warm?.systemMs, 'ms');
  say(`engine.open.warm.cpu.of-varints.${name}`, warm && loopWarm && warm.cpuMs / loopWarm.cpuMs, 'x');

  const append = appendMs(bytes);
  say(`engine.append.${name}`, append, 'ms');
  say(
    `engine.append.of-open.${name}`,
    append / open.ms,
    'x',
    samples === 1_000_000 ? ['<=', 1 / 50] : undefined,
  );

  if (hasPeer) {
    const perfetto = path.join(folder, `perfetto-${name}`);
    const handle = openSync(perfetto, 'w');
    writePerfetto(decodeRecording(bytes).trace(), (part) => void writeSync(handle, part));
    closeSync(handle);
    say(`engine.perfetto.size.${name}`, statSync(perfetto).size / samples, 'bytes/sample');
    const peer = measured('protobufjs', perfetto, Math.min(runs, 3));
    say(`engine.protobufjs.${name}`, peer?.ms, 'ms');
    say(`engine.protobufjs.memory.${name}`, peer && peer.peakBytes / 1e6, 'MB');
    say(
      `engine.open.faster.${name}`,
      peer && peer.ms / open.ms,
      'x',
      samples === 1_000_000 ? ['>=', 17] : undefined,
    );
    say(
      `engine.open.memory.share.${name}`,
      peer && open.peakBytes / peer.peakBytes,
      'x',
      samples === 1_000_000 ? ['<=', 0.2] : undefined,
    );
    rmSync(perfetto);
  }
  rmSync(own);
  rmSync(packed);
  return samples / open.ms;
}

const folder = mkdtempSync(path.join(tmpdir(), 'btrace-bench-'));
try {
  bundle(folder);
  const only = process.argv.find((argument) => argument.startsWith('--size='))?.slice('--size='.length);
  const wanted = (size: string): boolean =>
    only === undefined ? !isQuick || size === '100k' : size === only;
  if (wanted('100k')) await compare(folder, '100k', 100_000, isQuick ? 1 : 7, true);
  const million = wanted('1M') ? await compare(folder, '1M', 1_000_000, 7, true) : undefined;
  const five = wanted('5M') ? await compare(folder, '5M', 5_000_000, 3, false) : undefined;
  if (million !== undefined && five !== undefined)
    say('engine.open.rate.5M-to-1M', five / million, 'x', ['>=', 0.75]);
} finally {
  rmSync(folder, { recursive: true });
}
