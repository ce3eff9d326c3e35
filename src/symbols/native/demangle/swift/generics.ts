/** Generic parameters, arguments, requirements and conformances in names of Swift. */
import { composed, joined, moduleOf, node, type, type SwiftNode, within } from './node.js';
import { fail, type SwiftStack } from './stack.js';

/** Types within types within types: more nobody writes. */
const deepest = 192;

/** "A" of the first one; "B1" of the second one of the generic that is in another one. */
function parameterName(depth: number, index: number): string {
  let name = '';
  for (let rest = index; ; rest = Math.floor(rest / 26)) {
    name += String.fromCharCode(65 + (rest % 26));
    if (rest < 26) return depth === 0 ? name : name + String(depth);
  }
}

export function genericParameter(stack: SwiftStack): SwiftNode {
  if (stack.skip('z')) return type('A');
  if (stack.skip('s')) return type('Self');
  if (!stack.skip('d')) return type(parameterName(0, stack.index() + 1));
  const depth = stack.index() + 1;
  return type(parameterName(depth, stack.index()));
}

// ---------------------------------------------------------------- associated types

function associatedName(stack: SwiftStack): string {
  const of = stack.popIf('type');
  if (of !== undefined && of.declared?.sort !== 'protocol') return fail();
  return stack.pop('identifier').text;
}

function associated(stack: SwiftStack, base?: SwiftNode): SwiftNode {
  const name = associatedName(stack);
  return type(`${within(base ?? stack.pop('type'))}.${name}`);
}

function associatedAtDepth(stack: SwiftStack, base?: SwiftNode): SwiftNode {
  const names = stack.list(() => associatedName(stack));
  return type(`${within(base ?? stack.pop('type'))}.${joined(names, '.')}`);
}

/** A path to an associated type: its names, and before them what it is of. */
export function associatedPath(stack: SwiftStack): string {
  const names = stack.list(() => associatedName(stack));
  return joined(names, '.');
}

/** Q and a letter: associated, opaque and pack types. */
export function archetype(stack: SwiftStack): SwiftNode {
  switch (stack.take(1)) {
    case 'a': {
      const name = stack.pop('identifier').text;
      return stack.remember(type(`${within(stack.pop('type'))}.${name}`));
    }
    case 'x':
      return stack.remember(associated(stack));
    case 'X':
      return stack.remember(associatedAtDepth(stack));
    case 'y':
      return stack.remember(associated(stack, genericParameter(stack)));
    case 'Y':
      return stack.remember(associatedAtDepth(stack, genericParameter(stack)));
    case 'z':
      return stack.remember(associated(stack, type('A')));
    case 'Z':
      return stack.remember(associatedAtDepth(stack, type('A')));
    case 'r':
    case 'u':
      return type('some');
    case 'R':
    case 'U':
      stack.index();
      return type('some');
    case 'O': {
      const of = stack.context();
      return node('entity', `opaque return type of ${of.text}`, {
        declared: { parent: of, own: '', module: moduleOf(of), isBody: true, sort: 'entity' },
      });
    }
    case 'o': {
      const index = stack.index();
      boundGenerics(stack);
      return stack.remember(type(`<<${stack.entity().text}>>.${index}`));
    }
    case 'e':
      stack.index();
      return composed(`each ${stack.pop('type').text}`);
    case 'p':
      stack.pop('type');
      return composed(`repeat ${stack.pop('type').text}`);
    case 'P':
      return pack(stack);
    case 'S':
      stack.take(1);
      return pack(stack);
    default:
      return fail();
  }
}

function pack(stack: SwiftStack): SwiftNode {
  return type(`Pack{${joined(stack.types().map(({ text }) => text))}}`);
}

// ---------------------------------------------------------------- arguments

/** Lists of arguments, the innermost type's first. */
export function boundGenerics(stack: SwiftStack): (readonly string[])[] {
  while (stack.popIf('retroactive') !== undefined);
  const lists: string[][] = [];
  for (;;) {
    const list: string[] = [];
    for (let one = stack.popIf('type'); one !== undefined; one = stack.popIf('type')) list.push(one.text);
    lists.push(list.reverse());
    if (lists.length > deepest) return fail();
    if (stack.popIf('empty') !== undefined) return lists;
    stack.pop('first');
  }
}

export function boundType(stack: SwiftStack): SwiftNode {
  const lists = boundGenerics(stack);
  const generic = stack.nominal();
  const [first = '', second = ''] = lists[0] ?? [];
  const whole = `${generic.text} ${lists.length === 1 ? (lists[0] ?? []).length : 0}`;
  const text =
    whole === 'Swift.Optional 1'
      ? `${first}?`
      : whole === 'Swift.Array 1'
        ? `[${first}]`
        : whole === 'Swift.Dictionary 2'
          ? `[${first} : ${second}]`
          : bound(generic, lists, 0);
  return stack.remember(type(text, generic.declared && { declared: generic.declared }));
}

