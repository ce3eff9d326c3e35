/**
 * Which of several files of one name was recorded: two modules may have a class of the same name. The lines tell: where the one
 * declares a method, the other has something else, or nothing.
 */
import { around, matchDeclarations, type RecordedMethod } from './match-declarations.js';
import type { SourceIndex, SourcePlace } from './find-source.js';
import { languageOf, scanDeclarations } from './scan/declarations.js';

/** Beyond this a file is generated. */
const maxCharacters = 900_000;

/** The places that declare most of the methods in their lines; all of them where lines tell nothing. Reads each file as it is saved. */
export async function fittingPlaces(
  places: readonly SourcePlace[],
  methods: readonly RecordedMethod[],
  index: SourceIndex,
  signal: AbortSignal,
): Promise<readonly SourcePlace[]> {
  if (places.length < 2) return places;
  const fits = await Promise.all(
    places.map(async ({ file }) => {
      const text = await index.text(file, signal).catch(() => ''); // gone meanwhile
      return declaredThere(text, baseName(file), methods);
    }),
  );
  const most = Math.max(...fits);
  return places.filter((_, at) => fits[at] === most);
}

/** How many of the methods are declared in the lines that were recorded of them. */
function declaredThere(text: string, file: string, methods: readonly RecordedMethod[]): number {
  const language = languageOf(file);
  if (language === undefined || text.length > maxCharacters) return 0;
  const { declarations } = scanDeclarations(text, language, file);
  const known = methods.filter(({ firstLine }) => firstLine > 0).map(around);
  const matched = matchDeclarations(declarations, known, false);
  let count = 0;
  declarations.forEach(({ line, endLine }, at) => {
    for (const row of matched[at] ?? []) {
      const firstLine = known[row]?.firstLine ?? 0;
      if (line < firstLine && firstLine <= endLine + 1) count += 1;
    }
  });
  return count;
}

function baseName(file: string): string {
  return file.slice(file.lastIndexOf('/') + 1);
}
