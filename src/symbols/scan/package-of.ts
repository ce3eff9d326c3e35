/** The package a Java or Kotlin text says it is in; empty for the default one. */
import { markAt, tokenize, wordAt } from './tokens.js';

/** File annotations and a licence may stand before it, but not much more than this. */
const maxTokens = 400;

export function packageOf(text: string): string {
  // Kotlin's lexical rules hold for the head of a Java file too: nothing there tells them apart.
  const tokens = tokenize(text, 'kotlin', maxTokens);
  for (let at = 0; at < tokens.count; at++) {
    const word = wordAt(tokens, at);
    if (word === 'import' || word === 'class' || word === 'interface' || word === 'fun') return '';
    if (word !== 'package') continue;
    const names = [wordAt(tokens, ++at)];
    while (markAt(tokens, at + 1) === '.') {
      names.push(wordAt(tokens, at + 2));
      at += 2;
    }
    return names.join('.');
  }
  return '';
}
