// What `npm run …` is asked for with words that it does not know must do nothing but say so.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { root } from '../../../scripts/setup.mjs';
import { waitLimitMs } from '../../rigs/wait-limit.js';

const scripts = [
  ...['test', 'soak', 'bench', 'setup', 'demo', 'build', 'build-agent', 'package', 'rig-art'].map(
    (name) => `scripts/${name}.mjs`,
  ),
  'scripts/try.ts',
  ...['agent', 'art', 'ui/ui'].map((name) => `test/bench/${name}.ts`),
];
const withNames = /(test|soak|bench|setup)\.mjs|ui\.ts/;

interface Answer {
  readonly status: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** What each script answers to each word: all are started in one process, from the words on, which takes a tenth of the time. */
function answers(calls: ReadonlyArray<readonly [script: string, word: string]>): Answer[] {
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    ['--import', 'tsx', path.join(import.meta.dirname, 'call-scripts.mjs'), JSON.stringify(calls)],
    { cwd: root, encoding: 'utf8', timeout: waitLimitMs },
  );
  assert.equal(status, 0, stderr);
  return JSON.parse(stdout) as Answer[];
}

describe('the words of scripts', function () {
  const wordsOf = (script: string) => ['--help', '--quik', ...(withNames.test(script) ? ['quik', ''] : [])];
  const said = new Map<string, Answer>();

  before(() => {
    const calls = scripts.flatMap((script) => wordsOf(script).map((word) => [script, word] as const));
    answers(calls).forEach((answer, at) => said.set(calls[at]!.join(' '), answer));
  });

  for (const script of scripts) {
    const firstLine = readFileSync(path.join(root, script), 'utf8').split('\n')[0]?.replace('// ', '') ?? '';
    const assertRefused = (word: string, why: RegExp): void => {
      const { status, stdout, stderr } = said.get(`${script} ${word}`)!;
      assert.deepEqual([status, stdout], [2, '']);
      assert.match(stderr, why);
      assert.ok(stderr.includes(firstLine));
    };

    it(`${script} tells how it is called`, () => {
      const { status, stdout, stderr } = said.get(`${script} --help`)!;
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
