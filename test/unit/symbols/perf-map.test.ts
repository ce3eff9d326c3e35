import assert from 'node:assert/strict';
import { appendFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { PerfMap } from '../../../src/symbols/native/perf-map.js';
import { cpuMs } from '../cpu-time.js';

describe('the names of code made at run time', () => {
  let root: string;
  let file: string;
  const uid = process.getuid?.() ?? 0;
  beforeEach(() => {
    root = mkdtempSync(path.join(os.tmpdir(), 'btrace-test-'));
    mkdirSync(path.join(root, 'tmp'));
    file = path.join(root, 'tmp/perf-7.map');
  });
  afterEach(() => rmSync(root, { recursive: true }));
  const map = (owner = uid): PerfMap => new PerfMap({ innerPid: 7, uid: owner, root });
  const names = async (of: PerfMap, ...addresses: number[]): Promise<(string | undefined)[]> =>
    (await of.find(addresses)).map((found) => found?.name);

  it('are those of the function that an address lies in, also of ones that come later', async () => {
    const found = map();
    assert.deepEqual(await names(found, 0x1000), [undefined]);
    writeFileSync(file, '1000 10 first\n0x2000 0x20 second one\n30');
    assert.deepEqual(await names(found, 0xfff, 0x1000, 0x100f, 0x1010, 0x201f), [
      undefined,
      'first',
      'first',
      undefined,
      'second one',
    ]);
    appendFileSync(file, '00 8 third\n1000 10 replaced\n');
    assert.deepEqual(await names(found, 0x3000, 0x1000), ['third', 'replaced']);
  });

  it('are bounded, and no piece of the file takes a string for each line', async () => {
    const lines = Array.from({ length: (1 << 20) + 1 }, (_, at) => `${(at + 1).toString(16)} 1 a\n`);
    writeFileSync(file, `${'\n'.repeat(1 << 21)}${lines.join('')}1 1 replaced\n`);
    assert.deepEqual(await names(map(), 1, 1 << 20, (1 << 20) + 1), ['replaced', 'a', undefined]);
  });

  it('tell the source that V8 and CPython tell in them', async () => {
    writeFileSync(
      file,
      [
        '1000 10 JS:*fib /srv/my app.js:3:12',
        '2000 10 JS:~ file:///srv/caf%C3%A9.mjs:1:1',
        '3000 10 py::work:/srv/app.py',
        '4000 10 void [app] Shop::Sum(int)[OptimizedTier1]',
        '5000 10 JS:+noPlace',
        '6000 10 py::',
        '7000 10 JS:*below /srv/app.js:-5:12',
        '8000 10 JS:*beyond /srv/app.js:2147483648:12',
      ].join('\n') + '\n',
    );
    const found = await map().find([0x1000, 0x2000, 0x3000, 0x4000, 0x5000, 0x6000, 0x7000, 0x8000]);
    assert.deepEqual(
      found.map((one) => one && [one.name, one.file, one.line]),
      [
        ['fib', '/srv/my app.js', 3],
        ['(anonymous)', '/srv/café.mjs', 1],
        ['work', '/srv/app.py', 0],
        ['void [app] Shop::Sum(int)[OptimizedTier1]', '', 0],
        ['noPlace', '', 0],
        ['py::', '', 0],
        ['below', '/srv/app.js', 0],
        ['beyond', '/srv/app.js', 0],
      ],
    );
  });

  it('are none in a file of another user, in a folder in its place, and in lines that say nothing', async () => {
    writeFileSync(
      file,
      'no line\n\n1000 zz x\n1000 0 empty\n1000\nffffffffffffffffff 10 far\n2000 10 good\n',
    );
    assert.deepEqual(await names(map(uid + 1), 0x2000), [undefined]);
    assert.deepEqual(await names(map(), 0x1000, 0x2000), [undefined, 'good']);
    rmSync(file);
    mkdirSync(file);
    assert.deepEqual(await names(map(), 0x2000), [undefined]);
  });

  it('are found in a time that the file bounds, whatever overlaps in it', async () => {
    const lines = Array.from({ length: 200_000 }, (_, at) => `${at.toString(16)} ffffffffff f${at}`);
    writeFileSync(file, lines.join('\n') + '\n');
    const begin = cpuMs();
    const found = await names(map(), ...Array.from({ length: 10_000 }, (_, at) => at * 20));
    assert.equal(found[1], 'f20');
    assert.ok(cpuMs() - begin < 10_000);
  });
});
