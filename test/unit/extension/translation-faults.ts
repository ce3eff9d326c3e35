/** What is wrong with a translation, as far as a program can see: what is missing in it, changed, in English or of another style. */
export type Texts = Readonly<Record<string, string>>;

export interface Glossary {
  /** The longest first: each with the translations that it may have. */
  readonly terms: readonly { readonly english: RegExp; readonly own: readonly string[] }[];
  readonly names: ReadonlySet<string>;
  /** In Latin letters: words of it cannot be told from English ones. */
  readonly isLatin: boolean;
  styleFaults(own: string): string[];
}

/** The languages that l10n/README.md has a column of terms for: "zh-cn" → its place. */
function columnsOf(table: string): Map<string, number> {
  const [head = ''] = table.match(/^\| English .*$/m) ?? [];
  const cells = head.split('|').map((cell) => cell.trim());
  const languages = cells.map((cell) => /\(`([a-z-]+)`\)$/.exec(cell)?.[1]);
  return new Map(languages.flatMap((name, at) => (name === undefined ? [] : [[name, at] as const])));
}

export function languagesOf(readme: string): string[] {
  return [...columnsOf(readme.split('\n## Terms\n')[1] ?? '').keys()];
}

/** Of l10n/README.md: its table of terms, and its list of names. */
export function glossaryOf(readme: string, language: string): Glossary {
  const [, rest = ''] = readme.split('\n## Terms\n');
  const [table = '', names = ''] = rest.split('\n## Names that stay\n');
  const column = columnsOf(table).get(language) ?? 0;
  const rows = [...table.matchAll(/^\|.*\|$/gm)]
    .map(([row]) => row.split('|').map((cell) => cell.trim()))
    .filter(([, english = '']) => english !== 'English' && !english.startsWith('-'))
    .map((cells) => ({ english: cells[1] ?? '', own: (cells[column] ?? '').split('、') }));
  const terms = rows
    .flatMap(({ english, own }) => english.split(', ').map((term) => ({ term, own })))
    .sort((one, other) => other.term.length - one.term.length)
    .map(({ term, own }) => ({ english: withPlural(term), own }));
  return {
    terms,
    names: new Set(names.match(/`[^`]+`/g)?.map((name) => name.slice(1, -1))),
    isLatin: !/^(?:zh|ja|ko)/.test(language),
    styleFaults: styles[language] ?? (() => []),
  };
}

/** Also between words: "callers and callees". */
function withPlural(term: string): RegExp {
  const words = term.split(' ').map((word) => (/[a-z]$/.test(word) ? `${word}(?:s|es)?` : word));
  return new RegExp(`(?<![\\w-])${words.join(' ').replace(/y\(\?:s\|es\)\?/g, '(?:y|ies)')}(?![\\w-])`, 'gi');
}

const places = /\{\w+\}/g;
/** What is the same in all languages: code, targets of links, ids of settings, commands of a terminal, files. */
const fixed = [
  /`[^`]+`/g,
  /\]\([^)]+\)/g,
  /\bbtrace\.\w+(?:\.\w+)*/g,
  /(?<!\.)\bbtrace (?!(?:can|only)\b)[a-z]+/g,
  /[\w/-]*\.(?:md|json|txt|jar|btrace|so)\b/g,
  /\bObject\.wait\b/g,
  /(?<![\w-])--?[a-zA-Z](?:[\w:+-]*\w)?/g,
];

/** What a person types into a terminal: it ends where Chinese words go on. */
const command = /\b(?:adb(?! server)|apt-get|btrace(?! (?:can|only))|chown|kill|node|npm|sudo) [ -~]*/g;

/** `titles`: names of commands and buttons, each with its translation. */
export function translationFaults(
  english: Texts,
  translated: Texts,
  glossary: Glossary,
  titles: Texts,
): string[] {
  const faults: string[] = [];
  for (const [key, text] of Object.entries(english)) {
    const own = translated[key];
    const found = own === undefined || own === '' ? ['is missing'] : textFaults(text, own, glossary, titles);
    faults.push(...found.map((fault) => `${key}: ${fault}`));
  }
  for (const key of Object.keys(translated)) if (!(key in english)) faults.push(`${key}: no such text`);
  return faults;
}

function textFaults(english: string, own: string, glossary: Glossary, titles: Texts): string[] {
  const faults: string[] = [];
  for (const pattern of [places, ...fixed]) {
    const [wanted, has] = [english, own].map((text) => (text.match(pattern) ?? []).sort().join(' '));
    if (wanted !== has) faults.push(`has "${has}" in place of "${wanted}"`);
  }
  const foreign = glossary.isLatin ? untouched(english, own) : foreignWords(english, own, glossary);
  if (foreign !== '') faults.push(`is left in English: ${foreign}`);
  faults.push(
    ...glossary.styleFaults(own),
    ...termFaults(english, own, glossary),
    ...titleFaults(english, own, titles),
  );
  return faults;
}

/** A name in capitals that stands for a value, such as FILE, stays. A text in capitals alone is a table's head. */
function foreignWords(english: string, own: string, { names }: Glossary): string {
  const words = [command, ...fixed, places].reduce((text, pattern) => text.replace(pattern, ' '), own);
  const values = /[a-z]/.test(english) ? new Set(english.match(/\b[A-Z][A-Z_]+\b/g)) : new Set<string>();
  const found = words.match(/[a-z][\w.]*\w/gi) ?? [];
  return found.filter((word) => !names.has(word) && !values.has(word)).join(' ');
}

/** One word, or names alone, may be the same in both. */
function untouched(english: string, own: string): string {
  const words = [command, ...fixed, places].reduce((text, pattern) => text.replace(pattern, ' '), english);
  return own === english && (words.match(/\b[a-z]{2,}\b/g) ?? []).length > 1 ? english : '';
}

const plainOf = (own: string): string => own.replace(/\]\([^)]+\)/g, ']').replace(/`[^`]+`/g, '`');

