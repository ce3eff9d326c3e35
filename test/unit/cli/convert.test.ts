/** A recording written anew, chunk by chunk: all that is whole of a damaged one, or a failure that is told. */
import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { after, before, describe, it } from 'mocha';
import { convertFile } from '../../../src/cli/convert/conversion.js';
import { usualMemoryBytes } from '../../../src/trace/index.js';
import { chunksOf } from '../trace/mutations.js';
import { synthetic } from '../trace/recordings.js';

describe('a recording that has no end, written as a recording', () => {
  let folder: string;
  let bytes: Uint8Array;
  const file = (name: string): string => path.join(folder, name);

  before(async () => {
    folder = mkdtempSync(path.join(os.tmpdir(), 'btrace-convert-'));
    bytes = (await synthetic({ samples: 20_000, threads: 2, methods: 100 })).bytes;
    bytes = bytes.subarray(0, chunksOf(bytes).at(-1)?.offset);
  });
  after(() => rmSync(folder, { recursive: true, force: true }));

  const conversion = (output: string) =>
    convertFile(
      {
        input: file('torn.btrace'),
        output,
        format: 'btrace',
        thread: undefined,
        weight: undefined,
        redact: false,
        mapping: undefined,
        memoryBytes: usualMemoryBytes,
      },
      () => undefined,
    );

  it('keeps the chunks behind a length that lies, which are found last of all', async () => {
    const chunks = chunksOf(bytes);
    const [, , liar] = chunks;
    const damaged = bytes.slice();
    new DataView(damaged.buffer).setUint32((liar?.offset ?? 0) + 12, 16 * 1024 * 1024, true);
    writeFileSync(file('torn.btrace'), damaged);
    const { problems } = await conversion(file('whole.btrace'));
    assert.ok(problems.length > 0);
    const kinds = (of: readonly { readonly kind: number }[]): number[] => of.map(({ kind }) => kind);
    assert.deepEqual(
      kinds(chunksOf(readFileSync(file('whole.btrace')))),
      kinds(chunks.filter((chunk) => chunk !== liar)),
    );
  });

  it('is not called written when the disk is full', async () => {
    writeFileSync(file('torn.btrace'), bytes);
    await assert.rejects(conversion('/dev/full'), { code: 'ENOSPC' });
  });
});
