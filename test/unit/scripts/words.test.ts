// What `npm run …` is asked for with words that it does not know must do nothing but say so.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { root } from '../../../scripts/setup.mjs';

const scripts = ['test', 'soak', 'bench', 'setup', 'demo', 'build', 'build-agent', 'package', 'rig-art'];

describe('the words of scripts', function () {
  this.slow(5000);
  for (const name of scripts) {
    const file = path.join(root, 'scripts', `${name}.mjs`);
    const call = (word: string) => spawnSync(process.execPath, [file, word], { encoding: 'utf8' });
    const firstLine = readFileSync(file, 'utf8').split('\n')[0]?.replace('// ', '') ?? '';

    it(`${name} tells how it is called`, () => {
      const { status, stdout, stderr } = call('--help');
      assert.deepEqual([status, stdout.split('\n')[0], stderr], [0, firstLine, '']);
    });

    it(`${name} does not start with a word that it does not know`, () => {
      const { status, stdout, stderr } = call('--quik');
      assert.deepEqual([status, stdout], [2, '']);
      assert.match(stderr, /Unknown option '--quik'/);
      assert.ok(stderr.includes(firstLine));
    });
  }
});
