/** One measurement of engine.ts, in a process of its own: what, and the file. Prints its figures as JSON. */
import { readFileSync } from 'node:fs';
import protobuf from 'protobufjs';
import { decodeRecording } from '../../src/trace/index.js';

export interface Measured {
  readonly ms: number;
  readonly peakBytes: number;
}

const measurements: Readonly<Record<string, (bytes: Uint8Array) => void>> = {
  /** Calls, intervals, and the name of every method. */
  open(bytes) {
    const trace = decodeRecording(bytes).trace();
    // Calls are built when they are asked for.
    for (const thread of trace.threads)
      if (thread.calls.count === 0) throw new Error('a thread without calls');
    for (let method = 0; method < trace.methods.count; method++) trace.methods.qualifiedName(method);
    if (trace.problems.length > 0) throw new Error(trace.problems[0]?.what);
  },
  varints(bytes) {
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
  },
  protobufjs(bytes) {
    const text = readFileSync('proto/perfetto.proto', 'utf8');
    protobuf.parse(text, { keepCase: true }).root.lookupType('perfetto.Trace').decode(bytes);
  },
};

/** Once, cold; the file is in memory before. */
const [, , what = '', file = ''] = process.argv;
const bytes = new Uint8Array(readFileSync(file));
const before = process.memoryUsage().rss;
const measure = measurements[what];
if (measure === undefined) throw new Error(`There is no measurement called ${what}`);
const began = performance.now();
measure(bytes);
const ms = performance.now() - began;
console.log(
  JSON.stringify({ ms, peakBytes: process.resourceUsage().maxRSS * 1024 - before } satisfies Measured),
);
