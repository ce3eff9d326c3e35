/** The mapping that the editor, its exports and the page are given: of the right recordings, and no more than they need. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { after, before, describe, it } from 'mocha';
import { EngineService } from '../../../src/extension/engine/engine-service.js';
import { MappingService } from '../../../src/extension/engine/mapping-service.js';
import { mapping, minifiedRecording } from '../symbols/minified-recording.js';
import { decoded } from '../trace/recordings.js';

const stacks = [['a.b.a:2'], ['a.b.a:2'], ['a.b.a:5']];

describe('the mapping of a workspace', () => {
  let folder: string;
  let file: string;
  before(() => {
    folder = mkdtempSync(path.join(os.tmpdir(), 'btrace-mapping-'));
    file = path.join(folder, 'mapping.txt');
    writeFileSync(file, mapping);
  });
  after(() => rmSync(folder, { recursive: true, force: true }));

  it('gives lenses the methods and lines as written', async () => {
    const service = new MappingService();
    const trace = await service.retraced(decoded(minifiedRecording({ stacks })), {
      path: file,
      chosen: false,
    });
    const figures = new EngineService().take(trace);
    const rows = Array.from(figures.name, (name, row) => `${figures.className[row]}.${name}`).sort();
    assert.deepEqual(rows, ['shop.Cart.total', 'shop.Line.price', 'shop.Till.open']);
    assert.deepEqual(figures.fileKeys, ['shop/Cart.java', 'shop/Lines.java', 'shop/Till.kt']);
    const price = figures.name.indexOf('price');
    assert.deepEqual(
      [...figures.line.subarray(figures.lineStart[price], figures.lineStart[price + 1])],
      [71],
    );
  });

  it('that was only found is not that of a JVM', async () => {
    const service = new MappingService();
    const jvm = decoded(minifiedRecording({ runtime: 'HotSpot 17', stacks }));
    assert.equal(await service.retraced(jvm, { path: file, chosen: false }), jvm);
    assert.equal(await service.excerptFor({ path: file, chosen: false }, jvm), '');
    assert.match(await service.excerptFor({ path: file, chosen: true }, jvm), /^shop\.Till -> a\.b:$/m);
    assert.equal(await service.excerptFor({ path: '', chosen: false }, jvm), '');
  });
});
