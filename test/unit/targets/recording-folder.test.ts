/** Each recording has a file of its own, though several of one target begin in one second. */
import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { newRecordingFile } from '../../../src/targets/recording-folder.js';

describe('the folder of recordings', () => {
  const when = new Date(2026, 4, 4, 13, 37, 0);
  let folder: string;
  beforeEach(async () => (folder = await mkdtemp(path.join(tmpdir(), 'btrace-folder-'))));
  afterEach(() => rm(folder, { recursive: true }));

  it('gives no name twice, also before there are files', async () => {
    const files = await Promise.all(
      Array.from({ length: 3 }, () => newRecordingFile(path.join(folder, 'new'), 'Shop', when)),
    );
    assert.deepEqual(files.map((file) => path.relative(folder, file)).sort(), [
      'new/Shop 2026-05-04 13.37.00 2.btrace',
      'new/Shop 2026-05-04 13.37.00 3.btrace',
      'new/Shop 2026-05-04 13.37.00.btrace',
    ]);
    assert.match(await readFile(path.join(folder, 'new', '.gitignore'), 'utf8'), /^\*$/m);
  });

  it('gives no name that a file has, whoever wrote it', async () => {
    await writeFile(path.join(folder, 'Shop 2026-05-04 13.37.00.btrace'), '');
    await writeFile(path.join(folder, 'Shop 2026-05-04 13.37.00 2.btrace'), '');
    const file = await newRecordingFile(folder, 'Shop', when);
    assert.equal(path.basename(file), 'Shop 2026-05-04 13.37.00 3.btrace');
    assert.equal(
      path.basename(await newRecordingFile(folder, 'Till', when)),
      'Till 2026-05-04 13.37.00.btrace',
    );
  });
});
