/**
 * Names of methods as they were written. Compilers of Scala, Clojure, Kotlin and Ruby give a JVM names that it can take:
 * `$plus$plus`, `ready_QMARK_`, `load$lambda$0`. Which rule made a name its source file tells, and nothing is guessed without one.
 * For showing only: sources, lenses and mappings go by the name that was recorded. Several methods may have been written as one.
 */
export interface WrittenName {
  /** With its package; of Clojure the namespace. */
  readonly className: string;
  /** Between class and method. */
  readonly joint: '.' | '/';
  readonly name: string;
}

/** Undefined: as recorded. `file` is asked for only where the name may be a compiler's. */
export function writtenName(className: string, name: string, file: () => string): WrittenName | undefined {
  if (!mayBeMade(className, name)) return undefined;
  if (className.length + name.length > longestRead) return undefined;
  const source = file();
  const written = rules.get(source.slice(source.lastIndexOf('.')))?.(className, name);
  return written?.name === name && written.className === className ? undefined : written;
}

export function qualifiedWritten({ className, joint, name }: WrittenName): string {
  return `${className}${joint}${name}`;
}

/** False of most: what needs no further look. */
export function mayBeMade(className: string, name: string): boolean {
  return className !== '' && (made.test(name) || made.test(className));
}

const made = /[$_\\-]/;
/** Longer ones nobody wrote. */
const longestRead = 4096;

type Rule = (className: string, name: string) => WrittenName;

const rules: ReadonlyMap<string, Rule> = new Map([
  ['.scala', scalaName],
  ['.clj', clojureName],
  ['.cljc', clojureName],
  ['.kt', kotlinName],
  ['.kts', kotlinName],
  ['.rb', rubyName],
]);

function dotted(className: string, name: string): WrittenName {
  return { className, joint: '.', name };
}

/** "com.example." and ["Shop", "pay", "1"] of "com.example.Shop$pay$1". */
function partsOf(className: string): { packageName: string; parts: string[] } {
  const dot = className.lastIndexOf('.') + 1;
  return { packageName: className.slice(0, dot), parts: className.slice(dot).split('$') };
}

// ---------------------------------------------------------------- Scala

/** scala.reflect.NameTransformer. */
const scalaOperators: Readonly<Record<string, string>> = {
  tilde: '~',
  eq: '=',
  less: '<',
  greater: '>',
  bang: '!',
  hash: '#',
  percent: '%',
  up: '^',
  amp: '&',
  bar: '|',
  times: '*',
  div: '/',
  plus: '+',
  minus: '-',
  colon: ':',
  qmark: '?',
  at: '@',
  bslash: '\\',
};
const scalaOperator = new RegExp(`\\$(?:(${Object.keys(scalaOperators).join('|')})|u([0-9A-Fa-f]{4}))`, 'g');

function scalaDecoded(name: string): string {
  return name.replace(scalaOperator, (_, word: string | undefined, code: string | undefined) =>
    word === undefined
      ? String.fromCharCode(Number.parseInt(code ?? '', 16))
      : (scalaOperators[word] as string),
  );
}

function scalaName(className: string, name: string): WrittenName {
  // Until 2.11 a function's body is a class of its own: Shop$$anonfun$pay$1, and $$anonfun$apply$2 of one within it.
  const [outer = '', ...bodies] = className.split('$$anonfun$');
  const [, pay, first] = /^(.+?)\$(\d+)$/.exec(bodies[0] ?? '') ?? [];
  if (pay !== undefined && name.startsWith('apply')) {
    const within = bodies.slice(1).map((body) => body.slice(body.lastIndexOf('$') + 1));
    return dotted(scalaClass(outer), `${scalaDecoded(pay)} (lambda ${[first, ...within].join('.')})`);
  }
  // Private members that others reach have the path of their class before them.
  const path = `${className.replaceAll('.', '$').replace(/\$$/, '')}$$`;
  return dotted(scalaClass(className), scalaMethod(name.startsWith(path) ? name.slice(path.length) : name));
}

/** An object's class ends in "$", and until 2.11 the class of what a trait does in "$class". */
function scalaClass(className: string): string {
  return scalaDecoded(className).replace(/\$(?:class)?$/, '');
}

