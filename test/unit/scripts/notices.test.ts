/** What the package holds of others: that it is audited, named with its licence, and listed for tools. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { unzipSync, zipSync } from 'fflate';
import { type BundledPackage, bundledPackages, packageFolder } from '../../../scripts/bundles.mjs';
import { billOfMaterials, notices } from '../../../scripts/notices.mjs';
import { withSameBytes } from '../../../scripts/same-bytes.mjs';
import { root } from '../../../scripts/setup.mjs';
import { allOfKind } from '../../rigs/kinds.js';

const json = (file: string): unknown => JSON.parse(readFileSync(path.join(root, file), 'utf8'));

describe('what is bundled', function () {
  let packages: BundledPackage[];

  before(async () => (packages = await bundledPackages()));

  it('is what npm audit --omit=dev looks at, and nothing of that is there for nothing', () => {
    const { dependencies } = json('package.json') as { dependencies: Record<string, string> };
    const lock = (json('package-lock.json') as { packages: Record<string, { dev?: boolean } | undefined> })
      .packages;
    const notAudited = packages.filter(
      ({ folder }) => lock[folder] === undefined || lock[folder].dev === true,
    );
    assert.deepEqual(
      notAudited.map(({ name }) => name),
      [],
      'they are development dependencies in package-lock.json',
    );
    const names = new Set(packages.map(({ name }) => name));
    assert.deepEqual(
      Object.keys(dependencies).filter((name) => !names.has(name)),
      [],
      'they are in package.json, but in no bundle',
    );
  });

  it('is told by the files of the bundles', () => {
    assert.equal(packageFolder('src/trace/index.ts'), undefined);
    assert.equal(packageFolder('node_modules/fflate/esm/index.mjs'), 'node_modules/fflate');
    assert.equal(packageFolder('node_modules/@a/b/node_modules/c/x.js'), 'node_modules/@a/b/node_modules/c');
    for (const name of ['fflate', '@yume-chan/adb', 'd3-flame-graph', 'tslib'])
      assert.ok(
        packages.some((one) => one.name === name),
        name,
      );
    assert.ok(!packages.some(({ name }) => name === 'typescript' || name === 'react'));
  });

  it('is named with its licence, its copyright and the text', () => {
    const { text = '', failed } = notices(packages);
    assert.equal(failed, undefined);
    for (const { name, version, manifest } of packages)
      assert.ok(text.includes(`\n${name} ${version} (${manifest.license})\n`), name);
    const sections = text.split(/^={80}$/m).slice(1);
    assert.equal(sections.length, packages.length);
    for (const section of sections) assert.match(section, /copyright/i, section.slice(0, 80));
  });

  it('does not ship with a licence that nobody has looked at, nor without its text', () => {
    const [one] = packages.filter(({ name }) => name === 'fflate');
    const licensed = (license: string): BundledPackage => ({ ...one!, manifest: { license } });
    assert.match(notices([licensed('GPL-3.0')]).failed ?? '', /fflate: its licence, GPL-3\.0, is none of/);
    const bare = { ...one!, folder: 'src' };
    assert.match(notices([bare]).failed ?? '', /fflate: there is no text/);
  });

  it('is listed for tools, each time in the same words', () => {
    const bill = billOfMaterials(packages);
    assert.equal(billOfMaterials(packages), bill);
    const { bomFormat, specVersion, serialNumber, components, dependencies } = JSON.parse(bill) as {
      bomFormat: string;
      specVersion: string;
      serialNumber: string;
      components: { 'bom-ref': string; purl: string; hashes: { content: string }[] }[];
      dependencies: { ref: string; dependsOn: string[] }[];
    };
    assert.deepEqual([bomFormat, specVersion], ['CycloneDX', '1.5']);
    // The pattern of CycloneDX's own schema.
    assert.match(serialNumber, /^urn:uuid:[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/);
    assert.equal(components.length, packages.length);
    const refs = new Set(components.map((one) => one['bom-ref']));
    assert.equal(refs.size, components.length);
    for (const { purl, hashes } of components) {
      assert.match(purl, /^pkg:npm\/(%40[\w-]+\/)?[\w.-]+@\d+\.\d+\.\d+/);
      assert.match(hashes[0]?.content ?? '', /^[0-9a-f]{128}$/, purl);
    }
    const reached = new Set<string>();
    const reach = (ref: string): void => {
      if (reached.has(ref)) return;
      reached.add(ref);
      for (const next of dependencies.find((one) => one.ref === ref)?.dependsOn ?? []) reach(next);
    };
    reach(dependencies[0]!.ref);
    assert.deepEqual(
      [...refs].filter((ref) => !reached.has(ref)),
      [],
      'nothing depends on them',
    );
  });
});

describe('the package file', function () {
  allOfKind('bytes', this);

  it('has the same bytes whenever, wherever and in whatever order it was made', () => {
    const [a, b] = [new TextEncoder().encode('a'.repeat(1000)), new TextEncoder().encode('b')];
    const one = zipSync({
      'x/a': [a, { mtime: new Date(2001, 1, 1) }],
      b: [b, { attrs: 0o100755 << 16, os: 3 }],
    });
    const other = zipSync({ b, 'x/a': [a, { level: 0 }] }, { mtime: new Date(2020, 6, 6) });
    assert.notDeepEqual(Buffer.from(one), Buffer.from(other));
    assert.deepEqual(withSameBytes(one), withSameBytes(other));
    assert.deepEqual(unzipSync(withSameBytes(one)), unzipSync(one));
    const modeOf = (zip: Buffer, at: number): number => (zip.readUInt32LE(at + 38) >>> 16) & 0o777;
    const zip = withSameBytes(one, ['x/a']);
    const second = zip.lastIndexOf('PK\x01\x02');
    assert.equal(modeOf(zip, second), 0o755, 'x/a is a program');
    assert.equal(modeOf(zip, zip.indexOf('PK\x01\x02')), 0o644);
    const here = process.env['TZ'];
    const before = withSameBytes(one);
    process.env['TZ'] = 'Pacific/Kiritimati';
    try {
      assert.deepEqual(withSameBytes(one), before);
    } finally {
      if (here === undefined) delete process.env['TZ'];
      else process.env['TZ'] = here;
    }
  });
});
