/** Expressions in C++ names: of template arguments, decltype and noexcept. */
import { literalEnds, operators } from './cpp-words.js';
import { listed, named, type Text, whole } from './cpp-text.js';
import { Unreadable } from './unreadable.js';

/** What an expression is made of besides expressions. */
export interface NameReader {
  peek(ahead?: number): string;
  skip(expected: string): boolean;
  expect(expected: string): void;
  take(count: number): string;
  number(): number;
  ordinal(base?: number): number;
  mark(): () => void;
  nested<T>(read: () => T): T;
  encoding(isWithin?: boolean): string;
  functionName(): string;
  type(): Text;
  argument(): readonly Text[];
  arguments(isOfName: boolean): string;
  expanded(read: () => Text): readonly Text[];
  sourceName(): Text;
  operatorName(): string;
  parameter(): Text;
}

/** With parentheses where another one holds it. */
interface Expression {
  readonly text: string;
  readonly isSimple: boolean;
}

const simple = (told: string): Expression => ({ text: told, isSimple: true });
const complex = (told: string): Expression => ({ text: told, isSimple: false });

export function expressionOf(reader: NameReader): string {
  return expression(reader).text;
}

function within(one: Expression): string {
  return one.isSimple ? one.text : `(${one.text})`;
}

function inner(reader: NameReader): string {
  return within(expression(reader));
}

/** Up to the E. */
function all(reader: NameReader): string {
  const list: Text[] = [];
  while (!reader.skip('E')) {
    if (reader.skip('sp')) list.push(...reader.expanded(() => named(expressionOf(reader))));
    else list.push(named(expressionOf(reader)));
  }
  return listed(list);
}

function expression(reader: NameReader): Expression {
  return reader.nested(() => {
    const c = reader.peek();
    if (c === 'L') return literal(reader);
    if (c === 'T') return simple(whole(reader.parameter()));
    if (c === 'X') {
      reader.take(1);
      const held = expression(reader);
      reader.expect('E');
      return held;
    }
    if (/\d/.test(c)) return unresolved(reader);
    const code = reader.take(2);
    return special(reader, code) ?? operation(reader, code);
  });
}

function literal(reader: NameReader): Expression {
  reader.expect('L');
  if (reader.skip('_Z') || reader.peek() === 'Z') {
    if (reader.peek() === 'Z' && !reader.skip('Z')) throw new Unreadable();
    const told = reader.encoding();
    reader.expect('E');
    return simple(told);
  }
  const type = whole(reader.type());
  let value = reader.skip('n') ? '-' : '';
  while (/[0-9a-zA-Z_.]/.test(reader.peek()) && reader.peek() !== 'E') value += reader.take(1);
  reader.expect('E');
  if (type === 'bool' && value === '0') return simple('false');
  if (type === 'bool' && value === '1') return simple('true');
  const end = literalEnds[type];
  if (end !== undefined) return simple(value + end);
  return simple(value === '' ? type : `(${type})${/^[\d-]\d*$/.test(value) ? value : `[${value}]`}`);
}

/** A name that is looked up later, with its arguments. */
function unresolved(reader: NameReader): Expression {
  const name = whole(reader.sourceName());
  return simple(reader.peek() === 'I' ? name + reader.arguments(false) : name);
}

const castWords: Readonly<Record<string, string>> = {
  cc: 'const_cast',
  dc: 'dynamic_cast',
  rc: 'reinterpret_cast',
  sc: 'static_cast',
};

