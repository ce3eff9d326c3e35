/**
 * Where a text declares a method, for when its line is not known or is no line of the text: code without line tables, Kotlin's
 * inlined code (which has lines of its own beyond the last one), a text that has become shorter.
 */
import { around, matchDeclarations } from './match-declarations.js';
import { declaredName } from './native/declared-name.js';
import { languageOf, scanDeclarations } from './scan/declarations.js';
import type { Frame } from './wanted-source.js';

/** Beyond this a text is generated. */
const maxCharacters = 900_000;

/** From 1: of the method's name, else of its class; 0 where there is neither. */
export function declaredLine(text: string, baseName: string, frame: Frame): number {
  const language = languageOf(baseName);
  if (language === undefined || text.length > maxCharacters) return 0;
  const { declarations } = scanDeclarations(text, language, baseName);
  const className = frame.className.slice(frame.className.lastIndexOf('.') + 1);
  const { method: name, signature } = frame;
  const method =
    language === 'cpp'
      ? { className: '', signature: '', firstLine: 0, ...declaredName(name) }
      : around({ className, name, signature, firstLine: 0 });
  const matched = matchDeclarations(declarations, [method], true);
  const at = matched.findIndex((rows) => rows.length > 0);
  const found =
    declarations[at] ?? declarations.find((one) => one.kind === 'class' && one.className === className);
  return found === undefined ? 0 : found.line + 1;
}
