import assert from 'node:assert/strict';
import { readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { root } from '../../scripts/setup.mjs';

interface Row {
  readonly number: number;
  readonly status: string;
  readonly coveredBy: string;
}

/** Of the tables of docs/FEATURES.md. */
function rowsOf(text: string): Row[] {
  return text
    .split('\n')
    .filter((line) => /^\| F\d/.test(line))
    .map((line) => {
      const cells = line.slice(2, -2).split(' | ');
      const [number = '', , , status = '', coveredBy = ''] = cells;
      assert.equal(cells.length, 5, `five cells in: ${line}`);
      return { number: Number(number.slice(1)), status, coveredBy };
    });
}

function isFile(file: string): boolean {
  return statSync(path.join(root, file), { throwIfNoEntry: false })?.isFile() ?? false;
}

/** The files of tests that a cell names: those that are there, and the words that look like one and are not. */
function testsIn(coveredBy: string): {
  readonly files: readonly string[];
  readonly missing: readonly string[];
} {
  const files: string[] = [];
  const missing: string[] = [];
  for (const [name] of coveredBy.matchAll(/(?<![\w/-])(?:native-agent\/)?tests?\/[\w./-]*[\w]/g)) {
    const file = [name, `${name}.test.ts`].find(isFile);
    if (file !== undefined) files.push(file);
    else if (!statSync(path.join(root, name), { throwIfNoEntry: false })) missing.push(name);
  }
  return { files, missing };
}

describe('docs/FEATURES.md', () => {
  const rows = rowsOf(readFileSync(path.join(root, 'docs/FEATURES.md'), 'utf8'));

  it('numbers its rows from F1 on, each once', () => {
    assert.deepEqual(
      rows.map((row) => row.number),
      rows.map((_, i) => i + 1),
    );
    assert.ok(rows.length >= 125);
  });

  it('gives each row one of three statuses, and says of what is there in part what is missing', () => {
    for (const { number, status } of rows)
      assert.match(status, /^(full|partly: \S.+|not yet)$/, `F${number}`);
  });

  it('says where each capability is, unless there is nothing yet', () => {
    for (const { number, status, coveredBy } of rows) {
      assert.equal(coveredBy === '–', status === 'not yet', `F${number}`);
    }
  });

  it('names, of what is there in full, a test that exists', () => {
    const bare = rows.filter((row) => row.status === 'full' && testsIn(row.coveredBy).files.length === 0);
    assert.deepEqual(
      bare.map((row) => `F${row.number}: ${row.coveredBy}`),
      [],
    );
  });

  it('names no test that is not there', () => {
    const wrong = rows.flatMap((row) =>
      testsIn(row.coveredBy).missing.map((name) => `F${row.number}: ${name}`),
    );
    assert.deepEqual(wrong, []);
  });
});
