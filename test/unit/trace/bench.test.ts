/** The benches run and print what they promise to print; what they measure is not judged here. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, it } from 'mocha';

const root = path.join(path.dirname(fileURLToPath(import.meta.url)), '../../..');
const line = /^bench [\w.-]+ (peer-oom|\d[\d.e-]*) \S+ (target (>=|<=)[\d.]+ (ok|short)|-) quick$/;

describe('npm run bench -- --quick engine', function () {
  this.timeout(180_000);

  it('prints one line a figure', () => {
    const text = execFileSync(process.execPath, ['scripts/bench.mjs', '--quick', 'engine'], {
      cwd: root,
      encoding: 'utf8',
    });
    const lines = text.trim().split('\n');
    for (const said of lines) assert.match(said, line);
    const names = lines.map((said) => said.split(' ')[1]);
    for (const name of [
      'open',
      'varints',
      'append',
      'protobufjs',
      'open.faster',
      'open.memory.share',
      'size.raw',
    ]) {
      assert.ok(names.includes(`engine.${name}.100k`), `${name} is missing`);
    }
  });
});
