/** That a bench runs and prints what it promises; what it measures is not judged here. */
import assert from 'node:assert/strict';
import process from 'node:process';
import { run } from '../../scripts/process.mjs';
import { root } from '../../scripts/setup.mjs';

const line = /^bench [\w.-]+ (?<value>\S+) \S+ (?:-|target (?:>=|<=)(?<limit>\S+) (?:ok|short)) quick$/;

/** What `--quick` may take on a machine that does nothing else is 40 s. */
export const benchLimitMs = 150_000;

/** Runs `node ARGS --quick` in the project's folder: it ends well, and each of `names` is among its figures. */
export async function assertBenchRuns(args: readonly string[], names: readonly string[]): Promise<void> {
  const { code, error, text } = await run(process.execPath, [...args, '--quick'], {
    cwd: root,
    limitMs: benchLimitMs,
  });
  assert.equal(code, 0, `${error ?? 'it did not end well'}:\n${text}`);
  const said = text.split('\n').filter((one) => one.startsWith('bench '));
  for (const one of said) {
    const { value, limit = '0' } = line.exec(one)?.groups ?? {};
    assert.ok(value === 'peer-oom' || (value && Number.isFinite(Number(value))), `no figure: ${one}`);
    assert.ok(Number.isFinite(Number(limit)), `no target: ${one}`);
  }
  const printed = said.map((one) => one.split(' ')[1]);
  assert.deepEqual(
    names.filter((name) => !printed.includes(name)),
    [],
    `these are missing in:\n${text}`,
  );
}
