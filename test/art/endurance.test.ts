/** Recorded again and again, and for long, while 50 threads allocate: briefly here, at length in the soak. */
import { endure } from '../rigs/art/endurance.js';
import { type Engine, engines } from '../rigs/art/runtime.js';
import { onArtPairs } from '../rigs/art/with-art.js';
import { scale, wide } from '../rigs/scale.js';
import { lasts } from '../rigs/until.js';

const cycles = Number(process.env['BTRACE_ART_CYCLES'] ?? (wide ? 20 : 4));
const loadMs = Number(process.env['BTRACE_ART_LOAD_MS'] ?? 3000 * scale);

onArtPairs('the agent in the Android Runtime, under load', (bench) => {
  for (const engine of Object.keys(engines) as Engine[])
    it(`engine ${engine}: ${cycles} starts and stops and ${loadMs / 1000} s while 50 threads allocate leave nothing behind`, async function () {
      lasts(this, 3 * (loadMs + cycles * 1000));
      await endure(bench, { engine, cycles, loadMs });
    });
});
