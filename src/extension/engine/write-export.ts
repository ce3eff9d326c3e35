/** Writes a trace in the format of another tool. In the worker: exporters run to the end without a pause. */
import { closeSync, openSync, renameSync, rmSync, writeSync } from 'node:fs';
import { ofWhole, partName } from '../../targets/part-file.js';
import { exporters } from '../../trace/formats/index.js';
import type { Trace } from '../../trace/index.js';

/** All of the file that was opened or nothing; under another name until it is whole. Returns its size. */
export function writeExport(trace: Trace, format: string, to: string): number {
  const exporter = exporters.find(({ id }) => id === format);
  if (exporter === undefined) throw new Error(`There is no format called ${format}.`);
  if (trace.part !== undefined)
    throw new Error(
      'All of this file would take more memory than the setting btrace.files.memoryMegabytes allows: nothing was written.',
    );
  const part = partName(to);
  const file = opened(part, to);
  let bytes = 0;
  let whole = false;
  try {
    exporter.write(trace, (piece) => {
      for (let at = 0; at < piece.length;) at += writeSync(file, piece, at);
      bytes += piece.length;
    });
    whole = true;
  } finally {
    closeSync(file);
    if (whole) renameSync(part, to);
    else rmSync(part, { force: true });
  }
  return bytes;
}

function opened(part: string, to: string): number {
  try {
    return openSync(part, 'wx');
  } catch (error) {
    throw ofWhole(error, part, to);
  }
}
