import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import path from 'node:path';
import { ESLint } from 'eslint';
import tseslint from 'typescript-eslint';
import { root } from '../../scripts/setup.mjs';

const fixtures = path.join(root, 'test/fixtures/rooms');

/** The rule as eslint.config.mjs has it, on one file of the fixtures, which the project's own lint leaves out. */
async function complaints(file: string): Promise<string[]> {
  const used: unknown = await new ESLint({ cwd: root }).calculateConfigForFile(
    path.join(root, 'src/trace/any.ts'),
  );
  const { plugins, rules } = used as {
    plugins: Record<string, ESLint.Plugin>;
    rules: Record<string, [number] | undefined>;
  };
  assert.equal(rules['btrace/rooms']?.[0], 2, 'the rule is on, as an error, for the sources');
  const eslint = new ESLint({
    cwd: fixtures,
    overrideConfigFile: true,
    overrideConfig: {
      files: ['**/*.ts'],
      languageOptions: { parser: tseslint.parser },
      plugins: { btrace: plugins['btrace']! },
      rules: { 'btrace/rooms': 'error' },
    },
  });
  const [result] = await eslint.lintFiles([file]);
  return (result?.messages ?? []).map(({ line, message }) => `${line}: ${message}`);
}

describe('imports between the rooms', () => {
  const wrong: Record<string, string[]> = {
    trace: [
      '2: src/trace may not import vscode',
      "3: src/trace may not import Node's node:fs",
      "4: src/trace may not import Node's path",
      '5: src/trace may not import src/targets',
      '6: src/trace may not import src/extension',
      '7: src/trace may not import from outside src: ../../package.js',
      "8: src/trace may not import Node's node:net",
    ],
    webview: [
      '2: src/webview may not import vscode',
      "3: src/webview may not import Node's node:path",
      '4: src/webview may not import src/extension',
      '5: src/webview may not import src/targets',
      '6: src/webview may not import src/symbols',
    ],
    protocol: ['2: src/protocol may not import src/trace'],
    targets: ['2: src/targets may not import src/extension', '3: src/targets may not import vscode'],
  };
  for (const [room, expected] of Object.entries(wrong)) {
    it(`refuses what ${room} may not import`, async () => {
      assert.deepEqual(await complaints(`src/${room}/wrong.ts`), expected);
    });
  }

  it('accepts every right import', async () => {
    for (const room of readdirSync(path.join(fixtures, 'src'))) {
      const files = readdirSync(path.join(fixtures, 'src', room));
      if (files.includes('right.ts')) assert.deepEqual(await complaints(`src/${room}/right.ts`), []);
    }
  });
});
