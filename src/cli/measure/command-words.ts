import { UsageError } from '../exit-codes.js';

/** The words of a command that was given as one: split at spaces, with quotes as in a shell and nothing else of one. */
export function commandWords(line: string): string[] {
  const words: string[] = [];
  let word: string | undefined;
  let quote = '';
  for (const letter of line) {
    if (quote !== '') {
      if (letter === quote) quote = '';
      else word = (word ?? '') + letter;
    } else if (letter === '"' || letter === "'") {
      quote = letter;
      word ??= '';
    } else if (/\s/.test(letter)) {
      if (word !== undefined) words.push(word);
      word = undefined;
    } else word = (word ?? '') + letter;
  }
  if (quote !== '') throw new UsageError(`A quote is left open in: ${line}`);
  return word === undefined ? words : [...words, word];
}
