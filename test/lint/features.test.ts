import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { complaints, type Known, rowsOf, simpleCommands, waysOf } from '../../scripts/lint/features.mjs';
import { agentTitles, mochaTitles } from '../../scripts/lint/test-titles.mjs';
import { root } from '../../scripts/setup.mjs';
import { parseInput } from '../../src/cli/command-line.js';
import { commands } from '../../src/cli/commands/index.js';
import { UsageError } from '../../src/cli/exit-codes.js';

const read = (file: string): string => readFileSync(path.join(root, file), 'utf8');

interface Manifest {
  readonly scripts: Readonly<Record<string, string>>;
  readonly contributes: {
    readonly commands: readonly { readonly title: string; readonly category: string }[];
  };
}

const manifest = JSON.parse(read('package.json')) as Manifest;
const texts = JSON.parse(read('package.nls.json')) as Readonly<Record<string, string>>;
const written = (text: string): string => texts[text.replaceAll('%', '')] ?? text;

const filesBelow = (folder: string, end: string): string[] =>
  readdirSync(path.join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith(end))
    .map((name) => path.join(folder, name));

interface Suite {
  readonly name: string;
  readonly files: readonly string[];
}
const suitesFile: string = '../../scripts/test/suites.mjs'; // which has no declarations
let suites: readonly Suite[] = [];

/** Read once for each suite: there are many rows. */
const titles = new Map<string, readonly string[]>();
function titlesOf(suite: string): readonly string[] | undefined {
  const files = suites.find(({ name }) => name === suite)?.files;
  if (files === undefined) return undefined;
  let found = titles.get(suite);
  if (found === undefined) {
    found = files.flatMap((file) => mochaTitles(readFileSync(file, 'utf8')));
    if (suite === 'native')
      found = filesBelow('native-agent/tests', '.cc').flatMap((file) => agentTitles(read(file)));
    titles.set(suite, found);
  }
  return found;
}

function parse([name = '', ...args]: readonly string[]): string | undefined {
  if (name === '') return undefined; // the alias itself
  const command = commands.find((one) => one.name === name);
  if (command === undefined) return `there is no command "${name}"`;
  try {
    parseInput(command, args);
    return undefined;
  } catch (error) {
    if (error instanceof UsageError) return error.message;
    throw error;
  }
}

/** Also "a/{b,c}/*.java", as bash has it. */
function isFile(pattern: string): boolean {
  const [, before = '', choices, after = ''] = /^([^{]*)\{([^}]*)\}(.*)$/.exec(pattern) ?? [];
  if (choices !== undefined) return choices.split(',').every((one) => isFile(before + one + after));
  if (!pattern.includes('*')) return existsSync(path.join(root, pattern));
  const [folder, name] = [path.dirname(pattern), path.basename(pattern)];
  const end = name.slice(name.indexOf('*') + 1);
  return (
    existsSync(path.join(root, folder)) &&
    readdirSync(path.join(root, folder)).some((one) => one.endsWith(end))
  );
}

const known: Known = {
  scripts: Object.keys(manifest.scripts),
  titlesOf,
  parse,
  palette: manifest.contributes.commands.map(
    ({ title, category }) => `${written(category)}: ${written(title)}`,
  ),
  isFile,
};

async function findSuites(): Promise<void> {
  const module = (await import(suitesFile)) as { suites(): Suite[] };
  suites = module.suites();
}

describe('docs/FEATURES.md', () => {
  const page = read('docs/FEATURES.md');
  before(findSuites);

  it('has rows from F1 on, each with a status, a test and one way to see it, and commands that can be run', () => {
    assert.deepEqual(complaints(page, known), []);
  });

  it('has each of the 125 rows', () => assert.equal(rowsOf(page).length, 125));

  it('has, of what is there, a way each', () => {
    const there = rowsOf(page).filter(({ status }) => status !== 'not yet');
    assert.deepEqual(
      waysOf(page).map(({ number }) => number),
      there.map(({ number }) => number),
    );
  });
});

/** A page of two rows, of which the first has a way. */
function pageWith(way: string, rows = ['| F1 | a | B3 | full | test/unit/trace/trust |']): string {
  return `2 rows: 1 full, 0 partly, 1 not yet\n${rows.join('\n')}\n| F2 | b | B3 | not yet | – |\n\n- **F1** ${way}\n`;
}

