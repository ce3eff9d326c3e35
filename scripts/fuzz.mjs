// npm run fuzz: damages recordings and foreign traces and opens them until it is stopped or one breaks the engine.
//   npm run fuzz -- --seed 7        starts there; each line tells the next seed to start from
//   npm run fuzz -- --seconds 60    ends by itself
// A failure prints its seed and writes the bytes to fuzz-SEED.btrace, or fuzz-SEED.foreign.
import { writeFileSync } from 'node:fs';
import process from 'node:process';
import { parseArgs } from 'node:util';
import { mutant as foreignMutant } from '../test/unit/formats/mutations.ts';
import { chunksOf, mutate, openAndMeasure } from '../test/unit/trace/mutations.ts';
import { randomRecording } from '../test/unit/trace/random-recording.ts';

const { values } = parseArgs({ options: { seed: { type: 'string' }, seconds: { type: 'string' } } });
const mutationsARecording = 500;
const slowMs = 5000;
const until = performance.now() + 1000 * Number(values.seconds ?? Infinity);
let seed = Number(values.seed ?? Date.now() % 1_000_000_000);
let done = 0;

function tryOut(bytes, how, kind, open) {
  const began = performance.now();
  try {
    open();
    if (performance.now() - began > slowMs) throw new Error(`it took longer than ${slowMs} ms`);
  } catch (error) {
    const file = `fuzz-${seed}.${kind}`;
    writeFileSync(file, bytes);
    console.error(`seed ${seed} (${how}), kept as ${file}:`, error);
    process.exit(1);
  }
}

while (performance.now() < until) {
  const { bytes } = randomRecording(seed);
  const chunks = chunksOf(bytes);
  for (let at = 0; at < mutationsARecording; at++, seed++, done++) {
    const mutant = mutate(bytes, chunks, seed);
    tryOut(mutant.bytes, mutant.how, 'btrace', () => openAndMeasure(mutant.bytes));
    const foreign = foreignMutant(seed);
    tryOut(foreign.bytes, `read as ${foreign.reader}`, 'foreign', foreign.read);
  }
  if (done % 20_000 === 0) console.log(`${done} mutations, next seed ${seed}`);
}
console.log(`${done} mutations, no failure`);
