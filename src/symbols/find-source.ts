/**
 * Finds the source of a method: by package and file name from the runtime, then by what files of that name declare, then
 * by symbol. Several may fit; who calls asks the person once and remembers.
 */
import { scanCpp } from './scan/cpp.js';
import { declaredName } from './native/declared-name.js';
import { packageOf } from './scan/package-of.js';
import { packagePath, wantedSource, type Frame, type WantedSource } from './wanted-source.js';

/** What the search asks of a workspace. Files are named by URI, as text, with "/" between segments. */
export interface SourceIndex {
  filesNamed(baseName: string, signal: AbortSignal): Promise<readonly string[]>;
  /** The first few kB: enough for the package and the first class. */
  head(file: string, signal: AbortSignal): Promise<string>;
  /** As it is saved. */
  text(file: string, signal: AbortSignal): Promise<string>;
  /** Places where a symbol of that name is declared, as far as the editor's languages know. */
  symbols(name: string, signal: AbortSignal): Promise<readonly SourcePlace[]>;
  /** C and C++ files. */
  natives(): Promise<readonly string[]>;
}

export interface SourcePlace {
  readonly file: string;
  /** From 1; 0 unknown. */
  readonly line: number;
}

export interface SourceSearch {
  readonly wanted: WantedSource;
  /** The best ones only: all that fit equally well. */
  readonly places: readonly SourcePlace[];
  /** In words, each thing looked for, for when there is none. */
  readonly lookedFor: readonly string[];
}

/** Files of one name beyond this are not opened to look at their package. */
const maxHeads = 64;

export async function findSource(
  frame: Frame,
  index: SourceIndex,
  signal: AbortSignal,
): Promise<SourceSearch> {
  const wanted = wantedSource(frame);
  const lookedFor: string[] = [];
  for (const baseName of wanted.baseNames) {
    const inTree = packagePath(wanted.packageName) + baseName;
    lookedFor.push(inTree);
    const files = await index.filesNamed(baseName, signal);
    const fitting =
      wanted.path === ''
        ? await byPackage(files, inTree, wanted, index, signal)
        : bySuffix(files, wanted.path);
    if (fitting.length > 0) {
      return { wanted, places: fitting.map((file) => ({ file, line: frame.line })), lookedFor };
    }
  }
  const name = wanted.outerClass === '' ? symbolName(frame.method) : wanted.outerClass;
  if (name !== '') {
    lookedFor.push(name);
    const found = await index.symbols(name, signal);
    const places = found.filter(
      ({ file }) => wanted.packageName === '' || inPackage(file, wanted.packageName),
    );
    if (places.length > 0) {
      const line = (place: SourcePlace): number => (frame.line > 0 ? frame.line : place.line);
      return { wanted, places: places.map((place) => ({ file: place.file, line: line(place) })), lookedFor };
    }
  }
  if (wanted.outerClass !== '') return { wanted, places: [], lookedFor };
  return { wanted, places: await declaredIn(await index.natives(), frame.method, index, signal), lookedFor };
}

/** Texts that are read at once. */
const textsAtOnce = 16;
const maxCharacters = 900_000;

/** Where C and C++ texts have a native function's body: by its name, and by its parameters where they tell them apart. */
async function declaredIn(
  files: readonly string[],
  method: string,
  index: SourceIndex,
  signal: AbortSignal,
): Promise<readonly SourcePlace[]> {
  const { name, parameters } = declaredName(method);
  if (name === '') return [];
  const own = symbolName(method);
  // A text may put the parts of an operator's name in another way.
  const word = /^operator\b/.test(own) ? 'operator' : own;
  const found: (SourcePlace & { readonly parameters: number })[] = [];
  for (let at = 0; at < files.length && !signal.aborted; at += textsAtOnce) {
    const some = files.slice(at, at + textsAtOnce);
    const texts = await Promise.all(some.map((file) => index.text(file, signal).catch(() => '')));
    texts.forEach((text, which) => {
      if (text.length > maxCharacters || !text.includes(word)) return;
      for (const one of scanCpp(text).declarations)
        if (one.name === name)
          found.push({ file: some[which] ?? '', line: one.line + 1, parameters: one.parameters });
    });
  }
  const exact = found.filter((one) => one.parameters === parameters);
  return (exact.length > 0 ? exact : found).map(({ file, line }) => ({ file, line }));
}

/**
 * Files whose folders are those of the package; else those that say they are in it (Kotlin may leave folders out). A file that
 * says it is in another package is never taken: a wrong line is worse than none.
 */
async function byPackage(
  files: readonly string[],
  inTree: string,
  wanted: WantedSource,
  index: SourceIndex,
  signal: AbortSignal,
): Promise<readonly string[]> {
  if (wanted.packageName !== '') {
    const exact = files.filter((file) => decoded(file).endsWith(`/${inTree}`));
    if (exact.length > 0) return exact;
  }
  const some = files.slice(0, maxHeads);
  const packages = await Promise.all(some.map(async (file) => packageOf(await index.head(file, signal))));
  return some.filter((_, at) => packages[at] === wanted.packageName);
}

/** A native function's own name: what symbols are searched by. */
function symbolName(method: string): string {
  const { name } = declaredName(method);
  return name === '' ? method : (name.split('::').at(-1) ?? name);
}

function inPackage(file: string, packageName: string): boolean {
  return decoded(file).includes(`/${packagePath(packageName)}`);
}

/** Debug data names files as the build machine saw them: the most trailing segments in common wins. */
export function bySuffix(files: readonly string[], path: string): readonly string[] {
  const segments = path.split('/').filter((segment) => segment !== '' && segment !== '.');
  let best = 1;
  let found: string[] = [];
  for (const file of files) {
    const own = decoded(file).split('/');
    let common = 0;
    while (
      common < segments.length &&
      own[own.length - 1 - common] === segments[segments.length - 1 - common]
    ) {
      common += 1;
    }
    if (common > best) {
      best = common;
      found = [];
    }
    if (common === best) found.push(file);
  }
  return found;
}

function decoded(uri: string): string {
  try {
    return decodeURIComponent(uri);
  } catch {
    return uri; // a stray "%": take it as it is
  }
}
