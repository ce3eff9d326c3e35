/** What a recording says of a method, turned into what to look for: file names, where in a tree, which package. */

/** The part of a frame that says where its source is; the same shape as the page's SourceKey. */
export interface Frame {
  readonly className: string;
  readonly method: string;
  readonly signature: string;
  readonly file: string;
  readonly line: number;
}

/** In bytes of UTF-8: no class file holds a longer name. */
const longestName = 65_535;

/** What a recording calls longer is nothing that a source declares; it would only be looked at for long. */
export function withoutEndlessNames(frame: Frame): Frame {
  const { className, method, signature, file, line } = frame;
  const cut = (name: string): string => name.slice(0, longestName);
  return { className: cut(className), method: cut(method), signature: cut(signature), file: cut(file), line };
}

export interface WantedSource {
  /** "com.example", or empty: the default package, or a language without packages. */
  readonly packageName: string;
  /** Outermost class without package: "Shop", "ShopKt"; empty for native functions. */
  readonly outerClass: string;
  /** All classes from the outermost inward. */
  readonly classNames: readonly string[];
  /** File names that may hold it, the likeliest first. */
  readonly baseNames: readonly string[];
  /** Path as the debug data gives it, for native code; empty if none. */
  readonly path: string;
}

const managedExtensions = ['java', 'kt'] as const;

/** Strings of a recording are hostile until proven otherwise: a file name is one segment, and nothing else. */
function plainName(name: string): boolean {
  return (
    name !== '' &&
    name.length <= 255 &&
    name !== '.' &&
    name !== '..' &&
    !/[/\\\p{Cc}:*?"<>|[\]{}]/u.test(name)
  );
}

export function wantedSource(frame: Frame): WantedSource {
  const path = frame.file.replace(/\\/g, '/');
  const last = path.slice(path.lastIndexOf('/') + 1);
  const given = plainName(last) ? [last] : [];
  if (frame.className === '') {
    return {
      packageName: '',
      outerClass: '',
      classNames: [],
      baseNames: given,
      path: path === last ? '' : path,
    };
  }
  const dot = frame.className.lastIndexOf('.');
  const packageName = dot < 0 ? '' : frame.className.slice(0, dot);
  const classNames = frame.className
    .slice(dot + 1)
    .split('$')
    .filter((name) => name !== '');
  const outerClass = classNames[0] ?? '';
  const guesses: string[] = [];
  if (plainName(outerClass)) {
    for (const extension of managedExtensions) guesses.push(`${outerClass}.${extension}`);
    // A Kotlin file's functions live in a class called after the file.
    if (outerClass.endsWith('Kt')) guesses.push(`${outerClass.slice(0, -2)}.kt`);
  }
  // "SourceFile" and "Unknown Source" are what minifiers leave behind.
  const known = given.filter((name) => /\.[A-Za-z]+$/.test(name));
  return {
    packageName,
    outerClass,
    classNames,
    baseNames: known.length > 0 ? known : guesses,
    path: path === last ? '' : path,
  };
}

/** "com/example/" */
export function packagePath(packageName: string): string {
  return packageName === '' ? '' : `${packageName.replaceAll('.', '/')}/`;
}