function special(reader: NameReader, code: string): Expression | undefined {
  const cast = castWords[code];
  if (cast !== undefined) return complex(`${cast}<${whole(reader.type())}>(${expressionOf(reader)})`);
  switch (code) {
    case 'fp':
    case 'fL':
      return parameterOfFunction(reader, code);
    case 'st':
      return complex(`sizeof (${whole(reader.type())})`);
    case 'sz':
      return complex(`sizeof (${expressionOf(reader)})`);
    case 'at':
      return complex(`alignof (${whole(reader.type())})`);
    case 'az':
      return complex(`alignof (${expressionOf(reader)})`);
    case 'nx':
      return complex(`noexcept (${expressionOf(reader)})`);
    case 'ti':
      return complex(`typeid (${whole(reader.type())})`);
    case 'te':
      return complex(`typeid (${expressionOf(reader)})`);
    case 'tr':
      return complex('throw');
    case 'tw':
      return complex(`throw ${expressionOf(reader)}`);
    case 'sp':
      return complex(listed(reader.expanded(() => named(expressionOf(reader)))));
    case 'sZ':
    case 'sP':
      return sizeOfPack(reader, code);
    case 'sr':
      return scoped(reader);
    case 'gs':
      return simple(`::${expressionOf(reader)}`);
    case 'on':
      return simple(reader.operatorName() + (reader.peek() === 'I' ? reader.arguments(false) : ''));
    case 'dn':
      return simple(`~${/\d/.test(reader.peek()) ? unresolved(reader).text : whole(reader.type())}`);
    case 'cv':
      return converted(reader);
    case 'tl':
      return simple(`${whole(reader.type())}{${all(reader)}}`);
    case 'il':
      return simple(`{${all(reader)}}`);
    case 'cl':
      return complex(`${inner(reader)}(${all(reader)})`);
    case 'cp':
      return complex(`(${inner(reader)})(${all(reader)})`);
    case 'dt':
      return complex(`${inner(reader)}.${inner(reader)}`);
    case 'pt':
      return complex(`${inner(reader)}->${inner(reader)}`);
    case 'ix':
      return complex(`${inner(reader)}[${expressionOf(reader)}]`);
    case 'ds':
      return complex(`${inner(reader)}.*${inner(reader)}`);
    case 'fl':
    case 'fr':
      return folded(reader, code);
    default:
      return undefined;
  }
}

function parameterOfFunction(reader: NameReader, code: string): Expression {
  if (code === 'fp' && reader.skip('T')) return simple('this');
  if (code === 'fL') {
    // A fold of two begins alike.
    if (!/\d/.test(reader.peek())) return folded(reader, code);
    reader.number();
    reader.expect('p');
  }
  while (/[rVK]/.test(reader.peek())) reader.take(1);
  return simple(`{parm#${reader.ordinal() + 1}}`);
}

function sizeOfPack(reader: NameReader, code: string): Expression {
  if (code === 'sP') {
    const elements: Text[] = [];
    while (!reader.skip('E')) elements.push(...reader.argument());
    return complex(String(elements.length));
  }
  if (reader.peek() !== 'T') return complex(`sizeof...(${expressionOf(reader)})`);
  const { pack } = reader.parameter();
  return complex(pack === undefined ? 'sizeof...' : String(pack.length));
}

/** "std::begin". Compilers write it in three ways. */
function scoped(reader: NameReader): Expression {
  const again = reader.mark();
  let scope = whole(reader.type());
  const hasLevels = /\d/.test(reader.peek()) && !scope.endsWith('>') && isFollowedByLevels(reader);
  if (hasLevels || reader.peek() === 'E') {
    again(); // such a scope is no type
    scope = unresolved(reader).text;
  }
  if (hasLevels) while (reader.peek() !== 'E') scope += `::${unresolved(reader).text}`;
  reader.skip('E');
  return simple(`${scope}::${expressionOf(reader)}`);
}

function isFollowedByLevels(reader: NameReader): boolean {
  const again = reader.mark();
  unresolved(reader);
  while (/\d/.test(reader.peek())) unresolved(reader);
  const is = reader.peek() === 'E' && /\d/.test(reader.peek(1));
  again();
  return is;
}

function converted(reader: NameReader): Expression {
  const type = whole(reader.type());
  return complex(reader.skip('_') ? `${type}(${all(reader)})` : `(${type})${inner(reader)}`);
}

const foldedOperators = new Map([...operators].filter(([, { operands }]) => operands === 2));

function folded(reader: NameReader, code: string): Expression {
  const sign = foldedOperators.get(reader.take(2))?.sign;
  if (sign === undefined) throw new Unreadable();
  const first = inner(reader);
  if (code === 'fl') return complex(`(...${sign}${first})`);
  if (code === 'fr') return complex(`(${first}${sign}...)`);
  return complex(`(${first}${sign}...${sign}${inner(reader)})`);
}

function operation(reader: NameReader, code: string): Expression {
  const found = operators.get(code);
  switch (found?.operands) {
    case 1: {
      // A function's address is told without its parameters.
      if (code === 'ad' && reader.skip('L_Z')) {
        const name = reader.functionName();
        reader.expect('E');
        return complex(`&${name}`);
      }
      if ((code === 'pp' || code === 'mm') && !reader.skip('_'))
        return complex(`${inner(reader)}${found.sign}`);
      return complex(`${found.sign}${inner(reader)}`);
    }
    case 2: {
      const told = `${inner(reader)}${found.sign}${inner(reader)}`;
      // Else it would end the arguments that it stands among.
      return complex(code === 'gt' ? `(${told})` : told);
    }
    case 3:
      return complex(`${inner(reader)}?${inner(reader)} : ${inner(reader)}`);
    default:
      throw new Unreadable();
  }
}
