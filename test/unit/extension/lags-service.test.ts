/** Lag files of a folder for the view Lags: names as their own builds wrote them, and no more rows than can be shown. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { LagsService } from '../../../src/extension/engine/lags-service.js';
import { RetraceMappingService } from '../../../src/extension/engine/retrace-mapping-service.js';
import { ChunkKind, encodeChunk, fileMagic, messages } from '../../../src/trace/index.js';

function lagFile(file: string, ...methods: string[]): Uint8Array {
  const frames = methods.map((method) => ({ className: 'a', method, file, line: 3 }));
  const lag = messages.Lag.encode({ beginNs: 1e9, endNs: 3e9, frames, appVersion: methods.join() });
  return Buffer.concat([fileMagic, encodeChunk(ChunkKind.Lag, lag, 0)]);
}

describe('the lags of a folder', () => {
  let folder: string;
  beforeEach(() => (folder = mkdtempSync(path.join(tmpdir(), 'btrace-lags-service-'))));
  afterEach(() => rmSync(folder, { recursive: true }));
  const service = new LagsService(new RetraceMappingService());

  it('have names as written by the mapping of their build, or by one that a person chose', async () => {
    const paths = ['1111111', '2222222'].map((build) => {
      const file = path.join(folder, `${build}.txt`);
      const text = `# pg_map_id: ${build}\nshop.Cart${build[0]} -> a:\n    1:9:void load():10:18 -> a\n`;
      writeFileSync(file, text);
      return file;
    });
    for (const [at, file] of ['r8-map-id-1111111', 'r8-map-id-2222222', 'A.java'].entries())
      for (const copy of [1, 2])
        writeFileSync(path.join(folder, `lag-${at}-${copy}.btrace`), lagFile(file, 'a'));
    const framesBy = async (chosen: boolean) => {
      const { groups } = await service.group(folder, { paths, chosen }, () => undefined);
      return groups.map(({ frames, count }) => [...frames, count].join()).sort();
    };
    assert.deepEqual(await framesBy(false), ['a.a,2', 'shop.Cart1.load,2', 'shop.Cart2.load,2']);
    assert.deepEqual(await framesBy(true), ['shop.Cart1.load,6']);
  });

  it('are cut to what a person looks at, and the rest is counted', async () => {
    for (let at = 0; at < 203; at++)
      writeFileSync(path.join(folder, `lag-${at}.btrace`), lagFile('A.java', `f${at}`, 'g'));
    for (let at = 0; at < 60; at++)
      writeFileSync(path.join(folder, `often-${at}.btrace`), lagFile('A.java', 'f0', 'g', `h${at}`));
    const told: number[] = [];
    const found = await service.group(folder, { paths: [], chosen: false }, (files) => told.push(files));
    const [first, ...others] = found.groups;
    assert.deepEqual([others.length, found.moreGroups, found.all.count, told], [199, 3, 263, [200]]);
    assert.deepEqual([first!.frames, first!.count], [['a.f0', 'a.g'], 61]);
    assert.deepEqual([first!.versions.length, first!.moreVersions, first!.trend], [10, 51, [61]]);
    const places = service.places(0);
    assert.deepEqual([places.length, places[0]!.longest.length], [50, 1]);
    assert.deepEqual(service.places(500), []);
  });
});
