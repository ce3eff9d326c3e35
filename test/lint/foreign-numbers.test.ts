import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { ESLint } from 'eslint';
import { describe, it } from 'mocha';
import tseslint from 'typescript-eslint';
import { allowed } from '../../scripts/lint/foreign-numbers.mjs';
import { root } from '../../scripts/setup.mjs';

const formats = path.join(root, 'src/trace/formats');
const rule = 'btrace/foreign-numbers';

interface Used {
  readonly plugins: Record<string, ESLint.Plugin>;
  readonly rules: Record<string, [number] | undefined>;
}
const configOf = async (file: string): Promise<Used> =>
  (await new ESLint({ cwd: root }).calculateConfigForFile(path.join(formats, file))) as Used;

/** The lines of a source of that name that the rule refuses; without the rules that need types, which take long. */
async function refused(file: string, lines: readonly string[]): Promise<number[]> {
  const { plugins } = await configOf(file);
  const eslint = new ESLint({
    cwd: root,
    overrideConfigFile: true,
    overrideConfig: {
      files: ['**/*.ts'],
      languageOptions: { parser: tseslint.parser },
      plugins: { btrace: plugins['btrace']! },
      rules: { [rule]: 'error' },
    },
  });
  const [result] = await eslint.lintText(lines.join('\n'), { filePath: path.join(formats, file) });
  return result?.messages.map(({ line, message }) => (assert.match(message, /without the gate/), line)) ?? [];
}

describe("numbers of foreign files, in the formats' sources", () => {
  it('are held to the gate where formats are read, and not where they are written', async () => {
    for (const reader of ['perf-import.ts', 'json-reader.ts', 'a-new-one.ts'])
      assert.equal((await configOf(reader)).rules[rule]?.[0], 2, reader);
    assert.equal((await configOf('systrace-export.ts')).rules[rule], undefined);
  });

  it('may not be made of a text or wide bytes without it', async () => {
    const lines = [
      "import { isTime, numberIn as numbered } from '../assemble/number-gate.js';",
      'export const a = Number(text);',
      'export const b = parseInt(text, 10);',
      'export const c = Number.parseFloat(text) * 2;',
      'export const d = +text;',
      'export const e = BigInt(Math.round(time));',
      'export const f = JSON.parse(text);',
      'export const g = view.getFloat64(0, true);',
      'export const h = view.getBigUint64(0, true);',
      'export const i = isTime(Math.max(Number(text)));',
      'export const j = isTimely(Number(text));',
      'export const k = isTime(time) && Number(text);',
    ];
    assert.deepEqual(await refused('new-import.ts', lines), [2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12]);
  });

  it('may be made by it, or within a question to it', async () => {
    const lines = [
      "import { isTime, numberIn as numbered } from '../assemble/number-gate.js';",
      'export const a = numbered(text) * 1e6;',
      'export const b = isTime(Number(text) * (isSeconds ? 1e9 : 1));',
      'export const c = numbered(view.getFloat64(0, true));',
      'export const d = +1 - -2 + view.getUint32(0, true);',
    ];
    assert.deepEqual(await refused('new-import.ts', lines), []);
  });

  it('may be made elsewhere for a listed reason, as long as that place is there', async () => {
    for (const { file, text, why } of allowed) {
      assert.ok(why.length > 20, `${file}: ${text} needs a reason`);
      assert.ok(readFileSync(path.join(formats, file), 'utf8').includes(text), `${file} has no ${text}`);
      assert.deepEqual(await refused(file, [`export const x = ${text};`]), [], text);
      assert.deepEqual(await refused('other.ts', [`export const x = ${text};`]), [1], 'only in its file');
    }
  });
});
