import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { root } from '../../scripts/setup.mjs';

describe('docs/SECURITY.md', () => {
  it('names tests that are there', () => {
    const page = readFileSync(path.join(root, 'docs/SECURITY.md'), 'utf8').replaceAll(/\s+/g, ' ');
    const named = [...page.matchAll(/- `([\w./-]+)`: \*([^*]+)\*/g)];
    assert.ok(named.length > 15, `${named.length} tests`);
    const missing = named.filter(([, file = '', title = '']) => {
      const source = readFileSync(path.join(root, file), 'utf8').replaceAll("\\'", "'");
      return !source.includes(title);
    });
    assert.deepEqual(
      missing.map(([all]) => all),
      [],
    );
  });
});
