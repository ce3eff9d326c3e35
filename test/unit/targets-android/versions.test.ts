/** docs/ANDROID.md, "What each version gives", against the table of functions and the versions that the targets go by. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { root } from '../../../scripts/setup.mjs';
import { profileableSdk } from '../../../src/targets/android/app-target.js';
import { agentSdk, bindSdk, startupAgentsSdk } from '../../../src/targets/android/launch.js';

const read = (file: string): string => readFileSync(path.join(root, file), 'utf8');

/** First API level of each Android; 8.1 and 12 have an API more than the number before would say. */
const apiLevels: Record<string, number> = {
  '8.0': 26,
  '8.1': 27,
  9: 28,
  10: 29,
  11: 30,
  14: 34,
  15: 35,
  16: 36,
};
const oldest = 26;
const newest = 36;

interface Signature {
  readonly need: string;
  readonly variant: string;
  readonly first: number;
  readonly last: number;
}

const signatures: Signature[] = [
  ...read('native-agent/rt/art/signatures.cc').matchAll(/\{Need::(\w+), (\w+), (\d+), (\d+),\s+"_Z/g),
].map(([, need = '', variant = '', first, last]) => ({
  need,
  variant,
  first: Number(first),
  last: Number(last),
}));

/** Which form of a function an API has. */
const variantOf = (need: string, api: number): string | undefined =>
  signatures.find((row) => row.need === need && api >= row.first && api <= row.last)?.variant;

/** The table: what it says of each row for each API, with "as …" looked up. */
function table(): (row: string, api: number) => string {
  const text = read('docs/ANDROID.md');
  const lines = text.slice(text.indexOf('### What each version gives')).split('\n');
  const begin = lines.findIndex((line) => line.startsWith('| |'));
  const cells = (line: string) =>
    line
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim());
  const [, ...heads] = cells(lines[begin]!);
  const rows = new Map<string, string[]>();
  for (let at = begin + 2; lines[at]!.startsWith('|'); at++) {
    const [name = '', ...said] = cells(lines[at]!);
    assert.equal(said.length, heads.length, name);
    rows.set(name, said);
  }
  const ranges = heads.map((head) => {
    const [first = '', last = first] = head.split('–');
    return [apiLevels[first]!, apiLevels[last]!] as const;
  });
  assert.deepEqual(
    [ranges[0]![0], ranges.at(-1)![1], ...ranges.slice(1).map(([first], at) => first - ranges[at]![1])],
    [oldest, newest, ...ranges.slice(1).map(() => 1)],
    'an API has no column, or two',
  );
  const say = (row: string, column: number): string => {
    const said = rows.get(row)?.[column];
    assert.ok(said !== undefined, `no row "${row}"`);
    const [like = '', rest = ''] = /^as ([\d.]+)(.*)$/.exec(said)?.slice(1) ?? [];
    const at = heads.findIndex((head) => head === like || head.startsWith(`${like}–`));
    return at >= 0 ? say(row, at) + rest : said;
  };
  return (row, api) =>
    say(
      row,
      ranges.findIndex(([first, last]) => api >= first && api <= last),
    );
}

const expected: Record<string, (api: number) => string> = {
  'from launch, debuggable': (api) =>
    api < agentSdk ? 'refused' : api < bindSdk ? 'after its first code' : 'before its first code',
  'from launch with `--started-elsewhere`, debuggable': (api) => (api < startupAgentsSdk ? 'refused' : 'yes'),
  'contended monitors': (api) => (variantOf('AddMonitorCallback', api) ? 'with class and owner' : 'none'),
  '`Object.wait`, `Thread.sleep`': (api) =>
    variantOf('AddMonitorCallback', api) ? 'callback' : 'natives replaced',
  parks: (api) => (variantOf('AddParkCallback', api) ? 'callback' : 'natives replaced'),
  allocations: (api) => (variantOf('SetAllocationListener', api) ? 'yes' : 'none'),
  'other threads, debuggable app': (api) =>
    variantOf('SuspendByThreadId', api) === 'kSuspendAttempt'
      ? 'JVMTI, else by symbols'
      : 'JVMTI, else by id',
  'other threads, app with the library⁴': (api) =>
    variantOf('SuspendByThreadId', api) === 'kSuspendAttempt' ? 'at points only' : 'by id',
  'external recording (`am profile`)': (api) =>
    api < profileableSdk ? 'debuggable' : 'debuggable, profileable',
};

describe('what each version of Android gives', () => {
  const said = table();
  for (const [row, of] of Object.entries(expected))
    it(`is as the code has it: ${row}`, () => {
      for (let api = oldest; api <= newest; api++) {
        const [is, longer] = [said(row, api), of(api)];
        assert.ok(is.startsWith(longer), `API ${api}: "${is}", and the code says "${longer}"`);
        // What goes on where an older one ends is another one.
        assert.match(is.slice(longer.length), /^(?:$|[:;,]| when| as)/, `API ${api}: "${is}"`);
      }
    });

  it('has one form of each function for each API, from the first that has it', () => {
    assert.ok(signatures.length > 40, `${signatures.length} rows were read`);
    for (const need of new Set(signatures.map((row) => row.need))) {
      const rows = signatures.filter((row) => row.need === need).sort((a, b) => a.first - b.first);
      assert.equal(rows.at(-1)!.last, newest, need);
      for (const [at, { first }] of rows.entries())
        if (at > 0) assert.equal(first, rows[at - 1]!.last + 1, need);
    }
  });
});
