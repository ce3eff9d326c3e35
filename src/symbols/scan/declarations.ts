/** Where the methods, functions and classes of a text are declared. Needs no language extension and never fails: what it cannot read it leaves out. */
import { scanCpp } from './cpp.js';
import { scanJava } from './java.js';
import { scanKotlin } from './kotlin.js';
import type { Language } from './tokens.js';

export type DeclarationKind = 'class' | 'method' | 'constructor' | 'function' | 'initializer';

export interface Declaration {
  readonly kind: DeclarationKind;
  /** As the runtime calls it: constructors are `<init>`, static initializers `<clinit>`, a property's getter `getTotal`. */
  readonly name: string;
  /**
   * Binary name of the class around it (of itself for a class) without the package: "Shop$Cart", "ShopKt". Empty for C++ functions,
   * whose `name` is qualified. A class without a name of its own ends in "$": the compiler's number is not in the text.
   */
  readonly className: string;
  /** Parameters in the text; −1 where that says nothing (a class, a property). */
  readonly parameters: number;
  /** From 0: of the name, and of the last line. */
  readonly line: number;
  readonly endLine: number;
  /** Column of the name, and of the end of the name. */
  readonly column: number;
  readonly endColumn: number;
}

export interface Scanned {
  readonly packageName: string;
  /** In the order of the text. */
  readonly declarations: readonly Declaration[];
}

/** `baseName` names the class that Kotlin puts a file's functions in. */
export function scanDeclarations(text: string, language: Language, baseName: string): Scanned {
  switch (language) {
    case 'java':
      return scanJava(text);
    case 'kotlin':
      return scanKotlin(text, baseName);
    case 'cpp':
      return scanCpp(text);
  }
}

export function languageOf(baseName: string): Language | undefined {
  const extension = baseName.slice(baseName.lastIndexOf('.') + 1).toLowerCase();
  if (extension === 'java') return 'java';
  if (extension === 'kt' || extension === 'kts') return 'kotlin';
  return ['c', 'cc', 'cpp', 'cxx', 'h', 'hh', 'hpp', 'hxx', 'inl', 'ipp'].includes(extension)
    ? 'cpp'
    : undefined;
}
