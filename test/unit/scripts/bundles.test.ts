import assert from 'node:assert/strict';
import esbuild from 'esbuild';
import { bundles } from '../../../scripts/bundles.mjs';

describe('the bundle for a browser', () => {
  const { entryPoints, ...bundle } = bundles().find(({ outfile }) =>
    outfile.startsWith('dist/extension-web'),
  )!;

  it('is small, and needs VS Code alone', async () => {
    const made = await esbuild.build({ ...bundle, entryPoints, write: false, metafile: true });
    const outputs = Object.values(made.metafile.outputs);
    assert.deepEqual(
      [...new Set(outputs.flatMap(({ imports }) => imports.map(({ path }) => path)))],
      ['vscode'],
    );
    const script = made.outputFiles.find(({ path }) => path.endsWith('.cjs'))!;
    assert.ok(script.contents.length < 120_000, `${script.contents.length} bytes`);
    // What Node has without an import. Of an object's own fields only those of Node's `process` are looked for.
    assert.doesNotMatch(script.text, /\bBuffer\b|\bprocess\.(?:platform|env|pid|cwd|argv)\b|\b__dirname\b/);
  });

  for (const name of ['node:fs/promises', 'path'])
    it(`is not made where a file of it imports ${name}`, async () => {
      const contents = `import { join } from '${name}'; console.log(join);`;
      const making = esbuild.build({ ...bundle, stdin: { contents }, write: false, logLevel: 'silent' });
      await assert.rejects(making, new RegExp(`Could not resolve "${name}"`));
    });
});
