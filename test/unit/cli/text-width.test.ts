// Columns that a text takes in a terminal.
import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { table } from '../../../src/cli/terminal.js';
import { cutEnd, cutStart, padEnd, padStart, widthOf } from '../../../src/cli/text-width.js';

describe('the width of a text', () => {
  it('is two columns for each Chinese, Japanese and Korean character, and none for a mark on a letter', () => {
    assert.equal(widthOf('main'), 4);
    assert.equal(widthOf('线程，1 个'), 10);
    assert.equal(widthOf('スレッド'), 8);
    assert.equal(widthOf('스레드'), 6);
    assert.equal(widthOf('ﾊﾝｶｸ'), 4);
    assert.equal(widthOf('Größe – µs'), 10);
    assert.equal(widthOf('e\u0301'), 1);
    assert.equal(widthOf('𠀀🚀'), 4);
  });

  it('is what is filled and cut by; a wide character is not halved', () => {
    assert.equal(padEnd('线程', 6), '线程  ');
    assert.equal(padStart('线程', 6), '  线程');
    assert.equal(padEnd('线程', 3), '线程');
    assert.equal(cutEnd('线程a', 3), '线');
    assert.equal(cutStart('a线程', 3), '程');
    assert.equal(cutEnd('thread', 3), 'thr');
    assert.equal(cutStart('thread', 3), 'ead');
    for (const width of [0, -1]) assert.equal(cutEnd('线a', width) + cutStart('线a', width), '');
  });

  it('lines the columns of a table up, and keeps it within the terminal', () => {
    const rows = [
      ['线程', '次数', '方法'],
      ['main', '12', '应用.启动'],
      ['工作线程-1', '3', 'a'],
    ];
    const lines = table(rows, [false, true, false]);
    assert.deepEqual(lines, ['线程        次数  方法', 'main          12  应用.启动', '工作线程-1     3  a']);
    for (const line of table(rows, [false, true, false], 20)) assert.ok(widthOf(line) <= 20, line);
    assert.equal(table(rows, [false, true, false], 20, { names: [2] })[1], 'main          12  …');
  });
});
