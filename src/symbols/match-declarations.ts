/**
 * Which recorded method belongs to which declaration of a text: by class and name, then by line where the text is as it was
 * recorded, then by parameters. A method that was moved is found by its name.
 */
import type { Declaration } from './scan/declarations.js';

export interface RecordedMethod {
  /** Without the package: "Shop$Cart". */
  readonly className: string;
  readonly name: string;
  readonly signature: string;
  /** Where that says nothing of them; −1 unknown. */
  readonly parameters?: number;
  /** From 1; 0 unknown. */
  readonly firstLine: number;
}

/**
 * For each declaration the indexes of its methods, empty for most. `edited`: lines no longer tell anything.
 * Cost: O(declarations + methods), both of one file.
 */
export function matchDeclarations(
  declarations: readonly Declaration[],
  methods: readonly RecordedMethod[],
  edited: boolean,
): readonly (readonly number[])[] {
  const result: number[][] = declarations.map(() => []);
  const byName = new Map<string, number[]>();
  declarations.forEach((declaration, at) => {
    if (declaration.kind === 'class') return;
    const list = byName.get(declaration.name);
    if (list === undefined) byName.set(declaration.name, [at]);
    else list.push(at);
  });
  methods.forEach((method, row) => {
    for (const { className, name } of writtenAs(method)) {
      const named = byName.get(name);
      const at = named && choose(declarations, named, { ...method, className }, edited);
      if (at === undefined) continue;
      result[at]?.push(row);
      return;
    }
  });
  return result;
}

/** What a text may call it, the likeliest first: compilers add to names, but "two-digit names" is one, too. */
function writtenAs({ className, name, parameters }: RecordedMethod): { className: string; name: string }[] {
  if (parameters !== undefined) return [{ className, name }];
  // Bodies of a Kotlin interface's functions, of which older compilers make a class.
  const around = className.replace(/\$DefaultImpls$/, '');
  const written = [{ className: around, name }];
  if (name.startsWith('<') || name.startsWith('lambda$') || name.startsWith('access$')) return written;
  const dollar = name.lastIndexOf('$');
  // A function within a function; the scanner has it in a class without a name.
  if (dollar > 0) written.push({ className: `${around}$0`, name: name.slice(dollar + 1) });
  written.push({ className: around, name: name === 'constructor-impl' ? '<init>' : sourceName(name) });
  return written;
}

/** Kotlin adds "-hash" for value classes and "$module" for internal functions; neither is in the text. */
function sourceName(name: string): string {
  const dash = name.indexOf('-');
  const plain = dash > 0 ? name.slice(0, dash) : name;
  const dollar = plain.indexOf('$');
  // `f$default` fills in arguments and `f$lambda$0` is another function: both are not `f`.
  return dollar > 0 && !/\$(default|lambda|suspendImpl|delegate)\b/.test(plain)
    ? plain.slice(0, dollar)
    : plain;
}

function choose(
  declarations: readonly Declaration[],
  named: readonly number[],
  method: RecordedMethod,
  edited: boolean,
): number | undefined {
  const fitting = named.filter((at) => {
    const declaration = declarations[at];
    return declaration !== undefined && sameClass(declaration.className, method.className);
  });
  if (fitting.length === 0) return undefined;
  const known = method.firstLine > 0 && !edited;
  const byLine = known ? fitting.filter((at) => holdsLine(declarations[at], method.firstLine)) : [];
  // The innermost one: an anonymous class's method within a method of the same name.
  if (byLine.length > 0) return byLine[byLine.length - 1];
  const exact = fitting.filter(
    (at) => !declarations[at]?.className.includes('$', unnamedAt(declarations[at])),
  );
  const candidates = exact.length > 0 ? exact : fitting;
  const count = method.parameters ?? parametersOf(method.signature);
  if (candidates.length === 1 || (count < 0 && method.signature === '')) return candidates[0];
  const fits = candidates.find((at) => declarations[at]?.parameters === count);
  // A coroutine has one more, an inner class's constructor its outer object, an enum's its name and number.
  return (
    fits ??
    candidates.find((at) => {
      const parameters = declarations[at]?.parameters ?? -1;
      return parameters === count - 1 || parameters === count - 2;
    }) ??
    candidates[0]
  );
}

export function holdsLine(declaration: Declaration | undefined, line: number): boolean {
  return declaration !== undefined && declaration.line + 1 <= line && line <= declaration.endLine + 1;
}

/** Where an unnamed class begins in a name such as "Shop$"; past the end when there is none. */
function unnamedAt(declaration: Declaration | undefined): number {
  const name = declaration?.className ?? '';
  const at = name.search(/\$(\$|$)/);
  return at < 0 ? name.length : at;
}

/** "Shop$" (a class without a name in Shop) is any "Shop$1", "Shop$pay$1", "Shop$1Local", "Shop$pay$Local"; else the names are the same. */
function sameClass(declared: string, recorded: string): boolean {
  if (declared === recorded) return true;
  const unnamed = declared.search(/\$(\$|$)/);
  if (unnamed < 0 || !recorded.startsWith(declared.slice(0, unnamed + 1))) return false;
  const rest = recorded.slice(unnamed + 1);
  const local = declared.slice(declared.lastIndexOf('$') + 1);
  return rest.endsWith(local) && (/\d/.test(rest) || (local !== '' && rest.endsWith(`$${local}`)));
}

/** A lambda is in the method that it was written in: "lambda$pay$0" of Java, "pay$lambda$0" of Kotlin. */
export function around(method: RecordedMethod): RecordedMethod {
  const outer = /^lambda\$(.+)\$\d+$/.exec(method.name)?.[1] ?? /^(.+?)\$lambda\$\d+/.exec(method.name)?.[1];
  return outer === undefined ? method : { ...method, name: outer, signature: '' };
}

/** How many parameters a JVM signature has; −1 when it is none. */
export function parametersOf(signature: string): number {
  if (!signature.startsWith('(')) return -1;
  let count = 0;
  for (let at = 1; at < signature.length && signature[at] !== ')'; at++) {
    while (signature[at] === '[') at += 1;
    if (signature[at] === 'L') {
      at = signature.indexOf(';', at);
      if (at < 0) return -1;
    }
    count += 1;
  }
  return count;
}
