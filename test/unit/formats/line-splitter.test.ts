import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { LineSplitter } from '../../../src/trace/formats/line-splitter.js';

function split(text: string, pieceBytes: number): string[] {
  const lines: string[] = [];
  const splitter = new LineSplitter((bytes, from, to, offset) => {
    lines.push(`${offset}:${Buffer.from(bytes.subarray(from, to)).toString()}`);
  }, 8);
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; at += pieceBytes) splitter.append(bytes.subarray(at, at + pieceBytes));
  splitter.finish();
  return lines;
}

describe('lines', () => {
  it('are the same however the bytes are cut, also those that are too long', () => {
    const text = 'a b\r\n\n123456789abcdefghijklmnop\r\nexactly8\r\nexactly9!\nx\n0123456789';
    const expected = ['0:a b', '6:12345678', '33:exactly8', '43:exactly9', '53:x', '55:01234567'];
    for (let pieceBytes = 1; pieceBytes <= text.length; pieceBytes++)
      assert.deepEqual(split(text, pieceBytes), expected, `pieces of ${pieceBytes}`);
  });
});
