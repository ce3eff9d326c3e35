/** The control kit is in one place, so that another can take its place. */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, it } from 'mocha';

const root = path.resolve(import.meta.dirname, '../../..');
const kit = '@vscode/webview-ui-toolkit';

describe('the control kit', () => {
  const sources = readdirSync(path.join(root, 'src'), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts'))
    .map((file) => ({ file, text: readFileSync(path.join(root, 'src', file), 'utf8') }));

  it('is imported by one file', () => {
    const importing = sources.filter(({ text }) => text.includes(`'${kit}`)).map(({ file }) => file);
    assert.deepEqual(importing, [path.join('webview', 'toolkit.ts')]);
  });

  it('has each of its parts registered that the page makes, and no other', () => {
    const made = new Set(
      sources
        .filter(({ file }) => file.startsWith('webview'))
        .flatMap(({ text }) => [...text.matchAll(/'vscode-([a-z-]+)'/g)].map(([, tag]) => tag)),
    );
    const registered = sources.find(({ file }) => file.endsWith('toolkit.ts'))!.text;
    const parts = [...registered.matchAll(/vsCode([A-Za-z]+)\(\)/g)].map(([, name]) =>
      name!.replace(/(?<=.)[A-Z]/g, (letter) => `-${letter}`).toLowerCase(),
    );
    assert.deepEqual(parts.sort(), [...made].filter((tag) => !/^(dark|light|high)/.test(tag!)).sort());
  });
});