describe('the rules for docs/FEATURES.md', () => {
  before(findSuites);
  const good = '`btrace info demo.btrace`: *what is in it*.';
  const fine: Readonly<Record<string, string>> = {
    'a command of btrace': good,
    'several commands in one':
      '`sleep 4 | btrace record -fo build/x.btrace -- java Main; btrace why build/x.btrace`: *so*.',
    'a suite with a test': "`npm test -- unit --grep 'ends with 6'`: *1 passed*.",
    'a test of the agent': "`npm test -- native --grep 'gate: opens again'`: *1 passed*.",
    'a file that it made': '`echo a > build/a.txt; btrace info demo.btrace > build/b.txt`: *so*.',
    'a script': '`npm run demo`: *a report*.',
    'an act in VS Code': '*BTrace: Open the Sample*: the page.',
    'an act in the page': 'Open `demo.html` in a browser, *Methods*: the methods.',
    'a page to read': 'Read `docs/LAGS.md`, *ANR*: the reason.',
  };
  for (const [what, way] of Object.entries(fine))
    it(`accept ${what}`, () => assert.deepEqual(complaints(pageWith(way), known), []));

  const wrong: Readonly<Record<string, readonly [way: string, said: RegExp]>> = {
    'a command that btrace has not': ['`btrace snapshots demo.btrace`: *so*.', /no command "snapshots"/],
    'an option that the command has not': [
      '`btrace info demo.btrace --pionts`: *so*.',
      /Unknown option '--pionts'/,
    ],
    'an option without its value': [
      '`btrace report demo.btrace --top`: *so*.',
      /'.*--top.*' argument missing/,
    ],
    'an operand too many': ['`btrace info demo.btrace demo.btrace`: *so*.', /One file at a time/],
    'a wrong command behind a pipe': ['`sleep 1 | btrace recrod -- java Main`: *so*.', /no command "recrod"/],
    'a wrong command on a second line': [
      '`btrace info demo.btrace &&\n  btrace whx demo.btrace`: *so*.',
      /"whx"/,
    ],
    'a script that is not there': ['`npm run dome`: *so*.', /no script "dome"/],
    'a suite that is not there': ["`npm test -- unti --grep 'a'`: *so*.", /no suite "unti"/],
    'words that no title has': [
      "`npm test -- unit --grep 'ends with 66'`: *so*.",
      /no test of the suite unit matches/,
    ],
    'an option of npm test that is none': ['`npm test -- unit --gerp a`: *so*.', /no option --gerp/],
    'a title that VS Code has not': [
      '*BTrace: Open a Sample*: the page.',
      /no command "BTrace: Open a Sample"/,
    ],
    'a file that is not there': [
      '`btrace info media/sample/shap.btrace`: *so*.',
      /no media\/sample\/shap\.btrace/,
    ],
    'a file that nothing made': ['`btrace info build/see/none.btrace`: *so*.', /no build\/see\/none\.btrace/],
    'a file that only some checkouts have': [
      '`btrace info build/jvm/a.btrace`: *so*.',
      /no build\/jvm\/a\.btrace/,
    ],
    'a page that is not there': ['Read `docs/LACKS.md`, *ANR*: the reason.', /no docs\/LACKS\.md/],
    'two ways': [`${good.slice(0, -1)}, or \`btrace report demo.btrace\`.`, /F1: has more than one way/],
    'nothing to see': ['`btrace info demo.btrace`', /F1: begins with no command/],
    'words alone': ['Look at it: *so*.', /F1: begins with no command/],
  };
  for (const [what, [way, said]] of Object.entries(wrong))
    it(`refuse ${what}`, () => assert.match(complaints(pageWith(way), known).join('\n'), said));

  it('refuse a row without a way, and a way of what is not there', () => {
    const swapped = pageWith(good).replace('**F1**', '**F2**');
    assert.deepEqual(complaints(swapped, known), [
      'F1: is full and has 0 ways to see it',
      'F2: is not yet and has 1 ways to see it',
    ]);
  });

  it('refuse a number twice, another status, a test that is not there, and a wrong count', () => {
    const said = (row: string): string => complaints(pageWith(good, [row]), known).join('\n');
    assert.match(said('| F2 | a | B3 | full | test/unit/trace/trust |'), /F2 stands where F1 should/);
    assert.match(said('| F1 | a | B3 | mostly | test/unit/trace/trust |'), /F1: has no status "mostly"/);
    assert.match(said('| F1 | a | B3 | partly: | test/unit/trace/trust |'), /F1: has no status "partly:"/);
    assert.match(said('| F1 | a | B3 | full | test/unit/trace/trusd |'), /F1: has no test/);
    assert.match(
      said('| F1 | a | B3 | partly: b | test/unit/trace/trust |'),
      /does not say "2 rows: 0 full, 1 partly/,
    );
  });

  it('take a line of a shell apart', () => {
    const line = `(a=1 sleep 4 | b "c d" 'e;f') & g > h 2>/dev/null; i --j=k # l; m`;
    assert.deepEqual(simpleCommands(line), [
      ['sleep', '4'],
      ['b', 'c d', 'e;f'],
      ['g', '>', 'h'],
      ['i', '--j=k'],
    ]);
  });
});

describe('titles of tests', () => {
  it('are those of describe and it, with a sign for what only the running test knows', () => {
    const source =
      "describe('a', () => { describe(`b ${c}`, () => { it.skip('d' + e, f); }); it('g', h); });";
    assert.deepEqual(mochaTitles(source), ['a b … d…', 'a g']);
  });
  it('are those of the agent’s own tests', () => {
    assert.deepEqual(agentTitles('TEST("pool: is \\"full\\"") {\n}\n// TEST("none")'), [
      'agent pool: is \\"full\\"',
    ]);
  });
});
