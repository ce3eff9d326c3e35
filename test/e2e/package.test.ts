// The file that all of these tests install: what is in it, for which machines, and how large it is.
import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { unzipSync } from 'fflate';
import { root } from '../../scripts/setup.mjs';
import { makePackage, packageFile } from '../../scripts/package.mjs';
import { wide } from '../rigs/scale.js';

const builtOfX86 = path.join(root, 'build/native/android-x86_64/libbtrace-agent.so');

/** Machines as ELF numbers them. */
const agents: Readonly<Record<string, number>> = {
  [`linux-${process.arch}`]: process.arch === 'arm64' ? 183 : 62,
  'linux-arm64': 183,
  'android-arm64': 183,
  'android-armv7': 40,
  // Built by `npm run test:all` alone.
  ...(existsSync(builtOfX86) ? { 'android-x86_64': 62 } : {}),
};

const allowed = [
  /^(\[Content_Types\]\.xml|extension\.vsixmanifest)$/,
  /^extension\/(package\.json|package\.nls(\.[\w-]+)?\.json|readme\.md|changelog\.md|LICENSE\.txt)$/,
  /^extension\/dist\/(extension|extension-web|engine-worker|tools-worker|query-worker|native-names-worker|btrace|mcp)\.cjs(\.LEGAL\.txt)?$/,
  /^extension\/dist\/duckdb-eh\.wasm$/,
  /^extension\/dist\/(page|page-worker)\.js(\.LEGAL\.txt)?$/,
  /^extension\/l10n\/bundle\.l10n(\.[\w-]+)?\.json$/,
  /^extension\/media\/([\w-]+\.(svg|png)|walkthrough\/[\w-]+(\.nls\.[\w-]+)?\.md)$/,
  /^extension\/media\/sample\/(shop\.btrace|com\/example\/shop\/\w+\.java)$/,
  /^extension\/(syntaxes|language-configuration)\/[\w.-]+\.json$/,
  /^extension\/in-app\/btrace\.jar$/,
  /^extension\/in-app\/btrace\.h$/,
  /^extension\/(THIRD-PARTY-NOTICES\.txt|sbom\.cdx\.json)$/,
  /^extension\/agents\/[\w-]+\/libbtrace-agent\.so$/,
  /^extension\/agents\/linux-[\w]+\/(libbtrace-native\.so|btrace-external)$/,
];

describe('the package', () => {
  let entries: Readonly<Record<string, Uint8Array>>;
  let packed: Buffer;

  before(() => {
    packed = readFileSync(packageFile());
    entries = unzipSync(packed);
  });

  it('holds what it is meant to, and nothing else', () => {
    const names = Object.keys(entries);
    assert.deepEqual(
      names.filter((name) => !allowed.some((pattern) => pattern.test(name))),
      [],
    );
    for (const pattern of allowed)
      assert.ok(
        names.some((name) => pattern.test(name)),
        String(pattern),
      );
    for (const [name, bytes] of Object.entries(entries))
      if (/\.(cjs|js|json)$/.test(name))
        assert.doesNotMatch(new TextDecoder().decode(bytes), /sourceMappingURL=/, name);
  });

  if (wide)
    it('is the same, byte for byte, when it is made again', async () => {
      const folder = mkdtempSync(path.join(tmpdir(), 'package-'));
      const { file, failed } = await makePackage(undefined, path.join(folder, 'again.vsix'));
      assert.equal(failed, undefined);
      const again = readFileSync(file!);
      rmSync(folder, { recursive: true });
      assert.ok(again.equals(packed), `${again.length} bytes, ${packed.length} before`);
    });

  it('has the agents of Linux and of the ABIs of Android, each for its machine', () => {
    for (const [name, machine] of Object.entries(agents)) {
      const library = entries[`extension/agents/${name}/libbtrace-agent.so`];
      assert.ok(library, `${name} is not in it`);
      const header = Buffer.from(library.subarray(0, 20));
      assert.equal(header.toString('latin1', 1, 4), 'ELF', name);
      assert.equal(header.readUInt16LE(18), machine, name);
    }
    const found = Object.keys(entries).filter((name) => name.endsWith('/libbtrace-agent.so'));
    assert.equal(found.length, Object.keys(agents).length, found.join());
  });

  it('takes less than 13 MB without them, most of it the database that answers queries', () => {
    let bytes = packed.length;
    unzipSync(packed, {
      filter: ({ name, size }) => {
        if (name.startsWith('extension/agents/')) bytes -= size;
        return false;
      },
    });
    assert.ok(bytes > 0 && bytes < 13_000_000, `${bytes} bytes`);
  });
});
