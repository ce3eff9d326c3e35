/** What the letters of mangled C++ names stand for. */

export const builtIns: Readonly<Record<string, string>> = {
  a: 'signed char',
  b: 'bool',
  c: 'char',
  d: 'double',
  e: 'long double',
  f: 'float',
  g: '__float128',
  h: 'unsigned char',
  i: 'int',
  j: 'unsigned int',
  l: 'long',
  m: 'unsigned long',
  n: '__int128',
  o: 'unsigned __int128',
  s: 'short',
  t: 'unsigned short',
  v: 'void',
  w: 'wchar_t',
  x: 'long long',
  y: 'unsigned long long',
  z: '...',
};

/** Behind a D. */
export const builtInsWithD: Readonly<Record<string, string>> = {
  a: 'auto',
  c: 'decltype(auto)',
  d: 'decimal64',
  e: 'decimal128',
  f: 'decimal32',
  h: 'half',
  i: 'char32_t',
  n: 'decltype(nullptr)',
  s: 'char16_t',
  u: 'char8_t',
};

/** A literal of these is told by its end; of all others by its type. */
export const literalEnds: Readonly<Record<string, string>> = {
  int: '',
  'unsigned int': 'u',
  long: 'l',
  'unsigned long': 'ul',
  'long long': 'll',
  'unsigned long long': 'ull',
};

/** Behind an S: in short, in whole, and what a constructor is called. */
export const standardNames: Readonly<Record<string, readonly [string, string, string]>> = {
  a: ['std::allocator', 'std::allocator', 'allocator'],
  b: ['std::basic_string', 'std::basic_string', 'basic_string'],
  s: [
    'std::string',
    'std::basic_string<char, std::char_traits<char>, std::allocator<char> >',
    'basic_string',
  ],
  i: ['std::istream', 'std::basic_istream<char, std::char_traits<char> >', 'basic_istream'],
  o: ['std::ostream', 'std::basic_ostream<char, std::char_traits<char> >', 'basic_ostream'],
  d: ['std::iostream', 'std::basic_iostream<char, std::char_traits<char> >', 'basic_iostream'],
};

export interface Operator {
  readonly sign: string;
  /** How many expressions it stands with in an expression; 0: none, or in a way of its own. */
  readonly operands: 0 | 1 | 2 | 3;
}

const two = (sign: string): Operator => ({ sign, operands: 2 });
const one = (sign: string): Operator => ({ sign, operands: 1 });
const other = (sign: string): Operator => ({ sign, operands: 0 });

export const operators: ReadonlyMap<string, Operator> = new Map(
  Object.entries({
    aN: two('&='),
    aS: two('='),
    aa: two('&&'),
    ad: one('&'),
    an: two('&'),
    aw: other('co_await'),
    cl: other('()'),
    cm: two(','),
    co: one('~'),
    dV: two('/='),
    da: other('delete[]'),
    de: one('*'),
    dl: other('delete'),
    dv: two('/'),
    eO: two('^='),
    eo: two('^'),
    eq: two('=='),
    ge: two('>='),
    gt: two('>'),
    ix: other('[]'),
    lS: two('<<='),
    le: two('<='),
    ls: two('<<'),
    lt: two('<'),
    mI: two('-='),
    mL: two('*='),
    mi: two('-'),
    ml: two('*'),
    mm: one('--'),
    na: other('new[]'),
    ne: two('!='),
    ng: one('-'),
    nt: one('!'),
    nw: other('new'),
    oR: two('|='),
    oo: two('||'),
    or: two('|'),
    pL: two('+='),
    pl: two('+'),
    pm: two('->*'),
    pp: one('++'),
    ps: one('+'),
    pt: other('->'),
    qu: { sign: '?', operands: 3 },
    rM: two('%='),
    rS: two('>>='),
    rm: two('%'),
    rs: two('>>'),
    ss: two('<=>'),
  } satisfies Record<string, Operator>),
);
