import type { ExportOptions, Sink, TraceImporter } from '../../../src/trace/formats/importer.js';
import type { Trace } from '../../../src/trace/model/trace.js';

type Write = (trace: Trace, sink: Sink, options?: ExportOptions) => void;

/** All pieces of an export in one. */
export function written(write: Write, trace: Trace, options?: ExportOptions): Uint8Array {
  const pieces: Uint8Array[] = [];
  write(trace, (bytes) => pieces.push(bytes), options);
  return Buffer.concat(pieces);
}

/** Reads bytes in pieces of one size; each is a copy, so that an importer that keeps a view of an old one is found out. */
export function importWhole(importer: TraceImporter, bytes: Uint8Array, piece = bytes.length): Trace {
  for (let at = 0; at < bytes.length; at += piece) importer.append(bytes.slice(at, at + piece));
  return importer.finish();
}
