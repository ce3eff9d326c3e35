/** Which packages are a workspace's own, told from its files: what *My code* keeps. */

export interface SourceFolder {
  /** What one file of it says: all files of a folder are in one package. Empty: the default package. */
  readonly packageName: string;
  /** "Shop.java", "Till.kt". */
  readonly baseNames: readonly string[];
}

/** Prefixes of class names, sorted, none within another. Classes of the default package are named one by one. */
export function findMyPackages(folders: readonly SourceFolder[]): readonly string[] {
  const all = new Set<string>();
  for (const { packageName, baseNames } of folders) {
    if (packageName !== '') all.add(packageName);
    else for (const name of baseNames.flatMap(classesOf)) all.add(name);
  }
  const own: string[] = [];
  for (const name of [...all].sort()) {
    if (!own.some((other) => name.startsWith(`${other}.`))) own.push(name);
  }
  return own;
}

/** A Kotlin file's functions are in a class called after the file. */
function classesOf(baseName: string): string[] {
  const dot = baseName.lastIndexOf('.');
  const name = baseName.slice(0, dot);
  if (name === '') return [];
  return baseName.endsWith('.kt') ? [name, `${name[0]?.toUpperCase() ?? ''}${name.slice(1)}Kt`] : [name];
}
