import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { lstatSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { root } from '../../scripts/setup.mjs';

/** Also .csv, whose lines end with CRLF by its own definition. */
const notText = /\.(png|jar|apk|dex|btrace|pftrace|trace|gz|zip|ico|so|csv)$/;

/** The files of the repository, and those about to be: not what .gitignore names. */
const files = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], {
  cwd: root,
  encoding: 'utf8',
})
  .split('\0')
  .filter((file) => file !== '' && !notText.test(file));

function offenders(isBad: (bytes: Buffer) => boolean): string[] {
  return files.filter((file) => {
    const at = path.join(root, file);
    const stat = lstatSync(at, { throwIfNoEntry: false });
    return stat?.isFile() === true && isBad(readFileSync(at));
  });
}

describe('text files', () => {
  it('hold no NUL byte', () =>
    assert.deepEqual(
      offenders((bytes) => bytes.includes(0)),
      [],
    ));
  it('end their lines with LF alone', () =>
    assert.deepEqual(
      offenders((bytes) => bytes.includes('\r\n')),
      [],
    ));
  it('end with a line end', () => {
    assert.deepEqual(
      offenders((bytes) => bytes.length > 0 && bytes.at(-1) !== 10),
      [],
    );
  });
  it('name no host that packages were fetched from', () => {
    const lock = readFileSync(path.join(root, 'package-lock.json'), 'utf8');
    assert.equal(/"resolved":/.test(lock), false);
  });
  it('are under 1 MB each, binaries too', () => {
    const large = execFileSync('git', ['ls-files', '-z'], { cwd: root, encoding: 'utf8' })
      .split('\0')
      .filter((file) => (lstatSync(path.join(root, file), { throwIfNoEntry: false })?.size ?? 0) > 1_000_000);
    assert.deepEqual(large, []);
  });
});
