import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { scale } from '../../rigs/scale.js';
import { survives } from './hostile-agent.js';
import { seed } from '../../rigs/seed.js';

/** `npm run fuzz` goes on. */
const streams = 100 * scale;

describe(`a hostile agent (seed ${seed})`, () => {
  it('costs what it damages: the session ends in words, and the file has what came whole', async () => {
    const folder = mkdtempSync(path.join(tmpdir(), 'hostile-'));
    const reasons = new Set<string>();
    try {
      for (let at = seed; at < seed + streams; at++) {
        try {
          reasons.add((await survives(at, path.join(folder, 'x.btrace'))).reason);
        } catch (error) {
          throw new Error(`seed ${at}`, { cause: error });
        }
      }
    } finally {
      rmSync(folder, { recursive: true });
    }
    for (const reason of ['stopped', 'target-exited', 'limit', 'fault'])
      assert.ok(reasons.has(reason), reason);
  }).timeout(5 * 60_000);
});
