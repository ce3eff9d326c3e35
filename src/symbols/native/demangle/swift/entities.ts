/** Functions, variables, subscripts and what lies in them. */
import { entity, joined, member, moduleOf, node, type SwiftNode } from './node.js';
import { fail, type SwiftStack } from './stack.js';
import { accessors, addressor, destructors, operatorSigns, partsOf } from './words.js';
import { functionType } from './types.js';

/** "(item:_:)": labels stand on the stack, one for each parameter; in Swift 4 in the type. Undefined: no function. */
function labelsOf(stack: SwiftStack, of: SwiftNode): string | undefined {
  const isUnlabelled = !stack.isOld && stack.popIf('empty') !== undefined;
  const { labels } = of;
  if (labels === undefined) return isUnlabelled ? '' : undefined;
  const told = isUnlabelled
    ? labels.map(() => '')
    : stack.isOld
      ? labels
      : labels.map(() => stack.popIf('first')?.text ?? stack.pop('identifier').text).reverse();
  const all = told.map((label) => `${label === '' ? '_' : label}:`);
  return `(${joined(all, '')})`;
}

/** F: with a name. */
export function plainFunction(stack: SwiftStack): SwiftNode {
  stack.popIf('signature');
  const labels = labelsOf(stack, functionType(stack)) ?? '()';
  const name = stack.name();
  return entity(stack.context(), name.text + labels);
}

/** v: a variable, or what gets or sets it. */
export function variable(stack: SwiftStack): SwiftNode {
  labelsOf(stack, stack.pop('type'));
  const name = stack.name();
  return accessed(stack, stack.context(), name.text);
}

/** i. */
export function subscript(stack: SwiftStack): SwiftNode {
  stack.popIf('file');
  const labels = labelsOf(stack, stack.pop('type')) ?? '';
  return accessed(stack, stack.context(), `subscript${labels === '' ? '()' : labels}`);
}

function accessed(stack: SwiftStack, parent: SwiftNode, own: string): SwiftNode {
  const letter = stack.take(1);
  if (letter === 'p') return entity(parent, own);
  const word =
    letter === 'a' || letter === 'l' ? addressor(letter === 'a', stack.take(1)) : accessors[letter];
  return entity(parent, `${own}.${word ?? fail()}`);
}

/** f and a letter: initializers, closures, and parts of what has a name. */
export function functionPart(stack: SwiftStack): SwiftNode {
  const letter = stack.take(1);
  const destructor = destructors[letter];
  if (destructor !== undefined) return entity(stack.context(), destructor);
  const part = partsOf[letter];
  if (part !== undefined) return partOf(stack.context(), part);
  switch (letter) {
    case 'C':
    case 'c': {
      stack.popIf('file');
      const labels = labelsOf(stack, stack.pop('type')) ?? '()';
      const parent = stack.context();
      const isAllocating = letter === 'C' && parent.declared?.sort === 'class';
      return entity(parent, `${isAllocating ? '__allocating_init' : 'init'}${labels}`);
    }
    case 'U':
    case 'u': {
      const index = stack.index() + 1;
      stack.pop('type');
      return partOf(stack.context(), `${letter === 'u' ? 'implicit ' : ''}closure #${index} in `);
    }
    case 'A':
      return partOf(stack.context(), `default argument ${stack.index()} of `);
    default:
      return fail();
  }
}

function partOf(of: SwiftNode, before: string): SwiftNode {
  return entity(of, before, before + of.text);
}

/** Z. */
export function staticEntity(stack: SwiftStack): SwiftNode {
  const of = stack.entity();
  return node('entity', `static ${of.text}`, of.declared && { declared: of.declared });
}

/** L and letters: names of local and private declarations. */
export function localName(stack: SwiftStack): SwiftNode {
  if (stack.skip('L')) {
    stack.pop('identifier');
    return node('name', stack.name().text);
  }
  if (stack.skip('l')) {
    stack.pop('identifier');
    return node('file', '');
  }
  if (/[a-jA-J]/.test(stack.peek())) {
    const letter = stack.take(1);
    return node('name', `related decl '${letter}' for ${stack.name().text}`);
  }
  const index = stack.index() + 1;
  return node('name', `${stack.name().text} #${index}`);
}

/** Longer ones nobody wrote. */
const mostSigns = 100;

/** o: an identifier whose letters are an operator's signs. */
export function operatorName(stack: SwiftStack): SwiftNode {
  let signs = '';
  const { text } = stack.pop('identifier');
  if (text.length > mostSigns) return fail();
  for (const c of text) {
    const sign = c > '\x7f' ? c : (operatorSigns[c.charCodeAt(0) - 97] ?? ' ');
    if (sign === ' ') return fail();
    signs += sign;
  }
  const fixity = { i: 'infix', p: 'prefix', P: 'postfix' }[stack.take(1)] ?? fail();
  return node('name', `${signs} ${fixity}`);
}

/** E: where an extension is of another module than what it extends, both are told. */
export function extension(stack: SwiftStack): SwiftNode {
  stack.popIf('signature');
  const module = stack.module().text;
  const of = stack.nominal();
  const own = moduleOf(of) === module ? '' : `(extension in ${module}):`;
  const isBody = of.declared?.isBody === true;
  return node('entity', own + of.text, { declared: { parent: of, own, module, isBody, sort: 'extension' } });
}

/** WZ and Wz: of variables that are made when they are used first. */
export function onceOnly(stack: SwiftStack, what: string): SwiftNode {
  const names: string[] = [];
  while (stack.popIf('first') !== undefined) names.push(stack.name().text);
  const all = joined(names.reverse());
  return node('whole', `one-time initialization ${what} for ${member(stack.context(), all)}`);
}
