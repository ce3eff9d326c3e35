// Every text a person reads can be translated: keys of the manifest and of the host are complete, in both directions.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, it } from 'mocha';
import { errorText } from '../../../src/targets/error-texts.js';
import { pageTexts } from '../../../src/extension/editor/page-texts.js';
import { findingTexts } from '../../../src/trace/findings/registry.js';
import { englishTexts, setTexts, text } from '../../../src/webview/texts.js';
import { errorTexts, helpTexts, saidTexts } from '../../../scripts/error-texts.mjs';
import { root } from '../../../scripts/setup.mjs';

function json(name: string): Record<string, unknown> {
  return JSON.parse(readFileSync(path.join(root, name), 'utf8')) as Record<string, unknown>;
}

function sorted(keys: Iterable<string>): string[] {
  return [...new Set(keys)].sort();
}

describe('texts', () => {
  it('has each key of the manifest in package.nls.json, and no other', () => {
    const used = [...readFileSync(path.join(root, 'package.json'), 'utf8').matchAll(/"%([^%"]+)%"/g)];
    assert.deepEqual(sorted(Object.keys(json('package.nls.json'))), sorted(used.map((match) => match[1]!)));
  });

  it('has each text of host, command line, errors and page in the bundle for translators, and no other', () => {
    const said = ['src/extension', 'src/cli'].flatMap((folder) => saidTexts(folder));
    assert.ok(!said.includes(undefined), 'the first argument of each l10n.t(…) is a literal');
    const host = said.map((text) => [text ?? '', text] as const);
    assert.ok(host.length > 500);
    const help = helpTexts().map((text) => [`help.${text}`, text] as const);
    assert.ok(help.length > 100, 'help of commands is found in the sources');
    const errors = errorTexts().map((text) => [`error.${text}`, text] as const);
    assert.ok(errors.length > 100, 'errors are found in the sources');
    const page = Object.entries({ ...englishTexts, ...findingTexts }).map(
      ([key, text]) => [`page.${key}`, text] as const,
    );
    assert.deepEqual(
      json('l10n/bundle.l10n.json'),
      Object.fromEntries([...host, ...errors, ...help, ...page]),
      'run npm run texts',
    );
  });

  it('gives the page what a translation has of its texts, by its keys', () => {
    const german = {
      'Show Log': 'Protokoll zeigen',
      'page.view.timeline': 'Zeitleiste',
      'page.help.close': '',
    };
    assert.deepEqual(pageTexts(german), { 'view.timeline': 'Zeitleiste' });
    assert.deepEqual(pageTexts(undefined), {});
  });

  it('fills in the same names in a text of the page as the page does', () => {
    setTexts(pageTexts({ 'page.call.cpu': '{share} CPU: {value}' }));
    try {
      assert.equal(text('call.cpu', { value: '5 ms', share: '3 %' }), '3 % CPU: 5 ms');
      assert.equal(text('call.wall', { value: '5 ms' }), 'Wall 5 ms');
    } finally {
      setTexts({});
    }
  });

  it('knows an error of a target again, whatever figures and names are in it', () => {
    const bundle = {
      'error.{0} cannot be recorded: {1}.': '{1}:{0}',
      'error.{0} cannot be recorded from its launch: {1}.': '{0} {1} 启动',
      'error.Try again.': '请重试。',
      'error.It is gone.': '',
      'Try again.': 'of the host',
    };
    assert.equal(errorText('Try again.', bundle), '请重试。');
    assert.equal(errorText('Shop cannot be recorded: it ends: soon.', bundle), 'it ends: soon:Shop');
    assert.equal(errorText('Shop cannot be recorded from its launch: no.', bundle), 'Shop no 启动');
    assert.equal(errorText('$& cannot be recorded: {0}.', bundle), '{0}:$&');
    for (const unknown of ['Try again', 'It is gone.', ' cannot be recorded: ', '{0}', ''])
      assert.equal(errorText(unknown, bundle), unknown);
    assert.equal(errorText('Try again.', undefined), 'Try again.');
  });

  it('writes a title, a description or a label of the manifest nowhere else', () => {
    const { languageModelTools, ...manifest } = json('package.json')['contributes'] as Record<
      string,
      unknown
    >;
    const plain: string[] = [];
    const look = (value: unknown, at: string): void => {
      if (typeof value !== 'object' || value === null) return;
      for (const [key, inner] of Object.entries(value)) {
        const isText = /^(title|description|markdownDescription|displayName|contents|name)$/.test(key);
        if (isText && typeof inner === 'string' && !inner.startsWith('%') && inner !== 'BTrace')
          plain.push(`${at}.${key}: ${inner}`);
        look(inner, `${at}.${key}`);
      }
    };
    look(manifest, 'contributes');
    // All else of a tool is for a model, and is not translated.
    for (const { displayName } of languageModelTools as readonly { displayName: string }[])
      look({ displayName }, 'languageModelTools');
    assert.deepEqual(plain, []);
  });
});
