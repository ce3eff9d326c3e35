/** The figures of one recording, found by source file. Grouped by the engine's worker: here they are only looked up. */
import type { Uri } from 'vscode';
import { languageOf } from '../../symbols/scan/declarations.js';
import type { EngineClient } from '../engine/engine-client.js';
import type { FigureColumns } from '../engine/engine-messages.js';

export interface NativeRow {
  readonly row: number;
  /** −1 unknown. */
  readonly parameters: number;
}

export class Figures {
  /** File name → indexes of `fileKeys`: a name may be in several packages. */
  readonly #byName = new Map<string, number[]>();
  /** What a text calls a native function → indexes of `nativeRows`. */
  readonly #natives = new Map<string, number[]>();

  constructor(
    public recording: Uri,
    readonly columns: FigureColumns,
    readonly engine: EngineClient,
  ) {
    columns.fileKeys.forEach((key, at) => {
      const name = key.slice(key.indexOf('/') + 1);
      const files = this.#byName.get(name);
      if (files === undefined) this.#byName.set(name, [at]);
      else files.push(at);
    });
    columns.nativeNames.forEach((name, at) => {
      const natives = this.#natives.get(name);
      if (natives === undefined) this.#natives.set(name, [at]);
      else natives.push(at);
    });
  }

  /** Whether any method is in a file of this name, whatever its package: most files are ruled out by that alone. */
  mayHold(baseName: string): boolean {
    return this.#byName.has(baseName) || (this.#natives.size > 0 && languageOf(baseName) === 'cpp');
  }

  /** Native functions whose file is not known, by the name that a text has for them. */
  nativesNamed(name: string): readonly NativeRow[] {
    const { nativeRows, nativeParameters } = this.columns;
    return (this.#natives.get(name) ?? []).map((at) => ({
      row: nativeRows[at] ?? 0,
      parameters: nativeParameters[at] ?? -1,
    }));
  }

  rowsOf(packageName: string, baseName: string): readonly number[] {
    const { fileKeys, fileStart, fileRows } = this.columns;
    const wanted = `${packageName}/${baseName}`;
    const file = this.#byName.get(baseName)?.find((at) => fileKeys[at] === wanted);
    return file === undefined ? [] : Array.from(fileRows.subarray(fileStart[file], fileStart[file + 1]));
  }
}
