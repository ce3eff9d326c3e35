import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, it } from 'mocha';
import { NativeNames } from '../../../src/targets/session/native-names.js';
import { type Chunk, ChunkKind } from '../../../src/trace/recording/chunk.js';
import { Images, Symbols } from '../../../src/trace/recording/messages.js';
import { encodeNodes } from '../../../src/trace/recording/nodes.js';
import { elfFile } from '../../rigs/elf-file.js';

const buildId = Uint8Array.of(1, 2, 3, 4);

function chunk(kind: number, stored: Uint8Array): Chunk {
  return { kind, stored, rawLength: stored.length, flags: 0, sequence: 0, offset: 0 };
}

describe('names of native frames', () => {
  let root: string;
  let names: NativeNames;

  beforeEach(() => {
    root = mkdtempSync(path.join(tmpdir(), 'root-'));
    mkdirSync(path.join(root, 'lib'));
    const functions = ['first', 'second'].map((name, at) => ({
      name,
      start: 0x1000 * (at + 1),
      size: 0x100,
    }));
    writeFileSync(path.join(root, 'lib/libx.so'), elfFile(functions, buildId));
    names = new NativeNames(root);
  });
  afterEach(() => {
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
    return before && Symbols.decode(before.stored).functions;
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

  it('are left to the reader where a chunk is damaged', async () => {
    assert.equal(await names.before(chunk(ChunkKind.Images, Uint8Array.of(0xff))), undefined);
    assert.equal(await names.before(chunk(ChunkKind.Nodes, Uint8Array.of(0xff))), undefined);
  });
});
