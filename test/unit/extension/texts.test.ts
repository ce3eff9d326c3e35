// Every text a person reads can be translated: keys of the manifest and of the host are complete, in both directions.
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, it } from 'mocha';
import ts from 'typescript';
import { pageTexts } from '../../../src/extension/editor/page-texts.js';
import { englishTexts, setTexts, text } from '../../../src/webview/texts.js';
import { root } from '../../../scripts/setup.mjs';

function json(name: string): Record<string, unknown> {
  return JSON.parse(readFileSync(path.join(root, name), 'utf8')) as Record<string, unknown>;
}

function sorted(keys: Iterable<string>): string[] {
  return [...new Set(keys)].sort();
}

/** The first argument of each `l10n.t(…)` in the host's sources; one that is no literal fails the test. */
function hostTexts(): string[] {
  const folder = path.join(root, 'src/extension');
  const found: string[] = [];
  for (const name of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
    if (!name.endsWith('.ts')) continue;
    const file = ts.createSourceFile(
      name,
      readFileSync(path.join(folder, name), 'utf8'),
      ts.ScriptTarget.ES2022,
      true,
    );
    const visit = (node: ts.Node): void => {
      if (ts.isCallExpression(node) && node.expression.getText() === 'l10n.t') {
        const [first] = node.arguments;
        assert.ok(first && ts.isStringLiteralLike(first), `${name}: ${node.getText()} is no literal`);
        found.push(first.text);
      }
      ts.forEachChild(node, visit);
    };
    visit(file);
  }
  return found;
}

describe('texts', () => {
  it('has each key of the manifest in package.nls.json, and no other', () => {
    const used = [...readFileSync(path.join(root, 'package.json'), 'utf8').matchAll(/"%([^%"]+)%"/g)];
    assert.deepEqual(sorted(Object.keys(json('package.nls.json'))), sorted(used.map((match) => match[1]!)));
  });

  it('has each text of the host and of the page in the bundle for translators, and no other', () => {
    const host = hostTexts().map((text) => [text, text] as const);
    const page = Object.entries(englishTexts).map(([key, text]) => [`page.${key}`, text] as const);
    assert.deepEqual(
      json('l10n/bundle.l10n.json'),
      Object.fromEntries([...host, ...page]),
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

  it('writes a title, a description or a label of the manifest nowhere else', () => {
    const manifest = json('package.json')['contributes'];
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
    assert.deepEqual(plain, []);
  });
});
