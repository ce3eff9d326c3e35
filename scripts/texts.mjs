// npm run texts: writes l10n/bundle.l10n.json, the texts of the extension host and of the page for translators, from the sources.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import ts from 'typescript';
import { englishTexts } from '../src/webview/texts.ts';
import { root } from './setup.mjs';

const folder = path.join(root, 'src/extension');
const texts = new Set();
for (const name of readdirSync(folder, { recursive: true })) {
  if (!name.endsWith('.ts')) continue;
  const file = ts.createSourceFile(
    name,
    readFileSync(path.join(folder, name), 'utf8'),
    ts.ScriptTarget.ES2022,
    true,
  );
  const visit = (node) => {
    if (ts.isCallExpression(node) && node.expression.getText() === 'l10n.t') {
      const [first] = node.arguments;
      if (first && ts.isStringLiteralLike(first)) texts.add(first.text);
    }
    ts.forEachChild(node, visit);
  };
  visit(file);
}
// VS Code looks a text up by itself in English: the bundle for translators has each as its own translation. The page knows
// its texts by key, so theirs are keys here, too.
const page = Object.entries(englishTexts).map(([key, text]) => [`page.${key}`, text]);
const bundle = Object.fromEntries([...[...texts].sort().map((text) => [text, text]), ...page]);
writeFileSync(path.join(root, 'l10n/bundle.l10n.json'), `${JSON.stringify(bundle, null, 2)}\n`);
console.log(`l10n/bundle.l10n.json: ${texts.size} texts of the host, ${page.length} of the page`);
