import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { root } from '../../scripts/setup.mjs';

interface Manifest {
  readonly license: string;
  readonly dependencies?: Record<string, string>;
  readonly optionalDependencies?: Record<string, string>;
  readonly devDependencies?: Record<string, string>;
}

function manifest(folder: string): Manifest {
  return JSON.parse(readFileSync(path.join(root, folder, 'package.json'), 'utf8')) as Manifest;
}

describe('docs/DEPENDENCIES.md', () => {
  const { dependencies, optionalDependencies, devDependencies } = manifest('.');
  const text = readFileSync(path.join(root, 'docs/DEPENDENCIES.md'), 'utf8').split('\n## Not in')[0]!;
  /** Name → licence, as the tables say. */
  const named = new Map<string, string>();
  for (const [, names = '', licence = ''] of text.matchAll(/^\| (`.*?) \| (\S+) \|/gm)) {
    for (const [, name = ''] of names.matchAll(/`([^`]+)`/g)) named.set(name, licence);
  }

  it('names each package of package.json, and no other', () => {
    const wanted = Object.keys({ ...dependencies, ...optionalDependencies, ...devDependencies });
    assert.deepEqual([...named.keys()].sort(), wanted.sort());
  });

  it('names their licences', () => {
    for (const [name, licence] of named) {
      assert.equal(licence, manifest(path.join('node_modules', name)).license, name);
    }
  });
});