const scalaForms: readonly (readonly [RegExp, string])[] = [
  [/^\$?\$anonfun\$(.+)\$(\d+)(?:\$adapted)?$/, '$1 (lambda $2)'],
  [/^(.+?)\$\$anonfun\$(?:adapted\$)?(\d+)(?:\$\$anonfun\$(?:adapted\$)?(\d+))?$/, '$1 (lambda $2.$3)'],
  [/^(.+)\$default\$(\d+)$/, '$1 (default $2)'],
  [/^(.+)\$lzy(?:compute|INIT)(?:\$?\d+)?$/, '$1 (lazy)'],
  [/^(.+)\$extension\d*$/, '$1 (extension)'],
  [/^(.+)\$mc([A-Z]+)\$sp$/, '$1 (specialised $2)'],
  [/^([^$].*)\$(\d+)$/, '$1 (local $2)'],
];

function scalaMethod(name: string): string {
  for (const [form, written] of scalaForms) {
    if (form.test(name)) return scalaDecoded(name.replace(form, written).replace('.)', ')'));
  }
  return scalaDecoded(name);
}

// ---------------------------------------------------------------- Clojure

/** clojure.lang.Compiler's CHAR_MAP. */
const clojureCharacters: Readonly<Record<string, string>> = {
  _COLON_: ':',
  _PLUS_: '+',
  _GT_: '>',
  _LT_: '<',
  _EQ_: '=',
  _TILDE_: '~',
  _BANG_: '!',
  _CIRCA_: '@',
  _SHARP_: '#',
  _SINGLEQUOTE_: "'",
  _DOUBLEQUOTE_: '"',
  _PERCENT_: '%',
  _CARET_: '^',
  _AMPERSAND_: '&',
  _STAR_: '*',
  _BAR_: '|',
  _LBRACE_: '{',
  _RBRACE_: '}',
  _LBRACK_: '[',
  _RBRACK_: ']',
  _SLASH_: '/',
  _BSLASH_: '\\',
  _QMARK_: '?',
  _: '-',
};
const clojureCharacter = new RegExp(Object.keys(clojureCharacters).join('|'), 'g');

function clojureDecoded(name: string): string {
  return name.replace(clojureCharacter, (munged) => clojureCharacters[munged] as string);
}

/** A function is a class, `my_app.core$ready_QMARK_`, whose body is one of the methods that call it. */
function clojureName(className: string, name: string): WrittenName {
  const dollar = className.indexOf('$');
  // Of a record or type, or what loads a namespace.
  if (dollar <= 0)
    return dotted(className, name.startsWith('<') || name.startsWith('_') ? name : clojureDecoded(name));
  const called = clojureDecoded(className.slice(dollar + 1).replaceAll('$', '/'));
  const isBody = /^(invoke|invokeStatic|doInvoke|invokePrim)$/.test(name);
  return {
    className: clojureDecoded(className.slice(0, dollar)),
    joint: '/',
    name: isBody ? called : `${called}.${name.startsWith('<') ? name : clojureDecoded(name)}`,
  };
}

// ---------------------------------------------------------------- Kotlin

function kotlinName(className: string, name: string): WrittenName {
  if (name === 'invoke' || name === 'invokeSuspend') {
    const body = kotlinBody(className, name === 'invoke' ? 'lambda' : 'coroutine');
    if (body !== undefined) return body;
  }
  return dotted(className, kotlinMethod(name));
}

/** Shop$pay$1 is the first function or coroutine in Shop.pay, Shop$1 an object without a name. */
function kotlinBody(className: string, what: string): WrittenName | undefined {
  const { packageName, parts } = partsOf(className);
  let last = parts.length;
  while (last > 0 && /^\d+$/.test(parts[last - 1] as string)) last--;
  const numbers = parts.slice(last).join('.');
  let inlined = '';
  // Shop$pay$$inlined$map$1: of a function that was inlined into pay.
  if (parts[last - 2] === 'inlined' && parts[last - 3] === '') {
    inlined = `inlined ${parts[last - 1] as string} `;
    last -= 3;
  }
  const [owner, method] = [parts[last - 2], parts[last - 1]];
  if (numbers === '' || owner === undefined || owner === '' || method === undefined) return undefined;
  // A function is in lower case, but one of a file's own may be called as a class is.
  if (!/^\p{Ll}/u.test(method) && !owner.endsWith('Kt')) return undefined;
  const outer = packageName + parts.slice(0, last - 1).join('$');
  return dotted(outer, `${kotlinPlain(method)} (${inlined}${inlined === '' ? `${what} ` : ''}${numbers})`);
}

