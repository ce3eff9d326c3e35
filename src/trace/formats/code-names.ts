/** Code whose names stand in other files: programs and libraries. The engine cannot read them; who opens a trace can. */
export interface UnnamedCode {
  /** As the recorded program knew the file; empty for code that is made at run time. */
  readonly path: string;
  /** Of this build alone the names fit; empty: not known. */
  readonly buildId: Uint8Array;
  /** Whose code made at run time it is; else 0. */
  readonly pid: number;
  /** Places in the file, or addresses of code that is made at run time. */
  readonly offsets: readonly number[];
  /** Takes the names of each offset: the innermost function first, then those that it was inlined into. */
  readonly name: (frames: readonly (readonly CodeName[])[]) => void;
}

export interface CodeName {
  readonly name: string;
  /** Empty: not known. */
  readonly file: string;
  /** From 1; 0: not known. */
  readonly line: number;
}

/** Names that were found elsewhere for the same file, as they are handed on. */
export interface NamedCode {
  readonly path: string;
  /** In hexadecimal digits. */
  readonly buildId: string;
  readonly pid: number;
  readonly offsets: readonly number[];
  /** For each offset, as `UnnamedCode.name` takes them. */
  readonly frames: readonly (readonly CodeName[])[];
}

/** Names code by what was found for the same code of the same file. Of what is not among it, nothing is said. */
export function giveNames(unnamed: readonly UnnamedCode[], named: readonly NamedCode[]): void {
  const found = new Map(named.map((code) => [`${code.pid} ${code.buildId} ${code.path}`, code]));
  for (const code of unnamed) {
    const of = found.get(`${code.pid} ${hexOf(code.buildId)} ${code.path}`);
    if (of === undefined) continue;
    const rows = new Map(of.offsets.map((offset, row) => [offset, row]));
    code.name(code.offsets.map((offset) => of.frames[rows.get(offset) ?? -1] ?? []));
  }
}

export function hexOf(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}
