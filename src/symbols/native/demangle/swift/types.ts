/** Types of Swift: what a name says of them, and how a person writes them. */
import { composed, joined, node, nominal, type, type SwiftNode, within } from './node.js';
import { boundGenerics } from './generics.js';
import { fail, type SwiftStack } from './stack.js';
import {
  builtinTypes,
  calleeConventions,
  concurrencyProtocols,
  concurrencyTypes,
  parameterConventions,
  representations,
  resultConventions,
  standardProtocols,
  standardTypes,
} from './words.js';

const library = node('module', 'Swift');
const nothing = type('()', { elements: [] });

// ---------------------------------------------------------------- declared types

/** A nominal type, or an alias. */
export function declaredType(stack: SwiftStack, sort: 'class' | 'protocol' | 'type'): SwiftNode {
  const name = stack.name();
  return stack.remember(nominal(stack.context(), name.text, sort));
}

/** S and letters. */
export function standardType(stack: SwiftStack): SwiftNode {
  if (stack.skip('o')) return node('module', '__C');
  if (stack.skip('C')) return node('module', '__C_Synthesized');
  if (stack.skip('g')) return stack.remember(type(`${within(stack.pop('type'))}?`));
  const repeats = stack.naturalOrNone();
  const found = lettered(stack);
  stack.repeat(found, repeats - 1);
  return found;
}

function lettered(stack: SwiftStack): SwiftNode {
  const isConcurrency = !stack.isOld && stack.skip('c');
  const letter = stack.take(1);
  if (stack.isOld && letter === 'c') return nominal(library, 'UnicodeScalar', 'type');
  const [types, protocols] = isConcurrency
    ? [concurrencyTypes, concurrencyProtocols]
    : [standardTypes, standardProtocols];
  const name = types[letter];
  if (name !== undefined) return nominal(library, name, 'type');
  return nominal(library, protocols[letter] ?? fail(), 'protocol');
}

export function builtinType(stack: SwiftStack): SwiftNode {
  const letter = stack.take(1);
  const width = (): number => stack.index() - 1;
  switch (letter) {
    case 'f':
      return type(`Builtin.FPIEEE${width()}`);
    case 'i':
      return type(`Builtin.Int${width()}`);
    case 'v': {
      const count = width();
      return type(`Builtin.Vec${count}x${stack.pop('type').text.replace(/^Builtin\./, '')}`);
    }
    case 'V': {
      const element = stack.pop('type');
      return type(`Builtin.FixedArray<${stack.pop('type').text}, ${element.text}>`);
    }
    default:
      return type(`Builtin.${builtinTypes[letter] ?? fail()}`);
  }
}

// ---------------------------------------------------------------- composed types

export function tuple(stack: SwiftStack): SwiftNode {
  const elements = stack.list(() => {
    const isVariadic = stack.popIf('variadic') !== undefined;
    const label = stack.popIf('identifier')?.text ?? '';
    return { label, text: stack.pop('type').text + (isVariadic ? '...' : '') };
  });
  const told = elements.map(({ label, text }) => (label === '' ? text : `${label}: ${text}`));
  return type(`(${joined(told)})`, { elements: elements.map(({ label }) => label) });
}

/** Of a function: result, parameters and what it says of itself, as they stand on the stack. */
export function functionType(stack: SwiftStack, before = ''): SwiftNode {
  stack.popIf('sending');
  stack.popIf('isolation');
  stack.popIf('differentiable');
  const throwing = stack.popIf('throws');
  stack.popIf('sendable');
  const isAsync = stack.popIf('async') !== undefined;
  const side = (): SwiftNode => (stack.popIf('empty') === undefined ? stack.pop('type') : nothing);
  const parameters = side();
  const result = side();
  const list = parameters.elements === undefined ? `(${parameters.text})` : parameters.text;
  const effects = `${isAsync ? ' async' : ''}${throwing === undefined ? '' : ` ${throwing.text}`}`;
  const labels = parameters.elements ?? [''];
  return { ...composed(`${before}${list}${effects} -> ${result.text}`), labels };
}

/** X and a letter. */
export function specialType(stack: SwiftStack): SwiftNode {
  const letter = stack.take(1);
  const before = specialFunctions[letter];
  if (before !== undefined) {
    const { labels, ...made } = functionType(stack, before);
    return letter === 'E' && labels ? { ...made, labels } : made;
  }
  switch (letter) {
    case 'z': {
      const representation = representations[stack.take(1)] ?? fail();
      stack.take(stack.natural());
      const { text } = functionType(stack, representation);
      return composed(text);
    }
    case 'o':
      return composed(`unowned ${stack.pop('type').text}`);
    case 'u':
      return composed(`unowned(unsafe) ${stack.pop('type').text}`);
    case 'w':
      return composed(`weak ${stack.pop('type').text}`);
    case 'b':
      return composed(`@box ${stack.pop('type').text}`);
    case 'D':
      stack.pop('type');
      return type('Self');
    case 'e':
      return type('<ERROR TYPE>');
    case 'M':
    case 'm':
      stack.take(1);
      return metatype(stack);
    case 'p':
      return metatype(stack);
    case 'c': {
      const superclass = stack.pop('type').text;
      return composition([superclass, ...protocols(stack)]);
    }
    case 'l': {
      const all = protocols(stack);
      return composition([...all, 'Swift.AnyObject']);
    }
    case 'P':
      stack.list(() => stack.pop('requirement'));
      return composed(`any ${stack.pop('type').text}`);
    case 'X':
      stack.pop('signature');
      stack.types();
      return box(stack);
    case 'x':
      return box(stack);
    case 'Y':
      return declaredType(stack, 'type');
    case 'S':
      return sugared(stack);
    default:
      return fail();
  }
}

