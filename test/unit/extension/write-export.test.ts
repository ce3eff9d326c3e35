/** What the editor exports: all of the file that was opened, whichever format it has, or nothing. */
import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { after, before, describe, it } from 'mocha';
import { TraceReader } from '../../../src/trace/trace-reader.js';
import { writeExport } from '../../../src/extension/engine/write-export.js';
import { writeChrome } from '../../../src/trace/formats/chrome-export.js';
import type { Trace } from '../../../src/trace/index.js';
import { written } from '../formats/round-trip.js';
import { randomTrace } from '../formats/sample-traces.js';
import { synthetic } from '../trace/recordings.js';

describe('an export of the editor', () => {
  let folder: string;
  const files: Record<string, Uint8Array> = {};

  before(async () => {
    folder = mkdtempSync(path.join(os.tmpdir(), 'btrace-export-'));
    files['own'] = (await synthetic({ samples: 20_000, threads: 2, methods: 100 })).bytes;
    files['foreign'] = written(writeChrome, randomTrace(3, 8000));
  });
  after(() => rmSync(folder, { recursive: true, force: true }));

  function read(bytes: Uint8Array, mostBytes: number): Trace {
    const reader = new TraceReader({ mostBytes });
    for (let at = 0; at < bytes.length; at += 2 ** 17) reader.append(bytes.subarray(at, at + 2 ** 17));
    reader.finish();
    return reader.trace();
  }

  it('is whole, or says what to do and leaves nothing behind', () => {
    for (const [name, bytes] of Object.entries(files)) {
      const to = path.join(folder, name);
      assert.throws(
        () => writeExport(read(bytes, 200_000), 'collapsed', to),
        /more memory than the setting btrace\.files\.memoryMegabytes allows: nothing was written/,
      );
      assert.deepEqual(readdirSync(folder), []);
      assert.ok(writeExport(read(bytes, 2 ** 30), 'collapsed', to) > 0);
      rmSync(to);
    }
  });
});
