import assert from 'node:assert/strict';
import path from 'node:path';
import { ESLint } from 'eslint';
import { describe, it } from 'mocha';
import tseslint from 'typescript-eslint';
import { testTime } from '../../scripts/lint/test-time.mjs';
import { root } from '../../scripts/setup.mjs';

const rule = 'btrace/test-time';

async function refused(lines: readonly string[]): Promise<string[]> {
  const eslint = new ESLint({
    cwd: root,
    overrideConfigFile: true,
    overrideConfig: {
      files: ['**/*.ts'],
      languageOptions: { parser: tseslint.parser },
      plugins: { btrace: { rules: { 'test-time': testTime } } },
      rules: { [rule]: 'error' },
    },
  });
  const [result] = await eslint.lintText(lines.join('\n'), { filePath: path.join(root, 'test/a.test.ts') });
  return result!.messages.map(({ line, message }) => `${line} ${message.split(/[ :]/, 1)[0]}`);
}

describe('time in tests', () => {
  it('is looked at everywhere but where something measures, storms or takes its time', async () => {
    const isOn = async (file: string): Promise<boolean> => {
      const { rules } = (await new ESLint({ cwd: root }).calculateConfigForFile(path.join(root, file))) as {
        rules: Record<string, [number] | undefined>;
      };
      return rules[rule]?.[0] === 2;
    };
    for (const file of ['test/unit/new.test.ts', 'test/e2e/new.test.ts', 'test/rigs/new.ts'])
      assert.ok(await isOn(file), file);
    for (const file of ['test/bench/new.ts', 'test/rigs/phone/new.ts', 'src/extension/new.ts'])
      assert.ok(!(await isOn(file)), file);
  });

  it('is neither slept, nor measured by the wall, nor limited', async () => {
    const lines = [
      "import { setImmediate, setTimeout as delay } from 'node:timers/promises';",
      'await new Promise((done) => setTimeout(done, 50));',
      'await page.waitForTimeout(50);',
      'const began = performance.now();',
      'const from = process.hrtime.bigint();',
      'const seconds = process.hrtime();',
      'for (const end = Date.now() + 5000; Date.now() < end;) look();',
      'assert.ok(Date.now() - began < 2000);',
      'assert.ok(Math.abs(Date.now() - began) < 2000);',
      'this.timeout(5000);',
      'await row.waitFor({ timeout: 1000 });',
    ];
    assert.deepEqual(await refused(lines), [
      '1 Sleeps',
      '2 Sleeps',
      '3 Sleeps',
      ...['4 Reads', '5 Reads', '6 Reads', '7 Reads', '8 Reads', '9 Reads'],
      ...['10 Has', '11 Has'],
    ]);
  });

  it('may be a date, a turn for others, a clock of the test’s own, or a parameter', async () => {
    const lines = [
      "import { setImmediate } from 'node:timers/promises';",
      'await new Promise((done) => setTimeout(done));',
      'const recording = { startedMs: Date.now() - 60_000 };',
      'performance.now = () => 5;',
      'await client.query(sql, { limit: 10, timeoutMs: 60_000 });',
      'await row.waitFor({ timeout: waitLimitMs });',
    ];
    assert.deepEqual(await refused(lines), []);
  });
});
