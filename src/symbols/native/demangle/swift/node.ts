/** What stands on the stack while a name of Swift is read: parts that are put together, told as they come. */
import { Unreadable } from '../unreadable.js';

export type SwiftKind =
  | 'identifier'
  | 'name' // of a declaration, where it is more than an identifier
  | 'file' // which file a private declaration is of, alone
  | 'module'
  | 'type'
  | 'entity' // what can be a function, or hold one
  | 'whole' // what is made beside entities, and holds nothing
  | 'attribute' // a word before the whole
  | 'empty'
  | 'first'
  | 'variadic'
  | 'throws'
  | 'async'
  | 'sendable'
  | 'sending'
  | 'isolation'
  | 'differentiable'
  | 'signature'
  | 'requirement'
  | 'reference' // to a conformance
  | 'conformance'
  | 'retroactive';

export interface SwiftNode {
  readonly kind: SwiftKind;
  readonly text: string;
  /** Of declarations: types that have a name, and entities. */
  readonly declared?: Declared;
  /** Of functions' types: the label of each parameter, empty where there is none, or where labels stand elsewhere. */
  readonly labels?: readonly string[];
  /** Of tuples: the label of each element. */
  readonly elements?: readonly string[];
  /** A type that needs parentheses before "?". */
  readonly isComposed?: boolean;
}

export interface Declared {
  readonly parent: SwiftNode;
  /** Its name in its parent. */
  readonly own: string;
  /** Empty: not known. */
  readonly module: string;
  /** What it holds is told by "in", not by a dot: functions, and types in them. */
  readonly isBody: boolean;
  readonly sort: 'class' | 'protocol' | 'type' | 'extension' | 'entity';
}

/** References back make an endless name of a short one. */
const longest = 2 ** 16;

export function node(kind: SwiftKind, text: string, more: Partial<SwiftNode> = {}): SwiftNode {
  if (text.length > longest) throw new Unreadable();
  return { kind, text, ...more };
}

export const type = (text: string, more: Partial<SwiftNode> = {}): SwiftNode => node('type', text, more);
export const composed = (text: string): SwiftNode => node('type', text, { isComposed: true });

/** With ", " between them. Put together one by one: so each costs what it adds, however often it is told. */
export function joined(all: readonly string[], between = ', '): string {
  let text = '';
  for (const one of all) {
    text += text === '' ? one : between + one;
    if (text.length > longest) throw new Unreadable();
  }
  return text;
}

export const within = (one: SwiftNode): string => (one.isComposed === true ? `(${one.text})` : one.text);

/** `own` as a member of `parent`. */
export function member(parent: SwiftNode, own: string): string {
  return parent.declared?.isBody === true ? `${own} in ${parent.text}` : `${parent.text}.${own}`;
}

export const moduleOf = (one: SwiftNode): string =>
  one.kind === 'module' ? one.text : (one.declared?.module ?? '');

export function entity(parent: SwiftNode, own: string, text = member(parent, own)): SwiftNode {
  return node('entity', text, {
    declared: { parent, own, module: moduleOf(parent), isBody: true, sort: 'entity' },
  });
}

export function nominal(parent: SwiftNode, own: string, sort: 'class' | 'protocol' | 'type'): SwiftNode {
  const isBody = parent.declared?.isBody === true;
  return type(member(parent, own), {
    declared: { parent, own, module: moduleOf(parent), isBody, sort },
  });
}
