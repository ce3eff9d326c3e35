import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { buildSync } from 'esbuild';
import { describe, it } from 'mocha';
import { NativeNames } from '../../../src/targets/session/native-names.js';
import { nativeNames, type NameSource } from '../../../src/targets/session/native-names-thread.js';
import { type Chunk, ChunkKind } from '../../../src/trace/recording/chunk.js';
import { Images, Symbols } from '../../../src/trace/recording/messages.js';
import { encodeNodes } from '../../../src/trace/recording/nodes.js';
import { elfFile } from '../../rigs/elf-file.js';

const buildId = Uint8Array.of(1, 2, 3, 4);

function chunk(kind: number, stored: Uint8Array): Chunk {
  return { kind, stored, rawLength: stored.length, flags: 0, sequence: 0, offset: 0 };
}

/** A folder with the bundle of the thread, as a package has it. */
function packageFolder(): string {
  const folder = mkdtempSync(path.join(tmpdir(), 'package-'));
  buildSync({
    entryPoints: ['src/targets/session/native-names-worker.ts'],
    outfile: path.join(folder, 'dist/native-names-worker.cjs'),
    ...{ bundle: true, platform: 'node', format: 'cjs', logLevel: 'error' },
  });
  return folder;
}

for (const where of ['this thread', 'a thread of their own'])
  describe(`names of native frames, made on ${where}`, () => {
    let root: string;
    let names: NameSource;
    let bundle: string | undefined;

    before(() => {
      if (where !== 'this thread') bundle = packageFolder();
    });
    after(() => {
      if (bundle !== undefined) rmSync(bundle, { recursive: true });
    });

    beforeEach(() => {
      root = mkdtempSync(path.join(tmpdir(), 'root-'));
      mkdirSync(path.join(root, 'lib'));
      const functions = ['first', 'second'].map((name, at) => ({
        name,
        start: 0x1000 * (at + 1),
        size: 0x100,
      }));
      writeFileSync(path.join(root, 'lib/libx.so'), elfFile(functions, buildId));
      names = nativeNames({ root }, bundle === undefined ? [] : [bundle], (line) => assert.fail(line));
      assert.equal(names instanceof NativeNames, bundle === undefined);
    });
    afterEach(() => {
      names.close();
      rmSync(root, { recursive: true });
    });

    const images = (id: Uint8Array): Chunk =>
      chunk(ChunkKind.Images, Images.encode({ images: [{ id: 3, path: '/lib/libx.so', buildId: id }] }));
    async function of(...offsets: number[]): Promise<unknown> {
      const id = offsets.map((_, at) => at + 1);
      const nodes = encodeNodes({
        id,
        parent: id.map(() => 0),
        frame: offsets,
        position: id.map(() => -1),
        image: id.map(() => 3),
      });
      const before = await names.before(chunk(ChunkKind.Nodes, nodes));
      return (
        before &&
        Symbols.decode(before.stored).functions.map(({ image, start, name, offset }) => ({
          image,
          start,
          name,
          offset,
        }))
      );
    }

    it('come before the nodes, each offset once', async () => {
      assert.equal(await names.before(images(buildId)), undefined);
      assert.deepEqual(await of(0x1001, 0x2001, 0x1002, 0x5000), [
        { image: 3, start: 0x1000, name: 'first', offset: [0x1001, 0x1002] },
        { image: 3, start: 0x2000, name: 'second', offset: [0x2001] },
      ]);
      assert.equal(await of(0x1001, 0x5000), undefined);
      assert.deepEqual(await of(0x1001, 0x1003), [
        { image: 3, start: 0x1000, name: 'first', offset: [0x1003] },
      ]);
    });

    it('are not those of a library that has been built anew since, or of no build', async () => {
      await names.before(images(Uint8Array.of(4, 3, 2, 1)));
      assert.equal(await of(0x1001), undefined);
      await names.before(images(new Uint8Array(0)));
      assert.equal(await of(0x1001), undefined);
    });

    it('are those of the file where it has some, else those that the agent found in memory', async () => {
      await names.before(images(buildId));
      const told = (offset: number[], name: string, ofMemory = true): Chunk =>
        chunk(
          ChunkKind.Symbols,
          Symbols.encode({ functions: [{ image: 3, start: 0x5000, name, offset, ofMemory }] }),
        );
      const instead = await names.before(told([0x5001, 0x1001, 0x5002], '_ZN5shelf7arrangeEi'));
      assert.equal(instead?.kind, ChunkKind.Symbols);
      assert.deepEqual(
        Symbols.decode(instead.stored).functions.map(({ start, name, offset, ofMemory }) => [
          start,
          name,
          offset,
          ofMemory,
        ]),
        [
          [0x5000, 'shelf::arrange(int)', [0x5001, 0x5002], true],
          [0x1000, 'first', [0x1001], false],
        ],
      );
      assert.equal(await of(0x1001, 0x5001), undefined);
      assert.equal(await names.before(told([0x1002], 'of a desktop', false)), undefined);
      assert.equal(await of(0x1002), undefined);
    });

    it('are left to the reader where a chunk is damaged', async () => {
      assert.equal(await names.before(chunk(ChunkKind.Images, Uint8Array.of(0xff))), undefined);
      assert.equal(await names.before(chunk(ChunkKind.Nodes, Uint8Array.of(0xff))), undefined);
    });
  });

describe('a recording whose thread of names', () => {
  const images = chunk(ChunkKind.Images, Images.encode({ images: [] }));
  let folder: string;
  let said: string[];
  let names: NameSource;

  function withWorker(source: string, answerMs?: number): void {
    folder = mkdtempSync(path.join(tmpdir(), 'package-'));
    mkdirSync(path.join(folder, 'dist'));
    writeFileSync(path.join(folder, 'dist/native-names-worker.cjs'), source);
    said = [];
    names = nativeNames({ root: '' }, [folder], (line) => said.push(line), answerMs);
  }
  afterEach(() => {
    names.close();
    rmSync(folder, { recursive: true });
  });

  const hangs = "require('node:worker_threads').parentPort.on('message', () => { for (;;); });";

  it('hangs goes on without names, and says so', async () => {
    withWorker(hangs, 300);
    assert.equal(await names.before(images), undefined);
    assert.match(said.join(), /have no names: reading them took over 0.3 s/);
    assert.equal(await names.before(images), undefined);
    assert.equal(said.length, 1);
  });

  it('hangs does not wait for it once that is closed', async () => {
    withWorker(hangs);
    const asked = names.before(images);
    names.close();
    assert.equal(await asked, undefined);
    assert.deepEqual(said, []);
  });

  it('dies goes on without names, and says so', async () => {
    withWorker(
      "require('node:worker_threads').parentPort.on('message', () => { throw new Error('broken'); });",
    );
    assert.equal(await names.before(images), undefined);
    assert.equal(await names.before(images), undefined);
    assert.match(said.join(), /have no names: broken/);
  });
});
