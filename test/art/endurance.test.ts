/** Recorded again and again, and for long, while 50 threads allocate: briefly here, at length in the soak. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { endure } from '../rigs/art/endurance.js';
import { type ArtRuntime, type Engine, artRuntime, engines } from '../rigs/art/runtime.js';

const cycles = Number(process.env['BTRACE_ART_CYCLES'] ?? 20);
const loadMs = Number(process.env['BTRACE_ART_LOAD_MS'] ?? 2000);

describe('the agent in the Android Runtime, under load', () => {
  let runtime: ArtRuntime;
  let folder: string;

  before(async () => {
    runtime = await artRuntime();
    folder = await mkdtemp(path.join(tmpdir(), 'btrace-art-endurance-'));
  });
  after(() => rm(folder, { recursive: true }));

  for (const engine of Object.keys(engines) as Engine[])
    it(`engine ${engine}: ${cycles} starts and stops and ${loadMs / 1000} s while 50 threads allocate leave nothing behind`, async function () {
      this.timeout(60_000 + 3 * (loadMs + cycles * 1000));
      await endure(runtime, { engine, cycles, loadMs, folder });
    });
});
