/** The figures of one recording, found by source file. Grouped by the engine's worker: here they are only looked up. */
import type { Uri } from 'vscode';
import type { EngineClient } from '../engine/engine-client.js';
import type { FigureColumns } from '../engine/engine-messages.js';

export class Figures {
  /** File name → indexes of `fileKeys`: a name may be in several packages. */
  readonly #byName = new Map<string, number[]>();

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
  }

  /** Whether any method is in a file of this name, whatever its package: most files are ruled out by that alone. */
  mayHold(baseName: string): boolean {
    return this.#byName.has(baseName);
  }

  rowsOf(packageName: string, baseName: string): readonly number[] {
    const { fileKeys, fileStart, fileRows } = this.columns;
    const wanted = `${packageName}/${baseName}`;
    const file = this.#byName.get(baseName)?.find((at) => fileKeys[at] === wanted);
    return file === undefined ? [] : Array.from(fileRows.subarray(fileStart[file], fileStart[file + 1]));
  }
}
