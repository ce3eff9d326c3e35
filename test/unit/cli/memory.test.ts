/** --memory: what a file may take, in every command that opens one. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { after, before, describe, it } from 'mocha';
import { convertFile } from '../../../src/cli/convert/conversion.js';
import { infoJson } from '../../../src/cli/info.js';
import { openTrace } from '../../../src/cli/open-trace.js';
import { writeChrome } from '../../../src/trace/formats/chrome-export.js';
import { usualMemoryBytes } from '../../../src/trace/index.js';
import { written } from '../formats/round-trip.js';
import { randomTrace } from '../formats/sample-traces.js';
import { synthetic } from '../trace/recordings.js';

describe('--memory', () => {
  const mostBytes = 200_000;
  let folder: string;
  const file = (name: string): string => path.join(folder, name);

  before(async () => {
    folder = mkdtempSync(path.join(os.tmpdir(), 'btrace-memory-'));
    writeFileSync(file('own.btrace'), (await synthetic({ samples: 20_000, threads: 2, methods: 100 })).bytes);
    writeFileSync(file('foreign.json'), written(writeChrome, randomTrace(3, 8000)));
  });
  after(() => rmSync(folder, { recursive: true, force: true }));

  it('shows the first part of what has no room, and says how much that is', async () => {
    const infoOf = async (name: string): Promise<Record<string, unknown>> =>
      infoJson(name, await openTrace(file(name), undefined, { mostBytes })) as Record<string, unknown>;
    const own = await infoOf('own.btrace');
    assert.ok(Number(own['recordingEndNs']) > Number(own['endNs']));
    const { fileShare } = await infoOf('foreign.json');
    assert.ok(Number(fileShare) > 0 && Number(fileShare) < 1, `${String(fileShare)} of the file`);
  });

  it('converts no part, says what to do, and reads no further than it must', async () => {
    const stacks = Array.from({ length: 100_000 }, (_, i) => `main;${'open'.repeat(16)}${i};read 1\n`);
    writeFileSync(file('long.folded'), stacks.join(''));
    const said: string[] = [];
    const conversion = (name: string, memoryBytes: number) =>
      convertFile(
        {
          input: file(name),
          output: file('out'),
          format: 'collapsed',
          thread: undefined,
          weight: undefined,
          redact: false,
          mapping: undefined,
          memoryBytes,
        },
        (words) => said.push(words),
      );
    // Of the last one half is read at once, and takes what is given.
    const nextSteps = {
      'own.btrace': 'Give more with --memory.',
      'foreign.json': 'Give more with --memory.',
      'long.folded': 'Give more with --memory, 381 KB at least.',
    };
    for (const [name, nextStep] of Object.entries(nextSteps)) {
      said.length = 0;
      await assert.rejects(conversion(name, mostBytes), {
        message: /takes more than 195 KB of memory: nothing was written/,
        nextStep,
      });
      assert.ok(!said.some((words) => words.endsWith('100 %')), said.join());
      assert.ok((await conversion(name, usualMemoryBytes)).bytes > 0);
    }
  });
});
