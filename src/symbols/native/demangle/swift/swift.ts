/**
 * Names of Swift 4 and newer (https://github.com/swiftlang/swift/blob/main/docs/ABI/Mangling.rst), told in short as profilers do:
 * with module, types and labels, without the types of parameters and results. A mangled name is a program for a stack: each
 * operator takes what it needs from the stack and pushes what it makes. Nothing is called within itself, so nothing can nest too
 * deeply, and texts are put together as they come. What is not known leaves the name as it is.
 */
import { clonesOf } from '../clones.js';
import { Unreadable } from '../unreadable.js';
import {
  extension,
  functionPart,
  localName,
  operatorName,
  plainFunction,
  staticEntity,
  subscript,
  variable,
} from './entities.js';
import {
  archetype,
  boundType,
  conformance,
  genericParameter,
  genericType,
  requirement,
  retroactive,
  signature,
} from './generics.js';
import { node, type, type SwiftNode } from './node.js';
import { SwiftStack } from './stack.js';
import { metadataOf, specialized, thunk, valueWitness, witness } from './thunks.js';
import {
  annotation,
  builtinType,
  compiledFunctionType,
  declaredType,
  existential,
  functionType,
  handedOver,
  metatype,
  specialType,
  standardType,
  tuple,
} from './types.js';

/** Of Swift 5, 4.2, embedded and 4.0; on Darwin a file's symbols have an underscore more. */
const prefix = /^_?(?:_?\$[sSe]|_T0)/;

/** Undefined where it is no mangled name of Swift. */
export function demangledSwift(mangled: string): string | undefined {
  const begin = prefix.exec(mangled)?.[0];
  if (begin === undefined) return undefined;
  try {
    const end = mangled.indexOf('.');
    const stack = new SwiftStack(
      end < 0 ? mangled : mangled.slice(0, end),
      begin.length,
      begin.endsWith('T0'),
    );
    return told(stack) + (end < 0 ? '' : clonesOf(mangled.slice(end)));
  } catch (error) {
    if (error instanceof Unreadable) return undefined;
    throw error;
  }
}

function told(stack: SwiftStack): string {
  while (!stack.isRead) stack.push(operation(stack));
  let [before, last] = ['', ''];
  for (let one = stack.popIf('attribute'); one !== undefined; one = stack.popIf('attribute')) {
    // A copy of a copy is one.
    if (one.text !== specialized || last !== specialized) before += one.text;
    last = one.text;
  }
  const name = stack.popIf('whole') ?? stack.pop('entity');
  if (stack.height > 0 || name.declared?.sort === 'extension') throw new Unreadable();
  return node('whole', before + name.text).text;
}

type Operation = (stack: SwiftStack) => SwiftNode;

const operations: Readonly<Record<string, Operation>> = {
  A: (stack) => stack.substitution(),
  B: builtinType,
  C: (stack) => declaredType(stack, 'class'),
  E: extension,
  F: plainFunction,
  G: boundType,
  H: conformance,
  I: compiledFunctionType,
  K: () => node('throws', 'throws'),
  L: localName,
  M: metadataOf,
  N: (stack) => node('whole', `type metadata for ${stack.pop('type').text}`),
  O: (stack) => declaredType(stack, 'type'),
  P: (stack) => declaredType(stack, 'protocol'),
  Q: archetype,
  R: requirement,
  S: standardType,
  T: thunk,
  V: (stack) => declaredType(stack, 'type'),
  W: witness,
  X: specialType,
  Y: annotation,
  Z: staticEntity,
  a: (stack) => declaredType(stack, 'type'),
  c: (stack) => functionType(stack),
  d: () => node('variadic', ''),
  f: functionPart,
  g: retroactive,
  h: (stack) => handedOver(stack, '__shared'),
  i: subscript,
  l: (stack) => signature(stack, false),
  m: metatype,
  n: (stack) => handedOver(stack, '__owned'),
  o: operatorName,
  p: existential,
  q: genericParameter,
  r: (stack) => signature(stack, true),
  s: () => node('module', 'Swift'),
  t: tuple,
  u: genericType,
  v: variable,
  w: valueWitness,
  x: () => type('A'),
  y: () => node('empty', ''),
  z: (stack) => handedOver(stack, 'inout'),
  _: () => node('first', ''),
  $: (stack) => type(`${stack.skip('n') ? '-' : ''}${stack.index()}`),
};

function operation(stack: SwiftStack): SwiftNode {
  const read = operations[stack.peek()];
  if (read === undefined) return stack.identifier();
  stack.take(1);
  return read(stack);
}
