/** The page's texts in a language that nobody speaks: longer by two fifths, and between brackets that tell them from all else. */
import { findingTexts } from '../../src/trace/findings/registry.js';
import { englishTexts } from '../../src/webview/texts.js';

const accented: Readonly<Record<string, string>> = { a: 'á', e: 'ê', i: 'î', o: 'ô', u: 'ü' };
/** As German and Finnish texts often are. */
const growth = 1.4;

/** Places for figures and names stay as they are. */
function pseudo(text: string): string {
  const longer = text.replace(/\{\w+\}|[aeiou]/gi, (found) => {
    const letter = accented[found.toLowerCase()];
    return letter === undefined ? found : letter.repeat(2);
  });
  return `⟦${longer.padEnd(Math.ceil(text.length * growth) - 2, '~')}⟧`;
}

export const pseudoTexts: Readonly<Record<string, string>> = Object.fromEntries(
  Object.entries({ ...englishTexts, ...findingTexts }).map(([key, text]) => [key, pseudo(text)]),
);

/** `shown` without what is between brackets; a text may have another in one of its places. */
export function outsideTexts(shown: string): string {
  let left = shown;
  for (let before = ''; before !== left;) {
    before = left;
    left = left.replace(/⟦[^⟦⟧]*⟧/g, '');
  }
  return left;
}
