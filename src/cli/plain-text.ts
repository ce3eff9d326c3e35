/** A recording is data from anywhere: its names must not move the cursor, colour the terminal or turn the text around. */
const unsafe = /[\p{Cc}\p{Zl}\p{Zp}\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu;

export function plainText(text: string): string {
  return text.replace(unsafe, '\ufffd');
}

/** The same of text that has lines of its own. */
export function plainLines(text: string): string {
  return text.split('\n').map(plainText).join('\n');
}