const styles: Readonly<Record<string, (own: string) => string[]>> = {
  'zh-cn': chineseFaults,
  ja: japaneseFaults,
  ko: koreanFaults,
  de: germanFaults,
};

function japaneseFaults(own: string): string[] {
  const plain = plainOf(own);
  const faults = [];
  if (/[０-９Ａ-Ｚａ-ｚ％，：；？（）]/u.test(own)) faults.push('has full-width letters, digits or signs');
  if (/[\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Han}][,.]/u.test(plain))
    faults.push('has punctuation that is not Japanese');
  if (/(?:だ|である|(?<![まで]し)た)。/u.test(plain)) faults.push('is a sentence without です or ます');
  return faults;
}

function koreanFaults(own: string): string[] {
  const faults = [];
  if (/[，。：；？（）、「」]/u.test(own)) faults.push('has full-width punctuation');
  if (/(?:해요|어요|이다|한다|된다)[.!]/u.test(own)) faults.push('is a sentence that is not in 합니다 style');
  return faults;
}

function germanFaults(own: string): string[] {
  const plain = plainOf(own);
  const faults = [];
  if (/\b(?:Du|Dein|dein|du)\b/u.test(plain)) faults.push('has du');
  if (/“[^„]*”/u.test(plain)) faults.push('has quotes that are not German');
  return faults;
}

function chineseFaults(own: string): string[] {
  const plain = plainOf(own);
  const faults = [];
  if (own.includes('您')) faults.push('has 您');
  if (/\p{Script=Han}[,;:!?.]/u.test(plain)) faults.push('has punctuation that is not full-width');
  if (/[０-９Ａ-Ｚａ-ｚ％]/u.test(own)) faults.push('has full-width letters or digits');
  // A Chinese word takes the place of these. What ends with a place may have a bracket there.
  const spaced = plain.replace(/\{(?:view|weight|what)\}|(?<=\p{Script=Han})\{\d\}(?=。?$)/gu, '字');
  if (/\p{Script=Han}[\w{]|[\w}%]\p{Script=Han}/u.test(spaced))
    faults.push('lacks a space between Chinese and Latin letters, digits or a place');
  return faults;
}

function termFaults(english: string, own: string, { terms }: Glossary): string[] {
  const faults: string[] = [];
  let left = [command, ...fixed]
    .reduce((text, pattern) => text.replace(pattern, ' '), english)
    .replace(places, ' ');
  // FOLDER stands for a value.
  if (/[a-z]/.test(english)) left = left.replace(/\b[A-Z][A-Z_]+\b/g, ' ');
  for (const { english: term, own: known } of terms) {
    const [used] = left.match(term) ?? [];
    if (used === undefined) continue;
    const isKnown = known.some((word) => own.toLowerCase().includes(word.toLowerCase()));
    if (!isKnown) faults.push(`"${used}" is not ${known.join(' or ')}`);
    left = left.replace(term, '·');
  }
  return faults;
}

function titleFaults(english: string, own: string, titles: Texts): string[] {
  const named = [...english.matchAll(/(?:[*“]|command |BTrace: )(?!BTrace: )([A-Z]\w*(?: \w+)*)/g)].map(
    ([, name = '']) => name,
  );
  return named.flatMap((name) => {
    // The longest title that the words begin with.
    const title = Object.keys(titles)
      .filter((one) => name === one || name.startsWith(`${one} `))
      .sort((one, other) => other.length - one.length)[0];
    const wanted = title === undefined ? undefined : titles[title];
    return wanted === undefined || own.toLowerCase().includes(wanted.toLowerCase())
      ? []
      : [`calls “${title}” other than ${wanted}`];
  });
}