/** Their labels are no function's that has a name. */
const specialFunctions: Readonly<Record<string, string>> = {
  A: '@autoclosure ',
  B: '@convention(block) ',
  C: '@convention(c) ',
  E: '',
  f: '@convention(thin) ',
  K: '@autoclosure ',
  L: '@convention(block) ',
  U: '',
};

function box(stack: SwiftStack): SwiftNode {
  return type(`{ ${joined(stack.types().map(({ text }) => text))} }`);
}

export function metatype(stack: SwiftStack): SwiftNode {
  return type(`${within(stack.pop('type'))}.Type`);
}

function sugared(stack: SwiftStack): SwiftNode {
  const letter = stack.take(1);
  const last = stack.pop('type');
  if (letter === 'q') return type(`${within(last)}?`);
  if (letter === 'a') return type(`[${last.text}]`);
  return letter === 'D' ? type(`[${stack.pop('type').text} : ${last.text}]`) : fail();
}

function protocols(stack: SwiftStack): string[] {
  return stack.list(() => stack.protocol().text);
}

export function existential(stack: SwiftStack): SwiftNode {
  return composition(protocols(stack));
}

function composition(all: readonly string[]): SwiftNode {
  if (all.length === 0) return type('Any');
  return all.length === 1 ? type(all[0] as string) : composed(joined(all, ' & '));
}

/** How a parameter is handed over. */
export const handedOver = (stack: SwiftStack, how: string): SwiftNode =>
  composed(`${how} ${stack.pop('type').text}`);

/** Y and a letter: what functions' types say of themselves, and of parameters. */
export function annotation(stack: SwiftStack): SwiftNode {
  const letter = stack.take(1);
  switch (letter) {
    case 'a':
      return node('async', '');
    case 'b':
      return node('sendable', '');
    case 'c':
      stack.pop('type');
      return node('isolation', '');
    case 'A':
    case 'C':
      return node('isolation', '');
    case 'j':
      stack.take(1);
      return node('differentiable', '');
    case 'K':
      return node('throws', `throws(${stack.pop('type').text})`);
    case 'T':
      return node('sending', '');
    case 'i':
      return handedOver(stack, 'isolated');
    case 'k':
      return handedOver(stack, '@noDerivative');
    case 't':
      return handedOver(stack, '_const');
    case 'u':
      return handedOver(stack, 'sending');
    default:
      return fail();
  }
}

// ---------------------------------------------------------------- functions as they are compiled

/** I and letters: conventions of callee, parameters and results, whose types stand on the stack. */
export function compiledFunctionType(stack: SwiftStack): SwiftNode {
  const isSubstituted = stack.skip('s');
  if (isSubstituted) {
    boundGenerics(stack);
    stack.pop('signature');
  }
  if (stack.skip('I')) boundGenerics(stack);
  stack.popIf('signature');
  stack.skip('P');
  let before = stack.skip('e') ? '@escaping ' : '';
  if (/[ANO]/.test(stack.peek())) stack.take(1);
  if (/[dlfr]/.test(stack.peek())) stack.take(1);
  before += calleeConventions[stack.take(1)] ?? fail();
  before += representation(stack);
  for (const letter of ['A', 'I', 'G', 'h', 'H', 'T']) stack.skip(letter);
  const parameters = conventions(stack, parameterConventions);
  const results = conventions(stack, resultConventions);
  while (stack.skip('Y')) results.push(`@yields ${parameterConventions[stack.take(1)] ?? fail()}`);
  if (stack.skip('z')) {
    results.push(`@error ${resultConventions[stack.take(1)] ?? fail()}`);
    stack.skip('w');
  }
  stack.expect('_');
  const told = [...parameters, ...results];
  for (let at = told.length - 1; at >= 0; at--) told[at] = `${told[at] as string}${stack.pop('type').text}`;
  const [taken, given] = [told.slice(0, parameters.length), told.slice(parameters.length)];
  return composed(`${before}(${joined(taken)}) -> (${joined(given)})`);
}

function representation(stack: SwiftStack): string {
  if (stack.peek() === 'z' && /[BC]/.test(stack.peek(1))) {
    stack.take(1);
    const told = representations[stack.take(1)] ?? fail();
    stack.take(stack.natural());
    return told;
  }
  const told = representations[stack.peek()];
  if (told !== undefined) stack.take(1);
  return told ?? '';
}

function conventions(stack: SwiftStack, table: Readonly<Record<string, string>>): string[] {
  const all: string[] = [];
  for (let told = table[stack.peek()]; told !== undefined; told = table[stack.peek()]) {
    stack.take(1);
    all.push(told);
    while (/[wTIL]/.test(stack.peek())) stack.take(1);
  }
  return all;
}
