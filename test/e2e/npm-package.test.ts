/** The command line as a package for npm: installed without a network, it records a JVM by the agent that is in it. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { makeNpmPackage } from '../../scripts/npm-package.mjs';
import { root } from '../../scripts/setup.mjs';
import { JavaProgram } from '../rigs/jvm/programs.js';

describe('the package for npm', () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'npm-package-'));
  const btrace = path.join(folder, 'node_modules/.bin/btrace');
  const run = (...args: readonly string[]): string =>
    execFileSync(btrace, args, { cwd: folder, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
  let program: JavaProgram | undefined;

  before(async () => {
    program = await JavaProgram.start('shop');
    const { file, failed } = await makeNpmPackage();
    assert.equal(failed, undefined);
    assert.ok(statSync(file!).size < 16_000_000, `${statSync(file!).size} bytes`);
    const args = [
      'install',
      '--offline',
      '--omit=optional',
      '--ignore-scripts',
      '--no-audit',
      '--no-fund',
      file!,
    ];
    execFileSync('npm', args, { cwd: folder, stdio: 'pipe' });
  });
  after(async () => {
    await program?.end();
    rmSync(folder, { recursive: true });
  });

  it('brings no other package along, and its translations', () => {
    const installed = readdirSync(path.join(folder, 'node_modules')).filter((name) => !name.startsWith('.'));
    assert.deepEqual(installed, ['btrace']);
    const { version } = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8')) as {
      version: string;
    };
    assert.equal(run('--version').trim(), version);
    const env = { ...process.env, LC_ALL: 'ja_JP.UTF-8' };
    assert.match(execFileSync(btrace, ['--help'], { encoding: 'utf8', env }), /コマンド/);
  });

  it('records, reports, and answers in SQL', () => {
    run('record', '--pid', String(program!.pid), '--duration', '1s', '-o', 'shop.btrace');
    assert.match(run('report', 'shop.btrace'), /Shop/);
    const readme = readFileSync(path.join(folder, 'node_modules/btrace/README.md'), 'utf8');
    const [, sql] = /btrace query shop\.btrace "(.+)"/.exec(readme)!;
    assert.match(run('query', 'shop.btrace', sql!), /^sleep +\d{6,}$/m);
  });
});
