import assert from 'node:assert/strict';
import { gzipSync } from 'node:zlib';
import { TraceReader } from '../../../src/trace/trace-reader.js';
import { synthetic } from './recordings.js';

function readAll(bytes: Uint8Array, pieceBytes: number): TraceReader {
  const reader = new TraceReader();
  for (let at = 0; at < bytes.length; at += pieceBytes) reader.append(bytes.subarray(at, at + pieceBytes));
  reader.finish();
  return reader;
}

describe('the one reader of trace files', () => {
  it('reads recordings and foreign traces, however they are cut', async () => {
    const { bytes } = await synthetic({ samples: 200, threads: 2 });
    const collapsed = Buffer.from('main;a;b 3\nmain;a;c 1\n');
    for (const file of [bytes, collapsed, gzipSync(collapsed)]) {
      const [whole, cut] = [readAll(file, file.length), readAll(file, 3)];
      assert.equal(whole.refusal, undefined);
      assert.equal(cut.refusal, undefined);
      assert.ok(whole.trace().threads.length > 0);
      assert.equal(cut.trace().threads.length, whole.trace().threads.length);
      assert.equal(cut.trace().endNs, whole.trace().endNs);
    }
  });

  it('shows a recording of which a part has come', async () => {
    const { bytes } = await synthetic({ samples: 2000, threads: 1 });
    const reader = new TraceReader();
    reader.append(bytes.subarray(0, bytes.length >> 1));
    assert.ok(reader.trace().threads.length > 0);
  });

  it('says what a file is that is no trace, before its end', () => {
    const reader = new TraceReader();
    const packed = Buffer.alloc(1 << 17, Buffer.from([0x28, 0xb5, 0x2f, 0xfd]));
    reader.append(packed);
    assert.deepEqual(reader.refusal?.what, 'zstd file');
    assert.match(reader.refusal.advice, /zstd -d/);
  });

  it('refuses empty files, broken gzip and recordings of another version by name', () => {
    assert.equal(readAll(new Uint8Array(0), 1).refusal?.what, 'empty file');
    const torn = readAll(Buffer.from([0x1f, 0x8b, 8, 0, 9, 9, 9, 9, 9, 9, 9, 9, 9]), 100).refusal;
    assert.match(torn?.what ?? '', /gzip file cannot be inflated/);
    assert.equal(torn?.isOtherFile, false);
    assert.match(readAll(Buffer.from('BTRACE, a poem'), 100).refusal?.what ?? '', /not a BTrace recording/);
  });
});
