/** How wide a text is in a terminal: Chinese, Japanese and Korean characters take two columns, marks on letters none. */

/** What Unicode calls wide and full-width, in ranges of code points (EastAsianWidth.txt), without those that nobody has in a name. */
const wide =
  /[\u1100-\u115f\u2e80-\u303e\u3041-\u33ff\u3400-\u4dbf\u4e00-\ua4cf\ua960-\ua97f\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{1f300}-\u{1f64f}\u{1f680}-\u{1f6ff}\u{1f900}-\u{1f9ff}\u{20000}-\u{3fffd}]/u;
const without = /[\p{Mn}\p{Me}\p{Cf}]/u;
const isNarrow = (text: string): boolean => /^[\x20-\x7e]*$/.test(text);

const columnsOf = (letter: string): number => (wide.test(letter) ? 2 : without.test(letter) ? 0 : 1);

export function widthOf(text: string): number {
  if (isNarrow(text)) return text.length;
  let width = 0;
  for (const letter of text) width += columnsOf(letter);
  return width;
}

export const padEnd = (text: string, width: number): string =>
  text + ' '.repeat(Math.max(0, width - widthOf(text)));

export const padStart = (text: string, width: number): string =>
  ' '.repeat(Math.max(0, width - widthOf(text))) + text;

/** The begin of a text that fits. */
export function cutEnd(text: string, width: number): string {
  if (isNarrow(text)) return text.slice(0, Math.max(0, width));
  let left = width;
  let end = 0;
  for (const letter of text) {
    left -= columnsOf(letter);
    if (left < 0) break;
    end += letter.length;
  }
  return text.slice(0, end);
}

/** The end of a text that fits. */
export function cutStart(text: string, width: number): string {
  if (isNarrow(text)) return width > 0 ? text.slice(-width) : '';
  let over = widthOf(text) - width;
  let at = 0;
  for (const letter of text) {
    if (over <= 0) break;
    over -= columnsOf(letter);
    at += letter.length;
  }
  return text.slice(at);
}
