// What the package says of the work of others that it holds: THIRD-PARTY-NOTICES.txt for people, sbom.cdx.json (CycloneDX 1.5) for tools.
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { root } from './setup.mjs';

/** Licences that allow what we do: to ship the code, minified, within a package under Apache-2.0, with their texts beside it. */
const known = new Set(['0BSD', 'Apache-2.0', 'BSD-2-Clause', 'BSD-3-Clause', 'ISC', 'MIT']);

const mit = (copyright) => `MIT License

${copyright}

Permission is hereby granted, free of charge, to any person obtaining a copy
of this software and associated documentation files (the "Software"), to deal
in the Software without restriction, including without limitation the rights
to use, copy, modify, merge, publish, distribute, sublicense, and/or sell
copies of the Software, and to permit persons to whom the Software is
furnished to do so, subject to the following conditions:

The above copyright notice and this permission notice shall be included in all
copies or substantial portions of the Software.

THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR
IMPLIED, INCLUDING BUT NOT LIMITED TO THE WARRANTIES OF MERCHANTABILITY,
FITNESS FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT. IN NO EVENT SHALL THE
AUTHORS OR COPYRIGHT HOLDERS BE LIABLE FOR ANY CLAIM, DAMAGES OR OTHER
LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR OTHERWISE, ARISING FROM,
OUT OF OR IN CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS IN THE
SOFTWARE.
`;

const microsoft = mit('Copyright (c) Microsoft Corporation. All rights reserved.');

/** For packages that come without the text of their licence. */
const missingTexts = {
  '@microsoft/fast-element': microsoft,
  '@microsoft/fast-foundation': microsoft,
  '@microsoft/fast-web-utilities': microsoft,
  '@duckdb/duckdb-wasm': mit(
    'Copyright 2021 DuckDB WASM Contributors (see https://github.com/duckdb/duckdb-wasm/graphs/contributors)\nIt holds DuckDB: Copyright 2018-2025 Stichting DuckDB Foundation',
  ),
  'xz-decompress': `${mit('Copyright (c) Tim Perry, Steven Sanderson')}
It holds XZ Embedded by Lasse Collin and Igor Pavlov, which is in the public domain.
`,
};

export function isKnownLicence(licence) {
  return known.has(licence);
}

/** The texts of a package's licence and notices; an empty string where it brings none and none is known. */
function textOf({ folder, name }) {
  const at = path.join(root, folder);
  const files = readdirSync(at)
    .filter((file) => /^(licen[cs]e|copying|notices?|copyright)/i.test(file))
    .sort();
  const texts = files.map((file) =>
    readFileSync(path.join(at, file), 'utf8').replaceAll('\r\n', '\n').trim(),
  );
  return texts.length > 0 ? texts.join('\n\n') : (missingTexts[name] ?? '').trim();
}

function homeOf({ repository, homepage }) {
  const url = (typeof repository === 'string' ? repository : repository?.url) ?? homepage ?? '';
  return url.replace(/^git\+/, '').replace(/\.git$/, '');
}

/** Returns {text} for the packages that `bundledPackages` gives, or {failed}: why they may not ship. */
export function notices(packages) {
  const wrong = [];
  const sections = packages.map((one) => {
    const { name, version, manifest } = one;
    const text = textOf(one);
    if (!isKnownLicence(manifest.license))
      wrong.push(`${name}: its licence, ${manifest.license}, is none of ${[...known].join(', ')}`);
    if (!/copyright|©/i.test(text)) wrong.push(`${name}: there is no text of its licence with a copyright`);
    return `${'='.repeat(80)}\n${name} ${version} (${manifest.license})\n${homeOf(manifest)}\n\n${text}\n`;
  });
  if (wrong.length > 0)
    return { failed: `What is bundled may not ship (scripts/notices.mjs):\n${wrong.join('\n')}` };
  const head =
    'This package holds code of the following projects, bundled into the files of its folder dist.\n' +
    'All else in it, the agent too, is BTrace itself, under the licence in LICENSE.\n';
  return { text: [head, ...sections].join('\n') };
}

const purl = (name, version) => `pkg:npm/${name.replace(/^@/, '%40')}@${version}`;

/** The checksum that the lock file has of a package, as CycloneDX writes it. */
function hashesOf(integrity = '') {
  const [algorithm = '', value = ''] = integrity.split(' ')[0].split('-');
  if (algorithm !== 'sha512') return [];
  return [{ alg: 'SHA-512', content: Buffer.from(value, 'base64').toString('hex') }];
}

/** Without a time, and numbered by its content: the same packages give the same bytes. */
export function billOfMaterials(packages) {
  const { name, version, license } = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8'));
  const lock = JSON.parse(readFileSync(path.join(root, 'package-lock.json'), 'utf8')).packages;
  const refs = new Map(packages.map((one) => [one.folder, purl(one.name, one.version)]));
  /** The bundled package that `dependency` means within `folder`, as Node looks for it. */
  const resolve = (folder, dependency) => {
    for (let at = folder; ; at = path.posix.dirname(at)) {
      const found = path.posix.join(at, 'node_modules', dependency);
      if (refs.has(found)) return refs.get(found);
      if (at === '.' || at === '') return undefined;
    }
  };
  const dependsOn = (folder, dependencies = {}) =>
    Object.keys(dependencies)
      .map((one) => resolve(folder, one))
      .filter((ref) => ref !== undefined)
      .sort();
  const self = `pkg:generic/${name}@${version}`;
  const content = {
    bomFormat: 'CycloneDX',
    specVersion: '1.5',
    version: 1,
    metadata: {
      component: {
        type: 'application',
        'bom-ref': self,
        name,
        version,
        licenses: [{ license: { id: license } }],
      },
    },
    components: packages.map((one) => ({
      type: 'library',
      'bom-ref': refs.get(one.folder),
      name: one.name,
      version: one.version,
      hashes: hashesOf(lock[one.folder]?.integrity),
      licenses: [{ license: { id: one.manifest.license } }],
      purl: refs.get(one.folder),
    })),
    dependencies: [
      { ref: self, dependsOn: dependsOn('', lock['']?.dependencies) },
      ...packages.map((one) => ({
        ref: refs.get(one.folder),
        dependsOn: dependsOn(one.folder, one.manifest.dependencies),
      })),
    ],
  };
  const digest = createHash('sha256').update(JSON.stringify(content)).digest('hex');
  // A UUID of version 8: what its bits mean is ours to say.
  const uuid = digest.replace(/^(.{8})(.{4}).(.{3}).(.{3})(.{12}).*$/, '$1-$2-8$3-8$4-$5');
  return `${JSON.stringify({ ...content, serialNumber: `urn:uuid:${uuid}` }, null, 2)}\n`;
}

export const noticesName = 'THIRD-PARTY-NOTICES.txt';
export const billName = 'sbom.cdx.json';
