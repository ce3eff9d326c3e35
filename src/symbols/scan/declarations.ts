/** Where the methods, functions and classes of a text are declared. Needs no language extension and never fails: what it cannot read it leaves out. */
import { scanCpp } from './cpp.js';
import { scanJava } from './java.js';
import { scanKotlin } from './kotlin.js';
import type { Scanned } from './outline.js';
import type { Language } from './tokens.js';

export type { Declaration, DeclarationKind, Scanned } from './outline.js';

/** `baseName` names the class that Kotlin puts a file's functions in, and that of a Java text without one. */
export function scanDeclarations(text: string, language: Language, baseName: string): Scanned {
  switch (language) {
    case 'java':
      return scanJava(text, baseName);
    case 'kotlin':
      return scanKotlin(text, baseName);
    case 'cpp':
      return scanCpp(text);
  }
}

export const nativeExtensions: readonly string[] = 'c cc cpp cxx h hh hpp hxx inl ipp'.split(' ');

export function languageOf(baseName: string): Language | undefined {
  const extension = baseName.slice(baseName.lastIndexOf('.') + 1).toLowerCase();
  if (extension === 'java') return 'java';
  if (extension === 'kt' || extension === 'kts') return 'kotlin';
  return nativeExtensions.includes(extension) ? 'cpp' : undefined;
}
