/** `btrace compare --base --new`: from files to reports, exemptions, owners and the exit code. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { PassThrough } from 'node:stream';
import { parseInput } from '../../../src/cli/command-line.js';
import { compare } from '../../../src/cli/commands/compare.js';
import { exemptionOf, parseExemptions } from '../../../src/cli/compare/exempt.js';
import { codeownersRules, Owners } from '../../../src/cli/compare/owners.js';
import { Terminal } from '../../../src/cli/terminal.js';
import { cpuMs } from '../cpu-time.js';

/** A start-up whose Cart.open takes `ms`; of a run that differs a little. */
const run = (ms: number, at: number): string =>
  JSON.stringify(
    ['shop.Main.start', 'shop.Cart.open', 'shop.<b>Log'].map((name, nth) => ({
      ph: 'X',
      pid: 1,
      tid: 1,
      name,
      ts: nth * 100_000,
      dur: [200, ms + (at % 3), 5][nth]! * 1000,
    })),
  );

describe('btrace compare of two sets', () => {
  let folder: string;
  const file = (name: string): string => path.join(folder, name);

  before(() => {
    folder = mkdtempSync(path.join(tmpdir(), 'btrace-sets-'));
    for (let at = 0; at < 4; at++) {
      writeFileSync(file(`base-${at}.json`), run(40, at));
      writeFileSync(file(`new-${at}.json`), run(60, at));
    }
  });
  after(() => rmSync(folder, { recursive: true }));

  const files = (name: string): string[] => [0, 1, 2, 3].map((at) => file(`${name}-${at}.json`));

  async function ran(...args: string[]): Promise<{ code: number; out: string }> {
    const output = new PassThrough();
    const terminal = new Terminal(output, new PassThrough(), { NO_COLOR: '1' });
    const code = await compare.run(parseInput(compare, args), terminal);
    return { code, out: String(output.read() ?? '') };
  }

  it('names what takes longer, ends with 6, and writes every report', async () => {
    const reports = ['html', 'markdown', 'junit', 'sarif'];
    const { code, out } = await ran(
      '--base',
      ...files('base'),
      '--new',
      ...files('new'),
      ...reports.flatMap((kind) => [`--${kind}`, file(`report.${kind}`)]),
    );
    assert.equal(code, 6);
    assert.match(out, /^1 problem: 4 runs before, 4 after/);
    assert.match(out, /shop\.Cart\.open takes longer by 20\.0 ms ± [\d.]+ ms \(40\.\d ms → 60\.\d ms\)/);
    const [html = '', markdown = '', junit = '', sarif = ''] = reports.map((kind) =>
      readFileSync(file(`report.${kind}`), 'utf8'),
    );
    assert.match(html, /<h2>shop\.Cart\.open<\/h2>/);
    assert.match(markdown, /\| shop\.Cart\.open \| \w+ \| takes longer \|/);
    assert.match(junit, /<testsuite name="btrace compare" tests="1" failures="1" skipped="0">/);
    const log = JSON.parse(sarif) as {
      version: string;
      runs: { results: { ruleId: string; level: string }[] }[];
    };
    assert.deepEqual(
      [log.version, log.runs[0]!.results[0]!.ruleId, log.runs[0]!.results[0]!.level],
      ['2.1.0', 'wall', 'error'],
    );
    const again = await ran(
      '--base',
      ...files('base'),
      '--new',
      ...files('new'),
      '--html',
      file('again.html'),
    );
    assert.equal(again.code, 6);
    assert.equal(readFileSync(file('again.html'), 'utf8'), html);
  });

  it('says what so few runs cannot decide, and how many would, and does not fail for it', async () => {
    for (const [at, ms] of [62, 75, 90].entries()) writeFileSync(file(`unsure-${at}.json`), run(ms, at));
    const unsure = [0, 1, 2].map((at) => file(`unsure-${at}.json`));
    const reports = ['--html', file('unsure.html'), '--markdown', file('unsure.md')];
    const { code, out } = await ran('--base', ...files('base').slice(1), '--new', ...unsure, ...reports);
    assert.equal(code, 0);
    assert.match(
      out,
      /^Nothing is worse for certain: 3 runs before, 3 after, \d calls compared, 1 undecided\.\n/,
    );
    const words =
      /shop\.Cart\.open takes longer by 3\d\.\d ms .*, unless by chance: about \d+ runs a set would tell/;
    assert.match(out, words);
    assert.match(readFileSync(file('unsure.html'), 'utf8'), words);
    assert.match(readFileSync(file('unsure.md'), 'utf8'), /\nUndecided:\n\n- shop\.Cart\.open takes longer/);
    writeFileSync(file('unsure-known'), 'shop.Cart.*');
    const exempt = await ran(
      '--base',
      ...files('base').slice(1),
      '--new',
      ...unsure,
      '--exempt',
      file('unsure-known'),
    );
    assert.match(exempt.out, /^Nothing is worse: /);
  });

  it('lets exempt methods pass until their day, and equal sets', async () => {
    writeFileSync(file('known'), 'shop.Cart.* until 9999-12-31 # moves to a worker');
    const { code, out } = await ran(
      '--base',
      ...files('base'),
      '--new',
      ...files('new'),
      '--exempt',
      file('known'),
    );
    assert.equal(code, 0);
    assert.match(out, /^Nothing is worse: .*, 1 exempt\.[^]*exempt: moves to a worker/);
    writeFileSync(file('known'), 'shop.Cart.* until 2020-01-01 # moved');
    const late = await ran(
      '--base',
      ...files('base'),
      '--new',
      ...files('new'),
      '--exempt',
      file('known'),
      '--json',
    );
    assert.equal(late.code, 6);
    assert.match(late.out, /"exemptionEnded": "2020-01-01"/);
    assert.equal((await ran('--base', ...files('base'), '--new', ...files('base'))).code, 0);
    await assert.rejects(
      ran('--base', ...files('base').slice(2), '--new', ...files('new')),
      /takes 3 runs or more/,
    );
  });

  it('reads exemptions as people write them', () => {
    const [one, two] = parseExemptions('# all\n\nA.b#c\nB.* until 2027-01-31   # why # not\n');
    assert.deepEqual([one!.text, one!.until, one!.reason], ['A.b#c', '', '']);
    assert.deepEqual([two!.text, two!.until, two!.reason], ['B.*', '2027-01-31', 'why # not']);
    assert.equal(exemptionOf([two!], 'B.x', '2027-01-31').holds, two);
    assert.equal(exemptionOf([two!], 'B.x', '2027-02-01').isOver, two);
    assert.deepEqual(exemptionOf([two!], 'C.x', '2027-02-01'), {});
    // Of what a runtime numbers anew, with the numbers of any run or without.
    for (const line of ['A$$Lambda.run', 'A$$Lambda$*.run', 'A$$Lambda$31.run'])
      assert.ok(exemptionOf(parseExemptions(line), 'A$$Lambda$25.run', '2027-01-31').holds, line);
    assert.throws(() => parseExemptions('B.* till 2027-01-31'), /until YYYY-MM-DD/);
  });

  it('matches paths as CODEOWNERS does', () => {
    const ownerOf = (name: string): string | undefined =>
      codeownersRules(
        '* @all\n*.kt @kotlin # all of it\n/docs/ @docs\napp/**/ui/ @ui\nbuild/ @build\n/a/*.txt @txt',
      ).findLast(({ pattern }) => pattern.test(name))?.owners;
    assert.deepEqual(
      [
        'README',
        'x/A.kt',
        'docs/a.md',
        'x/docs/a.md',
        'app/a/b/ui/V.java',
        'x/build/o',
        'a/b.txt',
        'a/b/c.txt',
      ].map(ownerOf),
      ['@all', '@kotlin', '@docs', '@all', '@ui', '@build', '@txt', '@all'],
    );
  });

  it('matches a path in a time of its length, whatever the pattern', () => {
    const [rule] = codeownersRules(`${'**/a*'.repeat(30)}b @slow`);
    const began = cpuMs();
    assert.equal(rule!.pattern.test('aa/'.repeat(300)), false);
    assert.ok(cpuMs() - began < 1000);
  });

  it('finds owners by CODEOWNERS, by package, and by the last author of a line', async () => {
    const source = file('repo/app/src/com/shop/Cart.java');
    mkdirSync(path.dirname(source), { recursive: true });
    writeFileSync(source, 'package com.shop;\nclass Cart {}\n');
    const git = (...args: string[]) =>
      execFileSync('git', ['-C', file('repo'), '-c', 'user.name=Ada L', '-c', 'user.email=a@b', ...args]);
    git('init', '-q');
    git('add', '.');
    git('commit', '-qm', 'one');
    const place = { className: 'com.shop.Cart', method: 'open', file: 'Cart.java', line: 2 };
    const library = { className: 'java.util.List', method: 'of', file: 'List.java', line: 9 };
    const ownerOf = async (owners: Promise<Owners>) => (await (await owners).of([place, library])).owner;
    assert.equal(await ownerOf(Owners.read(file('repo'))), 'Ada L');
    writeFileSync(file('packages'), 'com.shop @shop\ncom @others\n');
    assert.equal(await ownerOf(Owners.read(file('repo'), undefined, file('packages'))), '@shop');
    writeFileSync(file('repo/CODEOWNERS'), '/app/ @app @two\n');
    assert.equal(await ownerOf(Owners.read(file('repo'), undefined, file('packages'))), '@app @two');
    assert.equal(await ownerOf(Owners.read(folder)), '');
  });
});
