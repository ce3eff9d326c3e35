// npm run texts [-- LANGUAGE]: writes l10n/bundle.l10n.json, the texts of the extension host, the command line and the page for translators, from the sources.
// Puts translations into its order, without what is gone, and says what they lack. With a language as VS Code names it (fr, pt-br)
// begins a translation into it: `npm run texts -- fr`.
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import process from 'node:process';
import path from 'node:path';
import { findingTexts } from '../src/trace/findings/registry.ts';
import { englishTexts } from '../src/webview/texts.ts';
import { errorTexts, helpTexts, saidTexts } from './error-texts.mjs';
import { root } from './setup.mjs';
import { words } from './words.mjs';

const { names: begun } = words(import.meta.url, { names: true });
for (const language of begun) begin(language);

const texts = new Set([...saidTexts('src/extension'), ...saidTexts('src/cli')]);
// VS Code looks a text up by itself in English: the bundle for translators has each as its own translation. The page knows
// its texts by key, so theirs are keys here, too.
const page = Object.entries({ ...englishTexts, ...findingTexts }).map(([key, text]) => [`page.${key}`, text]);
const errors = errorTexts().map((text) => [`error.${text}`, text]);
const help = helpTexts().map((text) => [`help.${text}`, text]);
const bundle = Object.fromEntries([
  ...[...texts].sort().map((text) => [text, text]),
  ...errors,
  ...help,
  ...page,
]);
const before = read('l10n/bundle.l10n.json');
write('l10n/bundle.l10n.json', bundle);
console.log(
  `l10n/bundle.l10n.json: ${texts.size} texts of host and command line, ${errors.length} of errors, ${help.length} of help, ${page.length} of the page`,
);

for (const [english, name] of [
  ['package.nls.json', /^package\.nls\..+\.json$/],
  ['l10n/bundle.l10n.json', /^bundle\.l10n\..+\.json$/],
]) {
  const all = Object.entries(read(english));
  for (const file of readdirSync(path.join(root, path.dirname(english))).filter((one) => name.test(one))) {
    const at = path.join(path.dirname(english), file);
    const translated = read(at);
    write(
      at,
      Object.fromEntries(all.filter(([key]) => key in translated).map(([key]) => [key, translated[key]])),
    );
    for (const [key, text] of all) {
      if (!(key in translated)) console.log(`${at} lacks ${JSON.stringify(key)}: ${JSON.stringify(text)}`);
      else if (english.startsWith('l10n') && key in before && before[key] !== text)
        console.log(`${at}: look at ${JSON.stringify(key)}, which is now: ${JSON.stringify(text)}`);
    }
  }
}

/** Files without a text yet: each is in English, and is listed below as one that is missing. */
function begin(language) {
  if (!/^[a-z]{2,3}(?:-[a-z]{2,4})?$/.test(language)) {
    console.error(`${language} is no language as VS Code names it, such as fr or pt-br.`);
    process.exit(2);
  }
  for (const file of [`package.nls.${language}.json`, `l10n/bundle.l10n.${language}.json`])
    if (!existsSync(path.join(root, file))) write(file, {});
}

function read(file) {
  return JSON.parse(readFileSync(path.join(root, file), 'utf8'));
}

function write(file, content) {
  writeFileSync(path.join(root, file), `${JSON.stringify(content, null, 2)}\n`);
}
