import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { complaints } from '../../scripts/lint/banned-names.mjs';
import { root } from '../../scripts/setup.mjs';

/** The sources of a folder by their path, without this file, which has banned names to try the rule. */
const sourcesIn = (folder: string): Record<string, string> =>
  Object.fromEntries(
    readdirSync(path.join(root, folder), { recursive: true, encoding: 'utf8' })
      .filter((name) => /\.(ts|cc|h|S|proto)$/.test(name) && !name.endsWith('banned-names.test.ts'))
      .map((name) => [path.join(folder, name), readFileSync(path.join(root, folder, name), 'utf8')]),
  );

describe('names that the glossary replaced', () => {
  for (const folder of ['src', 'native-agent', 'proto', 'test'])
    it(`are not used in ${folder}`, () => {
      const sources = sourcesIn(folder);
      assert.ok(Object.keys(sources).length > 0);
      assert.deepEqual(complaints(sources), []);
    });

  for (const name of ['AsyncSelf', 'ASYNC_SELF', 'outside_recording', 'blockedNs', 'OnlyMyCode', 'unmap'])
    it(`refuses ${name} and names its line`, () => {
      assert.match(
        complaints({ 'a.ts': `// before\nconst x = ${name};` }).join('\n'),
        new RegExp(`^a\\.ts:2: "${name}" is an old name: use `),
      );
    });

  it('accepts them as parts of longer names and in plain English', () =>
    assert.deepEqual(
      complaints({ 'a.ts': 'const outside = isOutsideOfView; // unmapping, only outside of it' }),
      [],
    ));
});