function bound(generic: SwiftNode, lists: readonly (readonly string[])[], at: number): string {
  const { declared } = generic;
  if (declared === undefined || at >= lists.length || declared.sort === 'entity') return generic.text;
  if (declared.sort === 'extension') return declared.own + bound(declared.parent, lists, at);
  const list = lists[at] ?? [];
  const own = list.length === 0 ? declared.own : `${declared.own}<${joined(list)}>`;
  const { parent } = declared;
  if (parent.declared?.sort === 'entity') return `${own} in ${parent.text}`;
  const outer = bound(parent, lists, at + 1);
  return parent.declared?.isBody === true ? `${own} in ${outer}` : `${outer}.${own}`;
}

// ---------------------------------------------------------------- signatures

/** l and r: how many parameters there are, and what is required of them. */
export function signature(stack: SwiftStack, hasCounts: boolean): SwiftNode {
  if (hasCounts) while (!stack.skip('l')) if (!stack.skip('z')) stack.index();
  while (stack.popIf('requirement') !== undefined);
  return node('signature', '');
}

export function genericType(stack: SwiftStack): SwiftNode {
  stack.pop('signature');
  return stack.pop('type');
}

type Subject = 'parameter' | 'associated' | 'atDepth' | 'back';
type Bound = 'protocol' | 'type' | 'layout' | 'inverse' | 'none';

const requirements: Readonly<Record<string, readonly [Bound, Subject]>> = {
  V: ['type', 'parameter'],
  v: ['none', 'parameter'],
  b: ['type', 'parameter'],
  c: ['type', 'associated'],
  C: ['type', 'atDepth'],
  B: ['type', 'back'],
  s: ['type', 'parameter'],
  t: ['type', 'associated'],
  T: ['type', 'atDepth'],
  S: ['type', 'back'],
  h: ['type', 'parameter'],
  l: ['layout', 'parameter'],
  m: ['layout', 'associated'],
  M: ['layout', 'atDepth'],
  L: ['layout', 'back'],
  p: ['protocol', 'associated'],
  P: ['protocol', 'atDepth'],
  Q: ['protocol', 'back'],
  i: ['inverse', 'parameter'],
  j: ['inverse', 'associated'],
  J: ['inverse', 'atDepth'],
  I: ['inverse', 'back'],
};

/** R and a letter. What is required is not told; it is read for the references back that follow. */
export function requirement(stack: SwiftStack): SwiftNode {
  const named = /[a-zA-Z]/.test(stack.peek()) ? requirements[stack.peek()] : undefined;
  // "z", "d" and "s" with an index are parameters; "Rs" is of types that are the same.
  const [kind, subject] = named ?? ['protocol', 'parameter'];
  if (named !== undefined) stack.take(1);
  if (kind === 'inverse') stack.index();
  if (subject === 'parameter') genericParameter(stack);
  else if (subject === 'associated') stack.remember(associated(stack, genericParameter(stack)));
  else if (subject === 'atDepth') stack.remember(associatedAtDepth(stack, genericParameter(stack)));
  else stack.pop('type');
  if (kind === 'protocol') stack.protocol();
  else if (kind === 'type') stack.pop('type');
  else if (kind === 'layout') layout(stack);
  return node('requirement', '');
}

function layout(stack: SwiftStack): void {
  const letter = stack.take(1);
  if (/[URNCDTB]/.test(letter)) return;
  if (!/[EMem]/.test(letter)) fail();
  stack.index();
  if (letter < 'a') stack.index();
}

// ---------------------------------------------------------------- conformances

/** "Type : Protocol", of a module. */
export function protocolConformance(stack: SwiftStack): { conforming: string; text: string } {
  stack.popIf('signature');
  stack.module();
  const protocol = stack.protocol().text;
  const conforming = stack.pop('type').text;
  return { conforming, text: node('whole', `${conforming} : ${protocol}`).text };
}

/** H and a letter: conformances that arguments of generic types come with. None is told. */
export function conformance(stack: SwiftStack): SwiftNode {
  const conforming = node('conformance', '');
  switch (stack.take(1)) {
    case 'P':
    case 'p':
      stack.protocol();
      return node('reference', '');
    case 'C':
      stack.list(() => stack.pop('conformance'));
      if (stack.popIf('reference') === undefined) {
        stack.module();
        stack.protocol();
      }
      stack.pop('type');
      return conforming;
    case 'D':
      stack.index();
      stack.protocol();
      stack.pop('type');
      return conforming;
    case 'I':
      stack.index();
      stack.protocol();
      stack.pop('conformance');
      return conforming;
    case 'A':
      stack.index();
      stack.protocol();
      stack.pop('type');
      stack.pop('conformance');
      return conforming;
    case 'O':
      stack.pop('type');
      stack.pop('conformance');
      return conforming;
    case 'X':
      stack.list(() => stack.pop('conformance'));
      return conforming;
    default:
      return fail();
  }
}

export function retroactive(stack: SwiftStack): SwiftNode {
  stack.index();
  stack.pop('conformance');
  return node('retroactive', '');
}
