/** The class of a Java or Kotlin text that `java` can start. */
import { languageOf, scanDeclarations, type Declaration } from './declarations.js';

/** With its package; undefined for a text without a `main`. `baseName`: of its file, "Shop.java". */
export function mainClassOf(text: string, baseName: string): string | undefined {
  const language = languageOf(baseName);
  if ((language !== 'java' && language !== 'kotlin') || !/\bmain\b/.test(text)) return undefined;
  const { packageName, declarations } = scanDeclarations(text, language, baseName);
  const lines = text.split('\n');
  const isStatic = ({ line, column }: Declaration): boolean =>
    /\bstatic\b/.test(`${lines[line - 1] ?? ''} ${lines[line]?.slice(0, column) ?? ''}`);
  const classes = new Set(declarations.filter(({ kind }) => kind === 'class').map((one) => one.className));
  const main = declarations.find(
    (one) =>
      one.name === 'main' &&
      one.kind !== 'class' &&
      one.parameters <= 1 &&
      (language === 'java' ? isStatic(one) : !classes.has(one.className)),
  );
  if (main === undefined) return undefined;
  return packageName === '' ? main.className : `${packageName}.${main.className}`;
}