const kotlinForms: readonly (readonly [RegExp, string])[] = [
  [/^-\$\$Nest\$(?:s?m|s?f(?:get|put))(.+)$/, 'accessor'],
  [/^access\$(.+?)(?:\$(?:p|cp|s\d+))?$/, 'accessor'],
  [/^(.+)\$default$/, 'defaults'],
  [/^(.+)\$suspendImpl$/, 'body'],
];

/** "pay$lambda$0$1" and "pay$lambda$0$lambda$1" are lambdas in `pay`, with their numbers. Read from the end, where the numbers are. */
function kotlinLambda(name: string): readonly [outer: string, numbers: string] | undefined {
  const mark = '$lambda$';
  let outerEnd = 0;
  for (let end = name.length; ;) {
    let from = end;
    while (isDigit(name.charCodeAt(from - 1))) from--;
    if (from === end) break;
    if (name.startsWith(mark, from - mark.length)) {
      end = from - mark.length;
      if (end <= 0) break;
      outerEnd = end;
    } else if (name[from - 1] === '$') end = from - 1;
    else break;
  }
  return outerEnd > 0 ? [name.slice(0, outerEnd), name.slice(outerEnd + mark.length)] : undefined;
}

const isDigit = (code: number): boolean => code >= 0x30 && code <= 0x39;

function kotlinMethod(name: string): string {
  for (const [form, what] of kotlinForms) {
    const plain = form.exec(name)?.[1];
    if (plain !== undefined && !/^\d+$/.test(plain)) return `${kotlinPlain(plain)} (${what})`;
  }
  const [outer, numbers = ''] = kotlinLambda(name) ?? [];
  return outer === undefined || /^\d+$/.test(outer)
    ? kotlinPlain(name)
    : `${kotlinPlain(outer)} (lambda ${numbers.replace(/\$(lambda\$)?/g, '.')})`;
}

/** Without what keeps functions of value classes (`-hash`, `-impl`) and of modules (`$app_debug`) apart. */
function kotlinPlain(name: string): string {
  if (name.includes(' ')) return name;
  const plain = name.replace(/^([^$]+)\$(?!(?:annotations|delegate)$)[a-z]\w*$/, '$1');
  const [, mangled] = /^(.+?)-(?:impl|[\w-]{7})$/.exec(plain) ?? [];
  if (mangled === 'constructor' || plain === '_init_') return '<init>';
  return mangled === undefined || mangled === 'box' || mangled === 'unbox' ? plain : mangled;
}

// ---------------------------------------------------------------- Ruby

/** JRuby's: what a JVM forbids in a name is "\" and another character, after a first "\=". */
const rubyForbidden = '\\/.;:$[]<>';
const rubyEscapes = '-|,?!%{}^_';

/** RUBY$method$pay$0 and RUBY$block$pay$1, named as Ruby's own traces have them. */
function rubyName(className: string, name: string): WrittenName {
  const [ruby, kind, escaped = ''] = name.split('$');
  if (ruby !== 'RUBY') return dotted(className, name);
  const plain = escaped.startsWith('\\=')
    ? escaped
        .slice(2)
        .replace(/\\(.)/g, (_, escape: string) => rubyForbidden[rubyEscapes.indexOf(escape)] ?? '')
    : escaped;
  switch (kind) {
    case 'method':
      return dotted(className, plain);
    case 'block':
      return dotted(className, plain === '' ? 'block' : `block in ${plain}`);
    case 'class':
    case 'module':
      return dotted(className, `<${kind}:${plain}>`);
    case 'metaclass':
      return dotted(className, 'singleton class');
    case 'script':
      return dotted(className, '<top>');
    default:
      return dotted(className, name);
  }
}
