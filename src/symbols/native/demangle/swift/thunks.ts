/** What compilers make of functions and types: thunks, specializations, witnesses and metadata. */
import { associatedPath, protocolConformance } from './generics.js';
import { entity, node, type SwiftNode } from './node.js';
import { onceOnly } from './entities.js';
import { fail, type SwiftStack } from './stack.js';
import { attributes, metadata, outlined, valueWitnesses, widerAttributes, witnessTables } from './words.js';

const whole = (text: string): SwiftNode => node('whole', text);
const attribute = (text: string): SwiftNode => node('attribute', text);
export const specialized = 'specialized ';

/** T and letters. */
export function thunk(stack: SwiftStack): SwiftNode {
  const letter = stack.take(1);
  const before = attributes[letter];
  if (before !== undefined) return attribute(before);
  switch (letter) {
    case 'Q':
      return attribute(`(${stack.index()}) await resume partial function for `);
    case 'Y':
      return attribute(`(${stack.index()}) suspend resume partial function for `);
    case 'w':
      return attribute(widerAttributes[stack.take(1)] ?? fail());
    case 'v':
      return outlinedVariable(stack);
    case 'e': {
      let parameters = '';
      while (!stack.skip('_')) parameters += stack.take(1);
      return attribute(`outlined bridged method (${parameters}) of `);
    }
    case 'c': {
      const of = stack.entity();
      return entity(of, '', `curry thunk of ${of.text}`);
    }
    case 'j':
      return whole(`dispatch thunk of ${stack.entity().text}`);
    case 'q':
      return whole(`method descriptor for ${stack.entity().text}`);
    case 'V': {
      const base = stack.entity().text;
      return whole(`vtable thunk for ${base} dispatching to ${stack.entity().text}`);
    }
    case 'W': {
      const of = stack.entity().text;
      return whole(`protocol witness for ${of} in conformance ${protocolConformance(stack).conforming}`);
    }
    case 'S':
      return whole(`protocol self-conformance witness for ${stack.entity().text}`);
    case 'R':
    case 'r':
    case 'y':
      return reabstraction(stack, letter === 'y');
    case 'z':
    case 'Z':
      return completionHandler(stack);
    case 'K':
    case 'k':
      return keyPath(stack, letter === 'K' ? 'getter' : 'setter');
    case 'H':
      return keyPathArguments(stack, 'equality operator');
    case 'h':
      return keyPathArguments(stack, 'hash operator');
    case 'L':
      return whole(`protocol requirements base descriptor for ${stack.protocol().text}`);
    case 'l':
      return associatedType(stack, 'associated type descriptor for');
    case 'M':
      return associatedType(stack, 'default associated type metadata accessor for');
    case 'n':
      return associatedConformance(stack, 'associated conformance descriptor for');
    case 'N':
      return associatedConformance(stack, 'default associated conformance accessor for');
    case 'b': {
      const required = stack.protocol().text;
      return whole(`base conformance descriptor for ${stack.pop('type').text}: ${required}`);
    }
    default:
      return specialization(stack, letter);
  }
}

function outlinedVariable(stack: SwiftStack): SwiftNode {
  const index = stack.index();
  return attribute(`outlined ${stack.skip('r') ? 'read-only object' : 'variable'} #${index} of `);
}

function reabstraction(stack: SwiftStack, hasSelf: boolean): SwiftNode {
  stack.popIf('signature');
  if (hasSelf) stack.pop('type');
  stack.pop('type');
  return whole(`thunk for ${stack.pop('type').text}`);
}

function completionHandler(stack: SwiftStack): SwiftNode {
  if (/[_\d]/.test(stack.peek())) stack.index();
  stack.popIf('signature');
  const result = stack.pop('type').text;
  stack.pop('type');
  return whole(`@objc completion handler block implementation with result type ${result}`);
}

function keyPath(stack: SwiftStack, what: string): SwiftNode {
  if (/[mM]/.test(stack.peek())) return fail();
  stack.skip('q');
  stack.pop('type');
  while (stack.popIf('type') !== undefined);
  stack.popIf('signature');
  return whole(`key path ${what} for ${stack.pop('entity').text}`);
}

function keyPathArguments(stack: SwiftStack, what: string): SwiftNode {
  stack.skip('q');
  stack.popIf('signature');
  let types = stack.pop('type').text;
  for (let one = stack.popIf('type'); one !== undefined; one = stack.popIf('type'))
    types = node('whole', `${one.text}, ${types}`).text;
  return whole(`key path index ${what} for (${types})`);
}

function associatedType(stack: SwiftStack, what: string): SwiftNode {
  const of = stack.popIf('type');
  const name = stack.pop('identifier').text;
  return whole(`${what} ${of === undefined ? name : `${of.text}.${name}`}`);
}

function associatedConformance(stack: SwiftStack, what: string): SwiftNode {
  const required = stack.protocol().text;
  const isParameter = stack.has('type');
  const path = isParameter ? stack.pop('type').text : associatedPath(stack);
  return whole(`${what} ${stack.pop('type').text}.${path}: ${required}`);
}

