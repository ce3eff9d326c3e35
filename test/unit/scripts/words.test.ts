// What `npm run …` is asked for with words that it does not know must do nothing but say so.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { root } from '../../../scripts/setup.mjs';

const scripts = [
  ...['test', 'soak', 'bench', 'setup', 'demo', 'build', 'build-agent', 'package', 'rig-art'].map(
    (name) => `scripts/${name}.mjs`,
  ),
  ...['agent', 'art', 'ui/ui'].map((name) => `test/bench/${name}.ts`),
];
const withNames = /(test|soak|bench|setup)\.mjs|ui\.ts/;

describe('the words of scripts', function () {
  this.slow(5000);
  for (const script of scripts) {
    const file = path.join(root, script);
    const tsx = script.endsWith('.ts') ? ['--import', 'tsx'] : [];
    const call = (word: string) =>
      spawnSync(process.execPath, [...tsx, file, word], { cwd: root, encoding: 'utf8' });
    const firstLine = readFileSync(file, 'utf8').split('\n')[0]?.replace('// ', '') ?? '';
    const assertRefused = (word: string, why: RegExp): void => {
      const { status, stdout, stderr } = call(word);
      assert.deepEqual([status, stdout], [2, '']);
      assert.match(stderr, why);
      assert.ok(stderr.includes(firstLine));
    };

    it(`${script} tells how it is called`, () => {
      const { status, stdout, stderr } = call('--help');
      assert.deepEqual([status, stdout.split('\n')[0], stderr], [0, firstLine, '']);
    });

    it(`${script} does not start with a word that it does not know`, () =>
      assertRefused('--quik', /Unknown option '--quik'/));

    if (withNames.test(script))
      it(`${script} does not start with a name that it does not know, or none`, () => {
        assertRefused('quik', /^There is no "quik"\. Names: \w+, /);
        assertRefused('', /^There is no ""\. /);
      });
  }
});
