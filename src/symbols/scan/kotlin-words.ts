/** What Kotlin's words are where they stand: which tokens begin a member, and what belongs to its head. Tokens only, no scopes. */
import { afterGenerics, afterPair } from './outline.js';
import { markAt, wordAt, type Tokens } from './tokens.js';

export const modifiers = new Set(
  `public private protected internal open abstract final sealed override data inner enum annotation value inline noinline crossinline
   suspend tailrec operator infix external const lateinit vararg expect actual companion reified`.split(
    /\s+/,
  ),
);
export const memberWords = new Set([
  'fun',
  'val',
  'var',
  'class',
  'interface',
  'object',
  'init',
  'constructor',
  'typealias',
  'get',
  'set',
]);

/**
 * A member's word begins a member when it stands where one may: after modifiers and annotations, at the beginning of a line, after
 * a brace or ";". In the middle of an expression (`x.get`, `= object : …`, `Shop::class`) it does not.
 */
export function beginsMember(tokens: Tokens, at: number): boolean {
  if (!memberWords.has(wordAt(tokens, at))) return false;
  let before = at - 1;
  let line = tokens.line[at] ?? 0;
  for (;;) {
    if (modifiers.has(wordAt(tokens, before))) {
      line = tokens.line[before] ?? line;
      before -= 1;
      continue;
    }
    const annotation = annotationBefore(tokens, before);
    if (annotation === undefined) break;
    line = tokens.line[annotation] ?? line;
    before = annotation - 1;
  }
  if (before < 0) return true;
  const mark = markAt(tokens, before);
  if (mark === '{' || mark === '}' || mark === ';') return true;
  if ((tokens.line[before] ?? 0) === line) return false;
  return isFinished(tokens, before);
}

/** Whether what ends a line at this token does not go on below: "= \n object : …" does. */
function isFinished(tokens: Tokens, at: number): boolean {
  return (
    !['=', '(', ',', ':', '.', '?', '&', '|', '+', '-', '*', '/', '<', '!', '['].includes(
      markAt(tokens, at),
    ) || endsSafely(tokens, at)
  );
}

/** `x!!` and `import a.*` end a line although their last mark could go on. */
function endsSafely(tokens: Tokens, at: number): boolean {
  const mark = markAt(tokens, at);
  return (mark === '!' && markAt(tokens, at - 1) === '!') || (mark === '*' && markAt(tokens, at - 1) === '.');
}

/** The "@" of an annotation that ends at this token, or the word of a `context(…)`, if one does. */
export function annotationBefore(tokens: Tokens, at: number): number | undefined {
  let i = at;
  if (markAt(tokens, i) === ')') {
    let depth = 0;
    for (; i >= 0; i--) {
      if (markAt(tokens, i) === ')') depth += 1;
      else if (markAt(tokens, i) === '(' && --depth === 0) break;
    }
    i -= 1;
  }
  if (wordAt(tokens, i) === '') return undefined;
  if (wordAt(tokens, i) === 'context' && i < at && standsFirst(tokens, i)) return i;
  while (['.', ':'].includes(markAt(tokens, i - 1)) && wordAt(tokens, i - 2) !== '') i -= 2;
  return markAt(tokens, i - 1) === '@' ? i - 1 : undefined;
}

function standsFirst(tokens: Tokens, at: number): boolean {
  const isFirstOfLine = tokens.line[at - 1] !== tokens.line[at] && isFinished(tokens, at - 1);
  return isFirstOfLine || ['{', '}', ';'].includes(markAt(tokens, at - 1));
}

/** What `@JvmName` before a member's word calls it in the runtime, or `@get:JvmName` and `@set:JvmName` its accessors; else empty. */
export function jvmName(tokens: Tokens, member: number, site = ''): string {
  for (let at = member - 1; ;) {
    const annotation = annotationBefore(tokens, at);
    if (annotation !== undefined) {
      const name = annotation + (site === '' ? 1 : 3);
      const isOfSite = site === '' || wordAt(tokens, annotation + 1) === site;
      if (isOfSite && wordAt(tokens, name) === 'JvmName') return stringAt(tokens, name + 2);
      at = annotation - 1;
    } else if (modifiers.has(wordAt(tokens, at))) at -= 1;
    else return '';
  }
}

/** The text of a string without escapes. */
export function stringAt(tokens: Tokens, at: number): string {
  return tokens.text.slice(tokens.begin[at], tokens.end[at]).replaceAll('"', '');
}

export function isExtensionOfFunctionType(tokens: Tokens, open: number): boolean {
  const after = afterPair(tokens, open);
  return markAt(tokens, after) === '.' || markAt(tokens, after) === '?';
}

export function isModifierAtLineStart(tokens: Tokens, at: number): boolean {
  return modifiers.has(wordAt(tokens, at)) && tokens.line[at] !== tokens.line[at - 1];
}

/** `class A private constructor(…)`, also on a line of its own. */
export function headGoesOn(tokens: Tokens, at: number): boolean {
  let i = at;
  while (modifiers.has(wordAt(tokens, i))) i += 1;
  return wordAt(tokens, i) === 'constructor' && i > at;
}

export function isPrimaryConstructor(tokens: Tokens, open: number, nameAt: number): boolean {
  if (wordAt(tokens, open - 1) === 'constructor') return true;
  return open === afterGenerics(tokens, nameAt + 1);
}

export function hasModifier(tokens: Tokens, at: number, wanted: string): boolean {
  for (let i = at - 1; modifiers.has(wordAt(tokens, i)); i--) {
    if (wordAt(tokens, i) === wanted) return true;
  }
  return false;
}

export function afterAnnotation(tokens: Tokens, at: number): number {
  let i = at + 1;
  // A use site: @file:JvmName, @get:Rule, @file:[A B].
  if (wordAt(tokens, i) !== '' && markAt(tokens, i + 1) === ':') i += 2;
  if (markAt(tokens, i) === '[') return afterPair(tokens, i);
  i += 1;
  while (markAt(tokens, i) === '.') i += 2;
  if (markAt(tokens, i) === '<') i = afterGenerics(tokens, i);
  // Arguments follow at once: "@A (x: Int) -> Unit" is a type.
  return markAt(tokens, i) === '(' && tokens.begin[i] === tokens.end[i - 1] ? afterPair(tokens, i) : i;
}
