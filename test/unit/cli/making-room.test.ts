/** `record --force`: what is written over, and what is not. */
import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { makingRoom } from '../../../src/cli/recording/request.js';

describe('writing over a recording', () => {
  let folder: string;
  let output: string;
  beforeEach(() => {
    folder = mkdtempSync(path.join(tmpdir(), 'btrace-force-'));
    output = path.join(folder, 'a.btrace');
    writeFileSync(output, 'old');
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  const begins = (): Promise<string> => {
    assert.ok(!existsSync(output), 'there is room for it');
    writeFileSync(output, 'new');
    return Promise.resolve('begun');
  };

  it('makes room for the new one, and leaves nothing beside it', async () => {
    assert.equal(await makingRoom({ force: true, output }, begins), 'begun');
    assert.equal(readFileSync(output, 'utf8'), 'new');
    assert.deepEqual(readdirSync(folder), ['a.btrace']);
  });

  it('keeps the old one where the new one could not begin', async () => {
    const fails = (): Promise<never> => Promise.reject(new Error('no such program'));
    await assert.rejects(makingRoom({ force: true, output }, fails), /no such program/);
    assert.equal(readFileSync(output, 'utf8'), 'old');
    assert.deepEqual(readdirSync(folder), ['a.btrace']);
  });

  it('moves no folder, and nothing without being told to', async () => {
    const looks = (): Promise<boolean> => Promise.resolve(existsSync(output));
    assert.equal(await makingRoom({ force: false, output }, looks), true);
    const there = (): Promise<boolean> => Promise.resolve(existsSync(folder));
    assert.equal(await makingRoom({ force: true, output: folder }, there), true);
  });
});
