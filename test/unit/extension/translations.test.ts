// Translations are whole, keep what is not to be translated, and say one thing by one word: l10n/README.md.
import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, it } from 'mocha';
import { root } from '../../../scripts/setup.mjs';
import type { Texts } from './translation-faults.js';
import { glossaryOf, languagesOf, translationFaults } from './translation-faults.js';

function json(name: string): Texts {
  return JSON.parse(readFileSync(path.join(root, name), 'utf8')) as Texts;
}

const readme = readFileSync(path.join(root, 'l10n/README.md'), 'utf8');
const [manifest, bundle] = [json('package.nls.json'), json('l10n/bundle.l10n.json')];

const walkthrough = path.join(root, 'media/walkthrough');

/** Empty where there is none. Code shows figures as an editor has them. */
function page(name: string): string {
  const at = path.join(walkthrough, name);
  return existsSync(at) ? readFileSync(at, 'utf8').replace(/^```\n[^`]*^```$/gm, '') : '';
}

/** Names of commands and of buttons, each with its translation. A text of the host is its own key. */
function titles(own: { readonly manifest: Texts; readonly bundle: Texts }): Texts {
  const found = [
    ...Object.entries(manifest).filter(([key]) => key.startsWith('command.')),
    ...Object.entries(bundle).filter(([, text]) => /^[A-Z][\w ]*…?$/.test(text)),
  ].map(([key, text]) => [plain(text), plain(own.manifest[key] ?? own.bundle[key] ?? '')] as const);
  // A command has its name from the manifest.
  return Object.fromEntries(found.reverse());
}

function plain(title: string): string {
  return title.replace(/…$/, '');
}

for (const language of languagesOf(readme))
  describe(`the translation into ${language}`, () => {
    const glossary = glossaryOf(readme, language);
    const own = {
      manifest: json(`package.nls.${language}.json`),
      bundle: json(`l10n/bundle.l10n.${language}.json`),
    };

    it('has each text of manifest, host, command line and page, by the glossary', () => {
      const found = [
        ...translationFaults(manifest, own.manifest, glossary, titles(own)),
        ...translationFaults(bundle, own.bundle, glossary, titles(own)),
      ];
      assert.deepEqual(
        found,
        [],
        `Translate what is missing, and mend the others, in package.nls.${language}.json and l10n/bundle.l10n.${language}.json, ` +
          'by the table in l10n/README.md. `npm run texts` drops what has no English text any more.',
      );
    });

    it('has each page of the walkthrough', () => {
      const pages = readdirSync(walkthrough).filter((name) => /^\w+\.md$/.test(name));
      assert.ok(pages.length > 0);
      const english = pages.map((name) => [name, page(name)] as const);
      const translated = pages.map(
        (name) => [name, page(name.replace('.md', `.nls.${language}.md`))] as const,
      );
      const found = translationFaults(
        Object.fromEntries(english),
        Object.fromEntries(translated),
        glossary,
        titles(own),
      );
      assert.deepEqual(found, [], `mend media/walkthrough/*.nls.${language}.md`);
    });
  });

describe('translations', () => {
  const glossary = glossaryOf(readme, 'zh-cn');

  /** Of one text in Chinese. */
  function faults(english: string, chinese: string): string[] {
    const names = {
      'Choose R8 Mapping': '选择 R8 映射',
      Record: '录制',
      'Start a Program and Record It': '启动程序并录制',
    };
    return translationFaults({ it: english }, { it: chinese }, glossary, names);
  }

  it('are of the languages that the glossary has a column for, so that none is left out here', () => {
    const files = [...readdirSync(root), ...readdirSync(path.join(root, 'l10n'))];
    assert.deepEqual(
      files.filter((name) => /^(?:package\.nls|bundle\.l10n)\..+\.json$/.test(name)).sort(),
      languagesOf(readme)
        .flatMap((language) => [`bundle.l10n.${language}.json`, `package.nls.${language}.json`])
        .sort(),
    );
  });

  it('are refused where a text is missing, is gone or is left in English', () => {
    assert.deepEqual(translationFaults({ a: 'Open', b: 'Close' }, { b: '', c: '打开' }, glossary, {}), [
      'a: is missing',
      'b: is missing',
      'c: no such text',
    ]);
    assert.deepEqual(faults('Show the log', 'Show the log'), ['it: is left in English: Show the log']);
    assert.deepEqual(faults('CPU {0} ({1})', 'CPU {0}（{1}）'), []);
  });

  it('are refused where a place, code, a link or a setting is not as in English', () => {
    const wrong = [
      ['{count} of {all}', '{all} 中的 {all}'],
      ['By `file`', '使用 `文件`'],
      ['[Open](command:btrace.open)', '[打开](command:btrace.record)'],
      ['See btrace.adb.path', '见 btrace.adb'],
      ['See btrace lags', '见 btrace 卡顿'],
    ] as const;
    for (const [english, chinese] of wrong)
      assert.match(faults(english, chinese)[0] ?? '', /^it: has ".*" in place of "/, chinese);
  });

  it('are refused where a term has another word, alone or in a longer one', () => {
    assert.deepEqual(faults('Two threads', '两个执行绪'), ['it: "threads" is not 线程']);
    assert.deepEqual(faults('Flame graph', '火焰图'), []);
    assert.deepEqual(faults('Flame chart', '火焰图'), ['it: "Flame chart" is not 时序火焰图']);
    // "wait" within "lock contention" or "wait time" is no word of its own.
    assert.deepEqual(faults('Callers and callees', '调用方与被调用方'), []);
    assert.deepEqual(faults('Library frames', '库栈帧'), []);
  });

  it('are refused where its style is another', () => {
    assert.deepEqual(faults('Choose one.', '请您选择一个。'), ['it: has 您']);
    assert.deepEqual(faults('Choose one.', '请选择一个.'), ['it: has punctuation that is not full-width']);
    assert.deepEqual(faults('10 rows', '１０ 行'), ['it: has full-width letters or digits']);
    for (const tight of ['打开{0}文件', '{0}行', '用BTrace 打开', '用 BTrace打开'])
      assert.ok(
        faults(tight.includes('{0}') ? '{0}' : '', tight)
          .join()
          .includes('lacks a space'),
        tight,
      );
    assert.deepEqual(faults('Show in {view}', '在{view}中显示'), []);
  });

  it('are refused where a command is called other than it is', () => {
    const text = 'By *BTrace: Start a Program and Record It* or the command Choose R8 Mapping.';
    assert.deepEqual(faults(text, '使用 *BTrace: 启动程序并录制* 或命令“选择 R8 映射”。'), []);
    assert.deepEqual(faults(text, '使用 *BTrace: 录制程序* 或命令“选取 R8 映射”。'), [
      'it: calls “Start a Program and Record It” other than 启动程序并录制',
      'it: calls “Choose R8 Mapping” other than 选择 R8 映射',
    ]);
  });
});
