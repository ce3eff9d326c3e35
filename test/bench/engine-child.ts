/** One measurement of engine.ts, in a process of its own: what, and the file. Prints its figures as JSON. */
import { existsSync, readFileSync } from 'node:fs';
import protobuf from 'protobufjs';
import { decodeRecording } from '../../src/trace/index.js';
import { crc32 } from '../../src/trace/recording/crc32.js';

/** Of the content: what `limit` writes. */
export interface Rows {
  readonly intervals: number;
  readonly calls: number;
}

export interface Measured {
  readonly ms: number;
  /** CPU time of the thread that did it: what other work on the machine changes least. 0 where the system does not tell. */
  readonly cpuMs: number;
  readonly peakBytes: number;
  /** Pages of memory that were touched for the first time, and what the system took for that and all else. */
  readonly pages: number;
  readonly systemMs: number;
}

/** A bare loop over the bytes that reads each as a varint and adds it up. */
function addVarints(bytes: Uint8Array): void {
  let sum = 0;
  for (let at = 0; at < bytes.length;) {
    let value = 0;
    let shift = 0;
    let byte: number;
    do {
      byte = bytes[at++] as number;
      value |= (byte & 0x7f) << shift;
      shift += 7;
    } while (byte >= 0x80);
    sum = (sum + value) | 0;
  }
  if (sum === 0.5) throw new Error('never, but the loop must not be dropped');
}

/** A new process that has done nothing before, or the same done five times already. */
const warmUps = 5;

const measurements: Readonly<Record<string, (bytes: Uint8Array, rows: Rows) => void>> = {
  /** Calls, intervals, and the name of every method. */
  open(bytes) {
    const trace = decodeRecording(bytes).trace();
    // Calls are built when they are asked for.
    for (const thread of trace.threads)
      if (thread.calls.count === 0) throw new Error('a thread without calls');
    for (let method = 0; method < trace.methods.count; method++) trace.methods.qualifiedName(method);
    if (trace.problems.length > 0) throw new Error(trace.problems[0]?.what);
  },
  varints: addVarints,
  /** What cannot be left out: checksums, reading each byte once, and writing the columns of intervals and calls once. */
  limit(bytes, { intervals, calls }) {
    crc32(bytes);
    addVarints(bytes);
    const written = [];
    // end, CPU time · path, node · kept frames · state, and what the sample made.
    for (const width of [8, 8, 4, 4, 2, 1, 1]) written.push(new Uint8Array(width * intervals).fill(1));
    // first and last interval.
    for (const width of [4, 4]) written.push(new Uint8Array(width * calls).fill(1));
    if (written.length === 0) throw new Error('never, but the columns must not be dropped');
  },
  protobufjs(bytes) {
    const text = readFileSync('proto/perfetto.proto', 'utf8');
    protobuf.parse(text, { keepCase: true }).root.lookupType('perfetto.Trace').decode(bytes);
  },
};

function cpuMs(): number {
  const file = '/proc/self/schedstat';
  return existsSync(file) ? Number(readFileSync(file, 'utf8').split(' ')[0]) / 1e6 : 0;
}

/** Once; the file is in memory before. */
const [, , what = '', file = '', rowsText = '{"intervals":0,"calls":0}'] = process.argv;
const rows = JSON.parse(rowsText) as Rows;
const bytes = new Uint8Array(readFileSync(file));
const before = process.memoryUsage().rss;
const measure = measurements[what.replace('.warm', '')];
if (measure === undefined) throw new Error(`There is no measurement called ${what}`);
if (what.endsWith('.warm')) for (let run = 0; run < warmUps; run++) measure(bytes, rows);
const usageBegan = process.resourceUsage();
const cpuBegan = cpuMs();
const began = performance.now();
measure(bytes, rows);
const ms = performance.now() - began;
const used = cpuMs() - cpuBegan;
const usage = process.resourceUsage();
console.log(
  JSON.stringify({
    ms,
    cpuMs: used,
    peakBytes: usage.maxRSS * 1024 - before,
    pages: usage.minorPageFault - usageBegan.minorPageFault,
    systemMs: (usage.systemCPUTime - usageBegan.systemCPUTime) / 1000,
  } satisfies Measured),
);
