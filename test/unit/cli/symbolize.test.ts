/** `btrace symbolize`: what it writes of recordings that are whole, torn or newer, and what it refuses. */
import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { PassThrough } from 'node:stream';
import { parseInput } from '../../../src/cli/command-line.js';
import { symbolize } from '../../../src/cli/commands/symbolize.js';
import { Terminal } from '../../../src/cli/terminal.js';
import { ChunkKind, encodeChunk, fileMagic, messages } from '../../../src/trace/index.js';
import { encodeNodes } from '../../../src/trace/recording/nodes.js';
import { elfFile } from '../../rigs/elf-file.js';
import { chunksOf } from '../trace/mutations.js';

const buildId = Uint8Array.of(9, 8, 7, 6);
const newerKind = 60;

describe('btrace symbolize', () => {
  let folder: string;
  const file = (name: string): string => path.join(folder, name);
  const chunks: (readonly [kind: number, payload: Uint8Array])[] = [
    [ChunkKind.Header, messages.Header.encode({ major: 1 })],
    [ChunkKind.Images, messages.Images.encode({ images: [{ id: 3, path: '/no/such/libx.so', buildId }] })],
    [newerKind, Uint8Array.of(1, 2, 3)],
    [ChunkKind.Nodes, encodeNodes({ id: [1], parent: [0], frame: [0x1001], position: [-1], image: [3] })],
  ];
  const footer = [ChunkKind.Footer, messages.Footer.encode({ endNs: 5, reason: 77 })] as const;

  function put(name: string, all: typeof chunks): Uint8Array {
    const bytes = Buffer.concat([
      fileMagic,
      ...all.map(([kind, payload], sequence) => encodeChunk(kind, payload, sequence)),
    ]);
    writeFileSync(file(name), bytes);
    return bytes;
  }
  const kindsOf = (name: string): number[] => chunksOf(readFileSync(file(name))).map(({ kind }) => kind);

  async function run(...args: string[]): Promise<{ printed: string; noted: string }> {
    const [out, err] = [new PassThrough(), new PassThrough()];
    await symbolize.run(parseInput(symbolize, args), new Terminal(out, err, {}));
    const text = (stream: PassThrough): string => (stream.read() as Buffer | null)?.toString() ?? '';
    return { printed: text(out), noted: text(err) };
  }

  before(() => {
    folder = mkdtempSync(path.join(os.tmpdir(), 'btrace-symbolize-'));
    writeFileSync(file('libx.so'), elfFile([{ name: 'first', start: 0x1000, size: 0x100 }], buildId));
    put('whole.btrace', [...chunks, footer]);
    writeFileSync(file('empty.btrace'), '');
    writeFileSync(file('other.txt'), 'To whom it may concern');
  });
  after(() => rmSync(folder, { recursive: true, force: true }));

  it('names functions by the files below --symbols, and keeps kinds and an end that it does not know', async () => {
    const args = [file('whole.btrace'), '-o', file('named.btrace'), '--symbols', folder, '--json'];
    const { printed } = await run(...args);
    assert.deepEqual(JSON.parse(printed), {
      ...{ file: file('named.btrace'), functions: 1, places: 1, problems: [], damaged: [], missing: [] },
    });
    const { Header, Images, Symbols, Nodes, Footer } = ChunkKind;
    assert.deepEqual(kindsOf('named.btrace'), [Header, Images, newerKind, Symbols, Nodes, Footer]);
    const last = chunksOf(readFileSync(file('named.btrace'))).at(-1)!;
    assert.equal(messages.Footer.decode(last.stored).reason, 77);
    const again = await run(file('named.btrace'), '-o', file('again.btrace'), '--symbols', folder);
    assert.match(again.noted, /No native function was found that had no name/);
    assert.deepEqual(kindsOf('again.btrace'), kindsOf('named.btrace'));
  });

  it('says what of a torn recording is missing in what it writes, which has no end then', async () => {
    const bytes = put('torn.btrace', chunks);
    writeFileSync(file('torn.btrace'), bytes.subarray(0, bytes.length - 3));
    const { noted } = await run(file('torn.btrace'), '-o', file('kept.btrace'), '--symbols', folder);
    assert.match(noted, /torn\.btrace: the bytes end within a chunk/);
    assert.deepEqual(kindsOf('kept.btrace'), [ChunkKind.Header, ChunkKind.Images, newerKind]);
  });

  it('takes a damaged footer for none', async () => {
    put('footer.btrace', [...chunks, [ChunkKind.Footer, Uint8Array.of(0x08)]]);
    const { noted } = await run(file('footer.btrace'), '-o', file('endless.btrace'));
    assert.match(noted, /footer\.btrace: the footer is damaged/);
    assert.ok(!kindsOf('endless.btrace').includes(ChunkKind.Footer));
  });

  it('writes nothing where it cannot do what is asked', async () => {
    const [whole, to] = [file('whole.btrace'), file('never.btrace')];
    await assert.rejects(async () => await run(whole), /Give -o FILE/);
    await assert.rejects(async () => await run('-o', to), /recording/i);
    await assert.rejects(run(file('other.txt'), '-o', to), /other\.txt is no recording of BTrace/);
    await assert.rejects(run(file('empty.btrace'), '-o', to), /empty\.btrace is no recording of BTrace/);
    await assert.rejects(run(file('none.btrace'), '-o', to), /cannot be read: there is no such file/);
    await assert.rejects(run(whole, '-o', whole), /is there already/);
    assert.ok(!existsSync(to));
  });
});
