import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import * as oniguruma from 'vscode-oniguruma';
import * as textmate from 'vscode-textmate';
import { NanoscopeImporter } from '../../../src/trace/formats/nanoscope-import.js';

/** The grammars of syntaxes/, run by the engine that VS Code runs them with. */
interface Contributed {
  readonly scopeName: string;
  readonly path: string;
}

const { contributes } = JSON.parse(readFileSync('package.json', 'utf8')) as {
  contributes: { grammars: Contributed[] };
};

async function grammar(scopeName: string): Promise<textmate.IGrammar> {
  const wasm = createRequire(import.meta.url).resolve('vscode-oniguruma/release/onig.wasm');
  await oniguruma.loadWASM(readFileSync(wasm));
  const registry = new textmate.Registry({
    onigLib: Promise.resolve({
      createOnigScanner: (patterns) => new oniguruma.OnigScanner(patterns),
      createOnigString: (text) => new oniguruma.OnigString(text),
    }),
    loadGrammar: (name) => {
      const file = contributes.grammars.find((one) => one.scopeName === name)?.path ?? '';
      return Promise.resolve(textmate.parseRawGrammar(readFileSync(file, 'utf8'), file));
    },
  });
  const loaded = await registry.loadGrammar(scopeName);
  assert.ok(loaded, `${scopeName} is contributed`);
  return loaded;
}

/** Each line's tokens that say something: "text scope", the innermost scope without the language's name. */
function tokens(rules: textmate.IGrammar, text: string): string[][] {
  let state = textmate.INITIAL;
  return text.split('\n').map((line) => {
    const { tokens: found, ruleStack } = rules.tokenizeLine(line, state);
    state = ruleStack;
    return found
      .filter(({ scopes }) => scopes.length > 1)
      .map(({ startIndex, endIndex, scopes }) => {
        const scope = (scopes.at(-1) ?? '').replace(/\.[^.]+$/, '');
        return `${line.slice(startIndex, endIndex)} ${scope}`;
      });
  });
}

describe('grammars', () => {
  it('are there for each language that has one, and are named in package.json', async () => {
    for (const { scopeName } of contributes.grammars) assert.ok(await grammar(scopeName));
  });

  it('tells the parts of each kind of line of Nanoscope’s text', async () => {
    const rules = await grammar('text.nanoscope');
    const seen = (line: string): string[] | undefined => tokens(rules, line)[0];
    const time = (ns: string): string[] => [`${ns} constant.numeric.time`, ': punctuation.separator'];
    assert.deepEqual(seen('1900:POP'), [...time('1900'), 'POP keyword.control.pop']);
    assert.deepEqual(seen('0:run'), [...time('0'), 'run entity.name.function']);
    assert.deepEqual(seen('1200:+com.example.Shop$Cart.<init>(int, long)'), [
      ...time('1200'),
      '+ keyword.operator.push',
      'com.example.Shop$Cart. entity.name.type.class',
      '<init> entity.name.function',
      '(int, long) variable.parameter',
    ]);
    assert.deepEqual(seen('5:POP art'), [
      ...time('5'),
      'POP entity.name.function',
      ' art variable.parameter',
    ]);
    assert.deepEqual(seen('# thread 12 worker "two"'), [
      '# punctuation.definition.comment',
      '  comment.line.number-sign',
      'thread keyword.other.thread',
      '  comment.line.number-sign',
      '12 constant.numeric.thread',
      '  comment.line.number-sign',
      'worker "two" entity.name.section.thread',
    ]);
    assert.deepEqual(seen('# made by hand'), [
      '# punctuation.definition.comment',
      ' made by hand comment.line.number-sign',
    ]);
    assert.deepEqual(seen('12 POP'), ['12 POP invalid.illegal']);
  });

  it('marks those lines of Nanoscope’s text as wrong that the importer leaves out', async () => {
    const rules = await grammar('text.nanoscope');
    const folder = path.join('test', 'fixtures', 'formats');
    const odd = ['12', '12:', ':POP', 'x1:a', ' 1:a', '1:+', '1: ', '#', '99999999999999999:a', '-1:a'];
    const text = ['written.nanoscope', 'read-phone.nanoscope.txt']
      .map((file) => readFileSync(path.join(folder, file), 'utf8'))
      .join('')
      .concat(odd.join('\n'));
    for (const line of new Set(text.split('\n'))) {
      if (line === '') continue;
      const importer = new NanoscopeImporter();
      importer.append(new TextEncoder().encode(line));
      const leftOut = importer.finish().problems.some(({ what }) => what.includes('left out'));
      const [begins = ''] = tokens(rules, line)[0] ?? [];
      if (line.endsWith(':POP') && /^\d/.test(line)) continue; // alone, it has nothing to end
      assert.equal(begins.endsWith('invalid.illegal'), leftOut, `"${line}"`);
    }
  });

  it('tells comments, fields, sections and values of Perfetto’s configuration', async () => {
    const rules = await grammar('source.perfetto-config');
    const text =
      'data_sources: {  # one\n  config {\n    target_buffer: 12\n    name: "linux.ftrace"\n    fill: RING\n';
    assert.deepEqual(
      tokens(rules, text).map((line) => line.filter((token) => token.trim() === token)),
      [
        ['data_sources entity.name.section', '# one comment.line.number-sign'],
        ['config entity.name.section'],
        ['target_buffer variable.other.property', ': punctuation.separator.key-value', '12 constant.numeric'],
        [
          'name variable.other.property',
          ': punctuation.separator.key-value',
          '" string.quoted.double',
          'linux.ftrace string.quoted.double',
          '" string.quoted.double',
        ],
        ['fill variable.other.property', ': punctuation.separator.key-value', 'RING constant.other.enum'],
        [],
      ],
    );
  });
});
