/** Recorded again and again, and for long, while 50 threads allocate: briefly here, at length in the soak. */
import { endure } from '../rigs/art/endurance.js';
import { type Engine, engines } from '../rigs/art/runtime.js';
import { withArt } from '../rigs/art/with-art.js';

const cycles = Number(process.env['BTRACE_ART_CYCLES'] ?? 20);
const loadMs = Number(process.env['BTRACE_ART_LOAD_MS'] ?? 60_000);

describe('the agent in the Android Runtime, under load', () => {
  const bench = withArt();

  for (const engine of Object.keys(engines) as Engine[])
    it(`engine ${engine}: ${cycles} starts and stops and ${loadMs / 1000} s while 50 threads allocate leave nothing behind`, async function () {
      this.timeout(60_000 + 3 * (loadMs + cycles * 1000));
      await endure(bench, { engine, cycles, loadMs });
    });
});
