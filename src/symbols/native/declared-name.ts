/**
 * What a C or C++ text calls a function that a recording names as the linker's tools do: "shop::max" with two parameters for
 * "int shop::max<int>(int, int) (libshop.so)". Native frames have no file: this name is what finds their declaration.
 */
export interface DeclaredName {
  /** With its namespaces and classes, as `scanCpp` gives it; empty for what no text declares by name: lambdas, stubs. */
  readonly name: string;
  /** −1 unknown: C has names alone. */
  readonly parameters: number;
}

const unknown: DeclaredName = { name: '', parameters: -1 };

/** Longer ones are of machines, and slow nobody down. */
const longest = 4096;

export function declaredName(recorded: string): DeclaredName {
  if (recorded.length > longest) return unknown;
  const library = / \([^()]*\)$/;
  let text = withoutQualifiers(
    withoutClones(recorded.replace(library, ''))
      .replaceAll('(anonymous namespace)::', '')
      .replace(/\[abi:\w+\]/g, ''),
  );
  let parameters = -1;
  if (text.endsWith(')')) {
    const open = matchingOpen(text);
    if (open < 0) return unknown;
    parameters = countOf(text.slice(open + 1, -1));
    text = text.slice(0, open);
  }
  const name = lastWord(withoutAngles(text));
  const isName = /^(?:[\w$~]+::)*~?[\w$]+$/.test(name) || /^(?:[\w$~]+::)*operator./.test(name);
  return isName ? { name, parameters } : unknown;
}

/** Without what a compiler puts behind a copy of a function: " [clone .cold]". */
function withoutClones(text: string): string {
  for (;;) {
    const at = text.endsWith(']') ? text.lastIndexOf(' [clone ') : -1;
    if (at < 0 || text.indexOf(']', at) !== text.length - 1) return text;
    text = text.slice(0, at);
  }
}

const qualifiers = [' const', ' volatile', ' noexcept', ' &&', ' &'];

function withoutQualifiers(text: string): string {
  for (;;) {
    const last = qualifiers.find((one) => text.endsWith(one));
    if (last === undefined) return text;
    text = text.slice(0, -last.length);
  }
}

/** The parenthesis that the last one closes. */
function matchingOpen(text: string): number {
  let depth = 0;
  for (let at = text.length - 1; at >= 0; at--) {
    if (text[at] === ')') depth += 1;
    else if (text[at] === '(' && --depth === 0) return at;
  }
  return -1;
}

function countOf(list: string): number {
  const text = list.trim();
  if (text === '' || text === 'void') return 0;
  let depth = 0;
  let count = 1;
  for (const c of text) {
    if (c === '<' || c === '(' || c === '[' || c === '{') depth += 1;
    else if (c === '>' || c === ')' || c === ']' || c === '}') depth -= 1;
    else if (c === ',' && depth === 0) count += 1;
  }
  return count;
}

/** Without template arguments; the signs of an operator's name stay. */
function withoutAngles(text: string): string {
  const operator = /\boperator(?:<=>|<<=?|<=?|->\*?|>>=?|>=?)/.exec(text);
  const [head, sign] = operator ? [text.slice(0, operator.index), operator[0]] : [text, ''];
  let plain = '';
  let depth = 0;
  for (const c of head) {
    if (c === '<') depth += 1;
    else if (c === '>') depth -= 1;
    else if (depth === 0) plain += c;
  }
  return plain + sign;
}

/** A template's function has its result's type in front. "operator new" is one name. */
function lastWord(text: string): string {
  const operator = text.search(/\boperator(?: |"")./);
  const before = operator < 0 ? text.length : operator;
  return text.slice(text.lastIndexOf(' ', before) + 1);
}
