// What a reader does with a byte takes as long in a line of a megabyte as in one of a kilobyte.
import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { importers, recognise } from '../../../src/trace/formats/index.js';
import { cpuMs } from '../cpu-time.js';
import { scaled } from '../test-scale.js';
import { check, corpus } from './mutations.js';
import { importWhole } from './round-trip.js';
import { randomNumbers } from './sample-traces.js';
import { seed } from '../../rigs/seed.js';

const kilobyte = 1024;
/** What n² steps take at these sizes is many times more, also on a busy machine. */
const allowedNsPerByte = 1500;
const allowedMs = 60;

type Random = () => number;
const pick = <T>(random: Random, items: readonly T[]): T => items[Math.floor(random() * items.length)]!;

/** Of a file of the format: its lines, and what they are made of, as names and numbers, signs and spaces. */
function partsOf(bytes: Uint8Array): { lines: string[]; tokens: string[] } {
  const text = Buffer.from(bytes).toString('latin1');
  const lines = text.split('\n').filter((line) => line !== '');
  const isText = !bytes.some((byte) => byte < 9);
  const tokens = isText
    ? [...(text.match(/[A-Za-z_]+|\d|[^\w]/g) ?? []), '9', ' ', '\t', '::', '""', '\\"', '[{', '((']
    : Array.from({ length: 60 }, (_, at) => text.slice((at * 37) % text.length).slice(0, 1 + (at % 12)));
  return { lines, tokens: [...new Set(tokens.filter((token) => token !== '' && token !== '\n'))] };
}

/** A line, or what stands for one, of about so many bytes: the format's own words said again and again. */
function longLine(random: Random, { lines, tokens }: ReturnType<typeof partsOf>, size: number): Uint8Array {
  const many = (text: string): string => text.repeat(Math.ceil(size / text.length));
  const line = pick(random, lines);
  const cut = Math.floor(random() * line.length);
  const token = pick(random, tokens);
  const made = [
    () => many(token),
    () => many(token + pick(random, tokens)),
    () => many(token + pick(random, tokens) + pick(random, tokens)),
    () => line.slice(0, cut) + many(token) + line.slice(cut),
    () => line.slice(0, cut) + many(token + pick(random, tokens)),
    () => many(line.slice(cut)),
    () => line.slice(0, cut) + many(line.slice(cut, cut + 1 + Math.floor(random() * 60)) || token),
    () => line.slice(0, cut) + many(line.slice(cut, cut + 1 + Math.floor(random() * 60)) || token),
  ];
  return Buffer.from(`${pick(random, made)()}\n`, 'latin1');
}

/** Lines that took minutes once, or would. */
const known: Readonly<Record<string, readonly string[]>> = {
  systrace: [
    `sh-1 [000] d..2 1.000000: sched_switch: ${'prev_pid=1 prev_state=S ==> next_comm='.repeat(1600)}`,
    `sh-1 [000] d..2 1.000000: sched_switch: ${'prev_pid=1 '.repeat(5000)}`,
    `sh-1 [000] d..2 1.000000: sched_waking: ${':1 [2] S ==> '.repeat(5000)}`,
    `${' '.repeat(60_000)}[`,
  ],
  perf: [`a 1 1.000: ${'x:'.repeat(30_000)}`, `a 1 1.000: x:${' '.repeat(60_000)}\u2028`],
  nanoscope: [`# thread ${'1'.repeat(60_000)}\u2028`],
};

describe('the time a reader takes for a byte', () => {
  for (const { id, create } of importers) {
    it(`does not grow with the length of what it stands in: ${id}`, () => {
      const files = corpus.filter((bytes) => recognise(bytes).format === id);
      const random = randomNumbers(seed);
      const always = (known[id] ?? []).map((line) => Buffer.from(`${line}\n`));
      for (let round = 0; round < scaled(10) + always.length; round++) {
        const file = pick(random, files);
        const size = pick(random, [1, 16, 60, 60, 60, 256, 1024]) * kilobyte;
        const long = always[round] ?? longLine(random, partsOf(file), size);
        // Behind the file's begin, where its reader knows what to do with it.
        const bytes = Buffer.concat([file, Buffer.from('\n'), long, long.subarray(0, 100)]);
        const piece = pick(random, [4 * kilobyte, 64 * kilobyte, bytes.length]);
        const began = cpuMs();
        check(importWhole(create(), bytes, piece));
        const ms = cpuMs() - began;
        const most = allowedMs + (allowedNsPerByte * bytes.length) / 1e6;
        assert.ok(
          ms <= most,
          `${ms} ms for ${bytes.length} bytes, in pieces of ${piece}: ${JSON.stringify(Buffer.from(long).toString('latin1', 0, 300))}`,
        );
      }
    }).timeout(120_000);
  }
});
