import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { root } from '../../scripts/setup.mjs';

const pages = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard', '*.md'], {
  cwd: root,
  encoding: 'utf8',
})
  .split('\0')
  .filter((file) => file !== '' && existsSync(path.join(root, file)));

/** Outside fenced code. */
function prose(file: string): string {
  return readFileSync(path.join(root, file), 'utf8').replaceAll(/^```.*?^```/gms, '');
}

describe('documentation', () => {
  it('links to files that are there', () => {
    const broken = pages.flatMap((page) =>
      [...prose(page).matchAll(/\]\(([^)#\s]+)/g)]
        .map(([, to = '']) => to)
        .filter((to) => !/^[a-z]+:/i.test(to) && !existsSync(path.resolve(root, path.dirname(page), to)))
        .map((to) => `${page} → ${to}`),
    );
    assert.deepEqual(broken, []);
  });

  it('names files of this project that are there', () => {
    const place = /`((?:src|docs|scripts|test|native-agent|proto|syntaxes)\/[\w./-]+)`/g;
    const broken = pages
      .filter((page) => page !== 'CHANGELOG.md') // says what was
      .flatMap((page) =>
        [...prose(page).matchAll(place)]
          .map(([, file = '']) => file)
          .filter((file) => !existsSync(path.join(root, file)))
          .map((file) => `${page} names ${file}`),
      );
    assert.deepEqual(broken, []);
  });

  it('names npm commands that are there', () => {
    const { scripts } = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8')) as {
      scripts: Record<string, string>;
    };
    const broken = pages
      .filter((page) => page !== 'CHANGELOG.md')
      .flatMap((page) =>
        [...readFileSync(path.join(root, page), 'utf8').matchAll(/npm run ([\w:-]+)/g)]
          .map(([, name = '']) => name)
          .filter((name) => !(name in scripts))
          .map((name) => `${page} names npm run ${name}`),
      );
    assert.deepEqual(broken, []);
  });

  it('says of every room what lives there, what it may import and what never happens there', () => {
    const rooms = ['src', 'native-agent', 'test', 'scripts'].flatMap((folder) =>
      execFileSync('git', ['ls-files', `${folder}/*`], { cwd: root, encoding: 'utf8' })
        .split('\n')
        .map((file) => file.split('/'))
        .filter((parts) => parts.length > (folder === 'src' ? 2 : 1))
        .map((parts) => parts.slice(0, folder === 'src' ? 2 : 1).join('/')),
    );
    const bare = [...new Set(rooms)].filter((room) => !existsSync(path.join(root, room, 'README.md')));
    assert.deepEqual(bare, []);
  });
});
