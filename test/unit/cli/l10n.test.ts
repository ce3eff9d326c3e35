// The command line speaks the language of the terminal.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, describe, it } from 'mocha';
import { root } from '../../../scripts/setup.mjs';
import { helpOf, overview } from '../../../src/cli/command-line.js';
import { commands } from '../../../src/cli/commands/index.js';
import { errorWords, l10n, languagesOf, localeOf, speak } from '../../../src/cli/l10n.js';
import { widthOf } from '../../../src/cli/text-width.js';
import { languagesOf as translatedLanguages } from '../extension/translation-faults.js';

describe('the language of the command line', () => {
  afterEach(() => speak({}, 'linux'));

  it('is what the first of LC_ALL, LC_MESSAGES and LANG says that is set', () => {
    assert.equal(localeOf({ LC_ALL: 'a', LC_MESSAGES: 'b', LANG: 'c' }, 'linux'), 'a');
    assert.equal(localeOf({ LC_ALL: '', LC_MESSAGES: 'b', LANG: 'c' }, 'linux'), 'b');
    assert.equal(localeOf({ LANG: 'c' }, 'win32'), 'c');
    assert.equal(localeOf({}, 'linux'), '');
    assert.equal(localeOf({}, 'win32'), Intl.DateTimeFormat().resolvedOptions().locale);
  });

  it('is looked for by region and alone, and is English for what has no other letters', () => {
    assert.deepEqual(languagesOf('de_AT.UTF-8'), ['de-at', 'de']);
    assert.deepEqual(languagesOf('de_DE@euro'), ['de-de', 'de']);
    assert.deepEqual(languagesOf('ja'), ['ja']);
    for (const simplified of ['zh_CN.UTF-8', 'zh_SG.utf8', 'zh', 'zh-Hans-CN', 'zh-Hans-HK'])
      assert.deepEqual(languagesOf(simplified), ['zh-cn'], simplified);
    for (const traditional of ['zh_TW.UTF-8', 'zh_HK', 'zh-Hant', 'zh-Hant-CN'])
      assert.deepEqual(languagesOf(traditional), ['zh-tw'], traditional);
    for (const english of ['', 'C', 'C.UTF-8', 'POSIX', 'en_GB.UTF-8', 'zh_CN.GBK', '../x', '/'])
      assert.deepEqual(languagesOf(english), [], english);
  });

  it('has texts, errors and findings of its bundle, and English where there is none', () => {
    speak({ LANG: 'zh_CN.UTF-8' }, 'linux');
    assert.equal(l10n.t('{0} threads', '7'), '7 个线程');
    assert.equal(errorWords('a.btrace is there already.'), 'a.btrace 已存在。');
    assert.equal(errorWords('a cannot be read: it is a folder.'), '无法读取 a：它是文件夹。');
    assert.match(l10n.findings['finding.deadlock.title'] ?? '', /死锁/);
    speak({ LANG: 'eo.UTF-8' }, 'linux');
    assert.equal(l10n.t('{0} threads', '{0} $&'), '{0} $& threads');
    assert.equal(errorWords('a.btrace is there already.'), 'a.btrace is there already.');
    assert.deepEqual(l10n.findings, {});
  });

  for (const language of translatedLanguages(readFileSync(path.join(root, 'l10n/README.md'), 'utf8')))
    it(`has help in ${language}, none wider than the English one may be`, () => {
      speak({ LANG: language }, 'linux');
      const english = commands.map(({ summary }) => summary);
      const pages = [overview(commands), ...commands.map(helpOf)];
      const lines = pages.join('\n').split('\n');
      assert.deepEqual(
        lines.filter((line) => widthOf(line) > 120),
        [],
      );
      for (const summary of english) assert.ok(!pages.join('\n').includes(` – ${summary}`), summary);
    });
});
