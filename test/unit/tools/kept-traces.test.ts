import assert from 'node:assert/strict';
import { mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { KeptTraces } from '../../../src/tools/kept-traces.js';
import type { Trace } from '../../../src/trace/index.js';

describe('traces that are kept for a conversation', () => {
  let folder: string;
  let kept: KeptTraces;
  let opened: string[];
  beforeEach(() => {
    folder = mkdtempSync(path.join(tmpdir(), 'kept-traces-'));
    kept = new KeptTraces();
    opened = [];
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  const fileOf = (name: string): string => path.join(folder, name);
  const get = (name: string, settings = ''): Promise<Trace> =>
    kept.get(fileOf(name), settings, () => {
      opened.push(name + settings);
      return Promise.resolve({} as Trace);
    });

  it('are opened once, and again as soon as the file is another one', async () => {
    writeFileSync(fileOf('a'), 'first');
    const first = await get('a');
    assert.equal(await get('a'), first);
    // As recordings are written: under another name until they are whole. Its size is the same.
    writeFileSync(fileOf('part'), 'later');
    renameSync(fileOf('part'), fileOf('a'));
    const later = await get('a');
    assert.notEqual(later, first);
    assert.equal(await get('a'), later);
    assert.deepEqual(opened, ['a', 'a']);
  });

  it('are told apart by their settings', async () => {
    writeFileSync(fileOf('a'), '');
    await get('a', ' mapped');
    await get('a');
    await get('a', ' mapped');
    assert.deepEqual(opened, ['a mapped', 'a']);
  });

  it('are the last three', async () => {
    const names = ['a', 'b', 'c', 'd'];
    for (const name of names) writeFileSync(fileOf(name), name);
    for (const name of [...names, 'd', 'c', 'b', 'a']) await get(name);
    assert.deepEqual(opened, [...names, 'a']);
  });

  it('are opened again after a failure', async () => {
    await assert.rejects(
      kept.get(fileOf('a'), '', () => Promise.reject(new Error('none'))),
      /none/,
    );
    await get('a');
    assert.deepEqual(opened, ['a']);
  });
});
