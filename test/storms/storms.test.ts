/**
 * Storms in each surrounding, one after the other, until the time is over: under half a minute in a test run, and
 * `npm run soak -- storms --minutes 120` for as long as asked. BTRACE_STORM (a part of a title) and BTRACE_SEED repeat one.
 */
import { wide } from '../rigs/scale.js';
import { seed } from '../rigs/seed.js';
import { jvmSurroundings } from '../rigs/storms/jvm.js';
import { chances, makeStorm, type Surrounding, storms } from '../rigs/storms/storms.js';
import { lasts } from '../rigs/until.js';

const only = process.env['BTRACE_STORM'] ?? '';
/** With starts and ends a storm takes some seconds more than it is recorded. */
const stormMs = 1500;
const allMs = Number(process.env['BTRACE_STORMS_MS'] ?? (wide ? 165_000 : 25_000));

/** A row for each place where a program can be recorded; another runtime's are put behind these. */
const surroundings: readonly Surrounding[] = [...jvmSurroundings()];

const titled = (row: Surrounding) => storms.filter(({ name }) => `${row.name} - ${name}`.includes(only));
const rows = surroundings.filter((row) => titled(row).length > 0);

describe(`storms, seed ${seed}`, () => {
  const begin = performance.now();
  for (const [number, row] of rows.entries()) {
    it(row.name, async function () {
      const until = begin + (allMs * (number + 1)) / rows.length;
      lasts(this, allMs / rows.length);
      // Each row begins with another storm, so that a short run has seen all of them somewhere.
      const possible = titled(row);
      const chance = chances(seed + number);
      let count = 0;
      do {
        const storm = possible[(count + number * 3 + (seed % possible.length)) % possible.length]!;
        await makeStorm(storm, row, only === '' || count > 0 ? chance(1_000_000) : seed, stormMs);
        count++;
      } while (performance.now() < until);
      if (process.env['BTRACE_STORMS_MS'] !== undefined) console.log(`        ${count} storms`);
    });
  }
});
