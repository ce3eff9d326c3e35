/**
 * The foreign formats: how fast each is written and read, beside what its own parser alone takes of the same bytes.
 * One line a figure: `bench NAME VALUE UNIT target >=T ok|short`, or `-` where there is no target. Each measurement is a process of
 * its own, so that none pays for another's garbage. `--quick` measures less, once, and marks its lines; `--size=5M` one size.
 */
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync, statSync, writeSync } from 'node:fs';
import { spawnSync } from 'node:child_process';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import protobuf from 'protobufjs';
import { anyImporter, exporters } from '../../src/trace/formats/index.js';
import { decodeRecording, synthesize } from '../../src/trace/index.js';
import { isQuick, say } from './figure.js';

const mostRuns = isQuick ? 1 : 3;
/** From this size on once is enough: seconds, of which compiling takes little. */
const largeBytes = 200 * 1024 * 1024;
/** As the page and the command line hand a file on. */
const pieceBytes = 1 << 20;

interface Measured {
  readonly ms: number;
  readonly peakBytes: number;
}

/** What a child process can be asked to time. Each gets the whole file; reading it from disk is not timed. */
const measurements: Readonly<Record<string, (bytes: Buffer) => void>> = {
  import(bytes) {
    const importer = anyImporter();
    for (let at = 0; at < bytes.length; at += pieceBytes)
      importer.append(bytes.subarray(at, at + pieceBytes));
    const trace = importer.finish();
    if (trace.problems.length > 0) throw new Error(trace.problems[0]?.what);
  },
  protobufjs(bytes) {
    perfettoSchema().decode(bytes);
  },
  'json-parse'(bytes) {
    // Making the string is part of it: nobody can parse without one.
    JSON.parse(bytes.toString('utf8'));
  },
};

function perfettoSchema(): protobuf.Type {
  const text = readFileSync(fileURLToPath(new URL('../../proto/perfetto.proto', import.meta.url)), 'utf8');
  return protobuf.parse(text, { keepCase: true }).root.lookupType('perfetto.Trace');
}

function measureHere(what: string, file: string): void {
  const bytes = readFileSync(file);
  const measure = measurements[what];
  if (measure === undefined) throw new Error(`There is no measurement called ${what}`);
  const times: number[] = [];
  const runs = bytes.length > largeBytes ? 1 : mostRuns;
  for (let run = 0; run < runs; run++) {
    const began = performance.now();
    measure(bytes);
    times.push(performance.now() - began);
  }
  times.sort((a, b) => a - b);
  const ms = times[times.length >> 1] ?? 0;
  console.log(
    JSON.stringify({
      ms,
      peakBytes: process.resourceUsage().maxRSS * 1024 - bytes.length,
    } satisfies Measured),
  );
}

function measured(what: string, file: string): Measured | undefined {
  const own = fileURLToPath(import.meta.url);
  const args = ['--max-old-space-size=12000', ...process.execArgv, own, `--measure=${what}`, file];
  const child = spawnSync(process.execPath, isQuick ? [...args, '--quick'] : args, { encoding: 'utf8' });
  if (child.status !== 0) {
    if (
      child.signal === null &&
      !/heap out of memory|Cannot create a string longer|ERR_STRING_TOO_LONG/.test(child.stderr)
    ) {
      throw new Error(child.stderr);
    }
    return undefined;
  }
  return JSON.parse(child.stdout) as Measured;
}

function sayMeasured(name: string, size: string, result: Measured | undefined): void {
  say(`formats.${name}.${size}`, result?.ms, 'ms');
  if (result !== undefined) say(`formats.${name}.memory.${size}`, result.peakBytes / 1e6, 'MB');
}

interface Content {
  readonly size: string;
  readonly samples: number;
  /** Formats to measure; all when absent. */
  readonly only?: readonly string[];
}

const contents: readonly Content[] = [
  { size: '100k', samples: 100_000 },
  { size: '1M', samples: 1_000_000 },
  // Those with a target: the texts of others take GB.
  { size: '5M', samples: 5_000_000, only: ['perfetto', 'chrome'] },
];

async function compare({ size, samples, only }: Content, folder: string): Promise<void> {
  const recorded: Uint8Array[] = [];
  await synthesize({ write: (bytes) => Promise.resolve(void recorded.push(bytes.slice())) }, { samples });
  const files = new Map<string, string>();
  {
    const trace = decodeRecording(Buffer.concat(recorded)).trace();
    const calls = trace.threads.reduce((sum, thread) => sum + thread.calls.count, 0);
    say(`formats.calls.${size}`, calls, 'calls');
    for (const { id, write } of exporters) {
      if (only?.includes(id) === false) continue;
      const file = path.join(folder, `${id}-${size}`);
      const handle = openSync(file, 'w');
      const began = performance.now();
      write(trace, (bytes) => void writeSync(handle, bytes));
      say(`formats.${id}.write.${size}`, performance.now() - began, 'ms');
      closeSync(handle);
      files.set(id, file);
      say(`formats.${id}.size.${size}`, statSync(file).size / samples, 'bytes/sample');
    }
  }
  const imported = new Map<string, Measured | undefined>();
  for (const [id, file] of files) {
    if (id === 'csv') continue;
    const result = measured('import', file);
    imported.set(id, result);
    sayMeasured(`${id}.import`, size, result);
  }
  const protobufjs = measured('protobufjs', files.get('perfetto') ?? '');
  sayMeasured('perfetto.protobufjs', size, protobufjs);
  const ours = imported.get('perfetto')?.ms ?? NaN;
  say(`formats.perfetto.faster.${size}`, protobufjs && protobufjs.ms / ours, 'x', ['>=', 4]);
  for (const id of ['chrome', 'speedscope']) {
    const file = files.get(id);
    if (file === undefined) continue;
    const parse = measured('json-parse', file);
    sayMeasured(`${id}.json-parse`, size, parse);
    const own = imported.get(id)?.ms ?? NaN;
    say(`formats.${id}.share.${size}`, parse && own / parse.ms, 'x', ['<=', 2]);
  }
}

const wanted = process.argv.find((argument) => argument.startsWith('--measure='));
if (wanted !== undefined) {
  const at = process.argv.indexOf(wanted);
  measureHere(wanted.slice('--measure='.length), process.argv[at + 1] ?? '');
} else {
  const folder = mkdtempSync(path.join(tmpdir(), 'btrace-bench-'));
  try {
    const size = process.argv.find((argument) => argument.startsWith('--size='))?.slice('--size='.length);
    for (const content of contents) {
      if (size === undefined ? !isQuick || content.size === '100k' : content.size === size) {
        await compare(content, folder);
      }
    }
  } finally {
    rmSync(folder, { recursive: true });
  }
}
