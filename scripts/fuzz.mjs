// npm run fuzz: damages recordings and foreign traces, opens them, and ends after 200,000 of each, or when one breaks the engine. Every
// 25th seed is also a hostile agent's, with which a whole session is held.
//   npm run fuzz -- --count 1000    so many of each; 0: until it is stopped
//   npm run fuzz -- --seed 7        starts there: a seed alone gives the mutant, so that `--seed 7 --count 1` repeats one
//   npm run fuzz -- --seconds 60    ends by then
// A failure prints its seed and writes the bytes to fuzz-SEED.btrace, fuzz-SEED.foreign or fuzz-SEED.agent.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import process from 'node:process';
import { cpuMs } from '../test/unit/cpu-time.ts';
import { hostileWords, survives } from '../test/unit/targets/hostile-agent.ts';
import { mutant as foreignMutant } from '../test/unit/formats/mutations.ts';
import { mutantOf, openAndMeasure } from '../test/unit/trace/mutations.ts';
import { words } from './words.mjs';

const values = words(import.meta.url, { values: ['seed', 'seconds', 'count'] });
/** CPU time that one input may take: so much for any, and by the byte, so that a small file that costs much is found. */
const allowedMs = 500;
const allowedUsPerByte = 50;
const toldEvery = 20_000;
const agentEvery = 25;
const folder = mkdtempSync(path.join(tmpdir(), 'fuzz-'));
process.on('exit', () => rmSync(folder, { recursive: true }));
const began = performance.now();
const until = began + 1000 * Number(values.seconds ?? Infinity);
const count = Number(values.count ?? 200_000) || Infinity;
const first = Number(values.seed ?? Date.now() % 1_000_000_000);
const slowest = { ms: 0, bytes: 0, seed: first };

async function tryOut(seed, bytes, how, kind, open) {
  const from = cpuMs();
  try {
    await open();
    const ms = cpuMs() - from;
    if (ms > slowest.ms) Object.assign(slowest, { ms, bytes: bytes.length, seed });
    const most = allowedMs + (allowedUsPerByte * bytes.length) / 1000;
    if (ms > most) throw new Error(`${bytes.length} bytes took ${ms} ms of CPU time, ${most} are allowed`);
  } catch (error) {
    const file = `fuzz-${seed}.${kind}`;
    writeFileSync(file, bytes);
    console.error(`seed ${seed} (${how}), kept as ${file}:`, error);
    process.exit(1);
  }
}

console.log(`from seed ${first}`);
let done = 0;
for (; done < count && performance.now() < until; done++) {
  const seed = first + done;
  const own = mutantOf(seed);
  await tryOut(seed, own.bytes, own.how, 'btrace', () => openAndMeasure(own.bytes));
  const foreign = foreignMutant(seed);
  await tryOut(seed, foreign.bytes, `read as ${foreign.reader}`, 'foreign', foreign.read);
  if (seed % agentEvery === 0) {
    const file = path.join(folder, 'x.btrace');
    await tryOut(seed, hostileWords(seed), 'said by an agent', 'agent', () => survives(seed, file));
  }
  if ((done + 1) % toldEvery === 0) console.log(`${done + 1} of each, next seed ${seed + 1}`);
}
const seconds = Math.round((performance.now() - began) / 1000);
console.log(
  `${done} mutations of recordings and ${done} of foreign traces from seed ${first} in ${seconds} s, no failure; ` +
    `the slowest took ${Math.round(slowest.ms)} ms for ${slowest.bytes} bytes (seed ${slowest.seed}), ` +
    `most memory ${Math.round(process.resourceUsage().maxRSS / 1024)} MB`,
);