// ---------------------------------------------------------------- specializations

/** Which arguments a copy is for is not told: the linker's name has them. */
function specialization(stack: SwiftStack, letter: string): SwiftNode {
  let kind = letter;
  while (kind === 't') {
    stack.naturalOrNone();
    kind = stack.take(1);
  }
  if (kind !== letter && !/[gBG]/.test(kind)) return fail();
  if (!/[gBGsipPf]/.test(kind)) return fail();
  stack.skip('q');
  if (/[arm]/.test(stack.peek())) stack.take(1);
  if (!/\d/.test(stack.take(1))) return fail();
  if (kind === 'f') ofArguments(stack);
  else if (kind === 'p' || kind === 'P') stack.pop('type');
  else if (stack.types().length === 0) return fail();
  return attribute(kind === 'i' ? 'inlined generic ' : specialized);
}

/** What of the stack is an argument's: from the last one to the first. */
type Consumed = 'none' | 'identifier' | 'closure';

function ofArguments(stack: SwiftStack): void {
  const all: Consumed[] = [];
  while (!stack.skip('_')) all.push(argument(stack));
  if (!stack.skip('n')) argument(stack);
  for (const consumed of all.reverse()) {
    if (consumed === 'none') continue;
    if (consumed === 'closure') while (stack.popIf('type') !== undefined);
    stack.pop('identifier');
  }
}

function argument(stack: SwiftStack): Consumed {
  const letter = stack.take(1);
  switch (letter) {
    case 'c':
    case 'E':
      return 'closure';
    case 'C':
      stack.natural();
      return 'none';
    case 'p':
      return constant(stack);
    case 'e':
    case 'd':
    case 'g':
    case 'o':
      while (/[DGOX]/.test(stack.peek())) stack.take(1);
      return 'none';
    default:
      return /[nxisr]/.test(letter) ? 'none' : fail();
  }
}

function constant(stack: SwiftStack): Consumed {
  switch (stack.take(1)) {
    case 'f':
    case 'g':
      return 'identifier';
    case 's':
      if (!/[bwc]/.test(stack.take(1))) return fail();
      return 'identifier';
    case 'k':
      return 'closure';
    case 'i':
    case 'd':
      stack.natural();
      return 'none';
    default:
      return fail();
  }
}

// ---------------------------------------------------------------- witnesses and metadata

/** w and two letters. */
export function valueWitness(stack: SwiftStack): SwiftNode {
  const word = valueWitnesses[stack.take(2)] ?? fail();
  return whole(`${word} value witness for ${stack.pop('type').text}`);
}

/** W and letters. */
export function witness(stack: SwiftStack): SwiftNode {
  const letter = stack.take(1);
  const table = witnessTables[letter];
  if (table !== undefined) return whole(`${table} for ${protocolConformance(stack).text}`);
  switch (letter) {
    case 'O': {
      const what = outlined[stack.take(1)] ?? fail();
      stack.popIf('signature');
      const of = stack.pop('type').text;
      stack.popIf('signature');
      return whole(`outlined ${what} of ${of}`);
    }
    case 'Z':
      return onceOnly(stack, 'function');
    case 'z':
      return onceOnly(stack, 'token');
    case 'V':
      return whole(`value witness table for ${stack.pop('type').text}`);
    case 'C':
      return whole(`enum case for ${stack.entity().text}`);
    case 'v': {
      const directness = { d: 'direct', i: 'indirect' }[stack.take(1)] ?? fail();
      return whole(`${directness} field offset for ${stack.entity().text}`);
    }
    case 'S':
      return whole(`protocol self-conformance witness table for ${stack.protocol().text}`);
    case 'l':
    case 'L': {
      const { text } = protocolConformance(stack);
      stack.pop('type');
      return whole(
        `lazy protocol witness table ${letter === 'l' ? 'accessor' : 'cache variable'} for ${text}`,
      );
    }
    case 't': {
      const name = stack.name().text;
      return whole(`associated type metadata accessor for ${name} in ${protocolConformance(stack).text}`);
    }
    case 'T': {
      const required = stack.pop('type').text;
      const path = associatedPath(stack);
      const { text } = protocolConformance(stack);
      return whole(`associated type witness table accessor for ${path} : ${required} in ${text}`);
    }
    case 'b': {
      const base = stack.pop('type').text;
      return whole(`base witness table accessor for ${base} in ${protocolConformance(stack).text}`);
    }
    default:
      return fail();
  }
}

/** M and letters. */
export function metadataOf(stack: SwiftStack): SwiftNode {
  const letter = stack.take(1);
  const word = metadata[letter];
  if (word !== undefined) return whole(`${word} for ${stack.pop('type').text}`);
  switch (letter) {
    case 'c':
      return whole(`protocol conformance descriptor for ${protocolConformance(stack).text}`);
    case 'p':
      return whole(`protocol descriptor for ${stack.protocol().text}`);
    case 'Q':
      return whole(`opaque type descriptor for ${stack.entity().text}`);
    case 'V':
      return whole(`property descriptor for ${stack.entity().text}`);
    default:
      return fail();
  }
}
