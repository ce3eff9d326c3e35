import assert from 'node:assert/strict';
import path from 'node:path';
import { ESLint } from 'eslint';
import { describe, it } from 'mocha';
import tseslint from 'typescript-eslint';
import { whySlow } from '../../scripts/lint/linear-regexps.mjs';
import { root } from '../../scripts/setup.mjs';

/** What a text of n characters costs an expression that fails on it, in steps. */
const slow: readonly RegExp[] = [
  /(a+)+$/,
  /(?:a|a)*b/,
  /^(?:\w+ ?)*$/,
  /\s+$/,
  /^\s*(\d+)\s+(\d+)\s*$/gm,
  /^(.*)=(.*)$/,
  /^(\d+)\d*x/,
  /x.*y/,
  /^(.+?)\$lambda\$(\d+(?:\$(?:lambda\$)?\d+)*)$/,
  // Read 64 KB of "prev_pid=1 prev_state=S ==> next_comm=" for minutes.
  /prev_pid=(\d+) .*?prev_state=(\S+) ==> next_comm=(.*) next_pid=(\d+)/,
  /\B(?=(\d{3})+$)/g,
  /^a{0,100}a{0,100}b/,
];
const linear: readonly RegExp[] = [
  /^\d+$/,
  /^(\S+) (\d+)(?: (.*))?$/,
  /(?:Exception|Error):\s*(.*)/,
  /^"([^"\\]|\\.)*"$/,
  /(?<![.\s])[.\s]+$/,
  /^(?:[\w$]+\.)+[\w$<>-]+$/,
  /(\w+):/y,
  /^(?:a|b)*c/,
  /^.{0,32}[-\s](\d+)\s+\[/,
  /\p{Lu}/u,
  /[^$]/g,
];

describe('regular expressions that take more than linear time', () => {
  it('are distinguished from those that do not', () => {
    for (const { source, flags } of slow) assert.ok(whySlow(source, flags), `/${source}/${flags} is slow`);
    for (const { source, flags } of linear) assert.equal(whySlow(source, flags), undefined, source);
  });

  it('are an error in the sources, also where they are made of texts', async () => {
    const filePath = path.join(root, 'src/trace/index.ts');
    const used: unknown = await new ESLint({ cwd: root }).calculateConfigForFile(filePath);
    const { plugins, rules } = used as {
      plugins: Record<string, ESLint.Plugin>;
      rules: Record<string, [number] | undefined>;
    };
    assert.equal(rules['btrace/linear-regexps']?.[0], 2, 'the rule is on, as an error, for the sources');
    // Without the rules that need types, which take long.
    const eslint = new ESLint({
      cwd: root,
      overrideConfigFile: true,
      overrideConfig: {
        files: ['**/*.ts'],
        languageOptions: { parser: tseslint.parser },
        plugins: { btrace: plugins['btrace']! },
        rules: { 'btrace/linear-regexps': 'error' },
      },
    });
    const lines = [
      "const digits = '\\\\d+';",
      'export const slow = /\\s+$/;',
      'export const made = (name: string) => new RegExp(`^${name}${digits}${digits}$`);',
      'export const fine = (name: string) => new RegExp(`^${name}:${digits}$`);',
    ];
    const [result] = await eslint.lintText(lines.join('\n'), { filePath });
    assert.deepEqual(
      result?.messages.map(({ line }) => line),
      [2, 3],
    );
  });
});
