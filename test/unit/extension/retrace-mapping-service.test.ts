/** The mapping that the editor, its exports and the page are given: of the right recordings, and no more than they need. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { after, before, describe, it } from 'mocha';
import { EngineService } from '../../../src/extension/engine/engine-service.js';
import { RetraceMappingService } from '../../../src/extension/engine/retrace-mapping-service.js';
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
    const service = new RetraceMappingService();
    const trace = await service.retraced(decoded(minifiedRecording({ stacks })), {
      paths: [file],
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
    const service = new RetraceMappingService();
    const jvm = decoded(minifiedRecording({ runtime: 'HotSpot 17', stacks }));
    const found = { paths: [file], chosen: false };
    assert.equal(await service.retraced(jvm, found), jvm);
    assert.equal((await service.excerptFor(found, jvm)).text, '');
    assert.match((await service.excerptFor({ ...found, chosen: true }, jvm)).text, /^shop\.Till -> a\.b:$/m);
    assert.equal((await service.excerptFor({ paths: [], chosen: false }, jvm)).text, '');
  });

  it('is that of the recorded build, where the recording tells which that was', async () => {
    const build = (name: string, id: string, till: string): string => {
      const path = `${folder}/${name}.txt`;
      writeFileSync(path, `# compiler: R8\n# pg_map_id: ${id}\n${mapping.replace('shop.Till', till)}`);
      return path;
    };
    const newest = build('newest', '7777777', 'shop.New');
    const older = build('older', '1234567', 'shop.Older');
    const service = new RetraceMappingService();
    const recorded = (file: string) => decoded(minifiedRecording({ stacks, file }));
    const found = { paths: [newest, file, older], chosen: false };
    const namedIn = async (file: string, known = found): Promise<string[]> => {
      const { methods } = await service.retraced(recorded(file), known);
      return Array.from({ length: methods.count }, (_, at) => methods.className(at));
    };
    assert.ok((await namedIn('SourceFile')).includes('shop.New'), 'the newest, as nothing is known');
    const hash = `r8-map-id-1234567${'89abcdef'.repeat(7)}`;
    assert.ok((await namedIn(hash)).includes('shop.Older'));
    const { path: from, isOther } = await service.excerptFor(found, recorded('r8-map-id-1234567'));
    assert.deepEqual([from, isOther], [older, false]);
    // None of them is of that build.
    assert.ok((await namedIn('r8-map-id-9999999')).includes('a.b'), 'names stay as recorded');
    assert.equal((await service.excerptFor(found, recorded('r8-map-id-9999999'))).text, '');
    // A person chose another.
    const chosen = { paths: [newest], chosen: true };
    assert.ok((await namedIn(hash, chosen)).includes('shop.New'));
    assert.equal((await service.excerptFor(chosen, recorded(hash))).isOther, true);
    assert.equal((await service.excerptFor({ ...chosen, paths: [file] }, recorded(hash))).isOther, false);
    const frame = { className: 'a.b', method: 'a', signature: '(I)V', file: hash, line: 2 };
    assert.equal((await service.retrace(found, frame))[0]?.className, 'shop.Older');
    assert.deepEqual(await service.retrace(found, { ...frame, file: 'r8-map-id-9' }), [
      { ...frame, file: 'r8-map-id-9' },
    ]);
  });
});
