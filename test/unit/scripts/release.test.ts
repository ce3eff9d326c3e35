/** What may be released, and that the workflows call what there is. */
import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { npmManifest } from '../../../scripts/npm-package.mjs';
import { checksums, isPreRelease, releaseProblems } from '../../../scripts/release.mjs';
import { root } from '../../../scripts/setup.mjs';

const right = {
  tag: 'v1.2.3',
  version: '1.2.3',
  changelog: '# Changelog\n\n## [Unreleased]\n\n## [1.2.3] - 2026-11-27\n',
  missingAgents: [],
};

describe('a release', () => {
  it('is a version with its tag, a dated section and all agents', () => {
    assert.deepEqual(releaseProblems(right), []);
    for (const [wrong, says] of [
      [{ tag: 'v1.2.4' }, /tag is v1\.2\.4, and package\.json has the version 1\.2\.3/],
      [{ tag: 'v1.2.3-a', version: '1.2.3-a' }, /not three numbers/],
      [{ changelog: '## [1.2.3]\n' }, /no heading "## \[1\.2\.3\] - YYYY-MM-DD"/],
      [{ changelog: '## [1.2.30] - 2026-11-27\n' }, /no heading/],
      [{ missingAgents: ['android-arm64', 'linux-x64'] }, /not built: android-arm64, linux-x64/],
    ] as const)
      assert.match(releaseProblems({ ...right, ...wrong }).join('\n'), says);
  });

  it('is a pre-release where the minor number is odd', () => {
    assert.deepEqual(['0.1.0', '0.2.0', '1.10.3', '1.11.0'].map(isPreRelease), [true, false, false, true]);
  });

  it('has checksums as sha256sum checks them', () => {
    const folder = mkdtempSync(path.join(tmpdir(), 'release-'));
    const file = path.join(folder, 'a.vsix');
    writeFileSync(file, 'abc');
    assert.equal(
      checksums([file]),
      'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad  a.vsix\n',
    );
    rmSync(folder, { recursive: true });
  });

  it('of the command line installs nothing beside it but what a machine may lack', () => {
    const manifest = npmManifest('https://example.org/owner/name');
    assert.deepEqual(manifest['bugs'], { url: 'https://example.org/owner/name/issues' });
    assert.equal(manifest['dependencies'], undefined);
    assert.deepEqual(Object.keys(manifest['optionalDependencies'] as object), ['@duckdb/node-api']);
    for (const key of ['scripts', 'private', 'contributes', 'devDependencies'])
      assert.ok(!(key in manifest), key);
  });

  it('is made by workflows that call scripts and read outputs that there are', () => {
    const folder = path.join(root, '.github/workflows');
    const files = readdirSync(folder).map((name) => readFileSync(path.join(folder, name), 'utf8'));
    const text = files.join('\n');
    const { scripts } = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8')) as {
      scripts: Record<string, string>;
    };
    const called = [...text.matchAll(/npm run ([\w:]+)/g)].map(([, name]) => name!);
    assert.ok(called.length > 2);
    assert.deepEqual(
      called.filter((name) => scripts[name] === undefined),
      [],
    );
    const paths = [...text.matchAll(/(?:node |\.\/)((?:scripts|\.github)\/[\w./-]+)/g)].map(
      ([, file]) => file!,
    );
    assert.ok(paths.length > 2);
    assert.deepEqual(
      paths.filter((file) => !existsSync(path.join(root, file))),
      [],
    );
    const setups = [...text.matchAll(/npm run setup -- (.+)/g)].map(([, names]) => names!.split(' '));
    assert.ok(setups.length > 0);
    for (const names of setups) assert.ok(names.includes('npm'), 'nothing is built without its packages');
    const packages = [...text.matchAll(/npm (?:install --global|publish) (\S+)/g)].map(([, name]) => name!);
    assert.equal(packages.length, 2);
    for (const name of packages) assert.match(name, /^"\.\//, 'npm takes it for a repository of GitHub');
    const outputs = readFileSync(path.join(root, 'scripts/release.mjs'), 'utf8');
    for (const [, name] of text.matchAll(/steps\.release\.outputs\.([\w-]+)/g))
      assert.match(outputs, new RegExp(`[{ ]'?${name!}'?:`), name);
    assert.doesNotMatch(text, /secrets\./, 'a token is stored');
  });
});
