import assert from 'node:assert/strict';
import path from 'node:path';
import { ESLint } from 'eslint';
import tseslint from 'typescript-eslint';
import { root } from '../../scripts/setup.mjs';

const fixtures = path.join(root, 'test/fixtures/files');

/** The rule as eslint.config.mjs has it, on one file of the fixtures, which the project's own lint leaves out. */
async function complaints(file: string): Promise<string[]> {
  const used: unknown = await new ESLint({ cwd: root }).calculateConfigForFile(
    path.join(root, 'src/targets/any.ts'),
  );
  const { plugins, rules } = used as {
    plugins: Record<string, ESLint.Plugin>;
    rules: Record<string, [number] | undefined>;
  };
  assert.equal(rules['btrace/shared-folders']?.[0], 2, 'the rule is on, as an error, for the sources');
  const eslint = new ESLint({
    cwd: fixtures,
    overrideConfigFile: true,
    overrideConfig: {
      files: ['**/*.ts'],
      languageOptions: { parser: tseslint.parser },
      plugins: { btrace: plugins['btrace']! },
      rules: { 'btrace/shared-folders': 'error' },
    },
  });
  const [result] = await eslint.lintFiles([file]);
  return (result?.messages ?? []).map(({ line, message }) => `${line}: ${message}`);
}

describe("files in other users' folders", () => {
  it('are neither made through links nor waited for', async () => {
    const found = await complaints('src/targets/local/wrong.ts');
    assert.deepEqual(
      found.map((one) => one.split(' ', 2).join(' ')),
      [
        '5: writeFile',
        '6: writeFile',
        '7: createWriteStream',
        '8: openSync',
        '9: open',
        '10: open',
        '11: readFile',
        '12: copyFile',
      ],
      found.join('\n'),
    );
  });

  it('may be made where there is nothing, and read where a person named them', async () => {
    assert.deepEqual(await complaints('src/cli/right.ts'), []);
  });
});
