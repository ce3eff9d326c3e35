/** Methods of two traces, each once: by class, name and signature, whatever numbers either trace gives them. */
import type { Methods } from '../model/trace.js';

export class MatchedMethods {
  count = 0;
  readonly ofBefore: Uint32Array;
  readonly ofAfter: Uint32Array;
  /** By number here: a method of each trace, −1 where it has none. */
  readonly #inBefore: number[] = [];
  readonly #inAfter: number[] = [];
  readonly #before: Methods;
  readonly #after: Methods;

  constructor(before: Methods, after: Methods) {
    this.#before = before;
    this.#after = after;

    const known = new Map<string, number>();
    this.ofAfter = Uint32Array.from({ length: after.count }, (_, method) =>
      this.#number(known, methodKey(after, method)),
    );
    for (const [method, at] of this.ofAfter.entries()) this.#inAfter[at] ??= method;
    const fallback = this.#withOtherSignatures(known);
    this.ofBefore = Uint32Array.from({ length: before.count }, (_, method) => {
      const key = methodKey(before, method);
      return known.get(key) ?? fallback.get(key) ?? this.#number(known, key);
    });
    for (const [method, at] of this.ofBefore.entries()) this.#inBefore[at] ??= method;
  }

  /** Where it has a name: the trace after, if it knows the method, and its number there. */
  of(method: number): readonly [Methods, number] {
    const inAfter = this.#inAfter[method];
    return inAfter === undefined ? [this.#before, this.#inBefore[method] ?? 0] : [this.#after, inAfter];
  }

  isIn(which: 'before' | 'after', method: number): boolean {
    return (which === 'before' ? this.#inBefore : this.#inAfter)[method] !== undefined;
  }

  #number(known: Map<string, number>, key: string): number {
    const number = known.get(key) ?? this.count++;
    known.set(key, number);
    return number;
  }

  /** Keys of methods before that have another signature now: where each trace has one of that name that the other has not. */
  #withOtherSignatures(known: ReadonlyMap<string, number>): Map<string, number> {
    const ofBefore = new Set(
      Array.from({ length: this.#before.count }, (_, at) => methodKey(this.#before, at)),
    );
    const gone = onlyOnes([...ofBefore].filter((key) => !known.has(key)));
    const come = onlyOnes([...known.keys()].filter((key) => !ofBefore.has(key)));
    const fallback = new Map<string, number>();
    for (const [name, key] of gone) {
      const now = known.get(come.get(name) ?? '');
      if (now !== undefined) fallback.set(key, now);
    }
    return fallback;
  }
}

/** Keys by what stands before the signature, of which there is one. */
function onlyOnes(keys: readonly string[]): Map<string, string> {
  const found = new Map<string, string>();
  const several = new Set<string>();
  for (const key of keys) {
    const name = key.slice(0, key.indexOf('\t'));
    if (found.has(name)) several.add(name);
    found.set(name, key);
  }
  for (const name of several) found.delete(name);
  return found;
}

/** Numbers that a runtime gives to classes as it makes them: of lambdas, proxies, accessors. In another run they are others. */
const madeNumbers =
  /(\$\$Lambda|\bjdk\.proxy|(?<![\w$])\$Proxy|\bGenerated(?:Method|Constructor|SerializationConstructor)Accessor|\bLambdaForm\$(?:MH|DMH|BMH|LFI|VH)|\$\$ExternalSyntheticLambda)[$./+]?(?:0x[\da-f]+|\d+)(?:[$./+](?:0x[\da-f]+|\d+))*/g;
/** The address of any other hidden class, as a JVM writes it behind its name. */
const hiddenAddress = /[./]0x[\da-f]{16}(?![\da-f])/g;
/** Classes that libraries make, by a random text. */
const madeByLibrary = /(\$(?:ByteBuddy|HibernateProxy|MockitoMock)\$)[A-Za-z\d]+/g;
/** Parts and copies that a compiler makes of a native function, as it is written and as it is shown. */
const copyOfFunction =
  /\.(?:part|constprop|isra|lto_priv|llvm)\.\d+(?:\.cold)?(?![\w$])| \[clone \.[\w.]+\]/g;

/** A name, or a signature, without what is made anew in each run or build: several of one stem are the same. */
export const nameOfAllRuns = (name: string): string =>
  name
    .replace(madeNumbers, '$1')
    .replace(hiddenAddress, '')
    .replace(madeByLibrary, '$1')
    .replace(copyOfFunction, '');

/** Class, name and signature; the same method has the same in every run. */
export function methodKey(methods: Methods, method: number): string {
  // Where a format has no classes, theirs are in the names.
  const [className, name] = [methods.className(method), methods.name(method)];
  return nameOfAllRuns(`${className === '' ? name : `${className}.${name}`}\t${methods.signature(method)}`);
}
