/** How the worker gets what reads a file: TraceReader, or a stand-in of a test. */
import type { PartOptions } from '../../trace/assemble/part.js';
import type { UnnamedCode } from '../../trace/formats/code-names.js';
import type { Trace } from '../../trace/model/trace.js';
import { type Refusal, refusalText } from '../../trace/trace-reader.js';

export interface Reader {
  append(bytes: Uint8Array): void;
  /** Code whose names stand in other files. After the last byte. */
  unnamedCode?(): readonly UnnamedCode[];
  finish(): void;
  trace(): Trace;
  readonly refusal?: Refusal | undefined;
}
export type OpenReader = (part: PartOptions) => Reader;

/** Nothing of the file can be shown; the message says what it is instead, for a person. */
export class NotATrace extends Error {
  override readonly name = 'NotATrace';
}

/** Throws NotATrace as soon as the reader knows that nothing can be read. */
export function throwIfRefused({ refusal }: Reader): void {
  if (refusal !== undefined) throw new NotATrace(refusalText(refusal));
}
