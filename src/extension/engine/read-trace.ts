/** Reads any trace in a worker thread. */
import { createReadStream } from 'node:fs';
import { nameCode, namesOf } from '../../symbols/native/name-code.js';
import { type NamedCode, type PartOptions, refusalText, type Trace, TraceReader } from '../../trace/index.js';
import type { TraceSource } from './engine-messages.js';

export async function readTrace(source: TraceSource, part: PartOptions): Promise<Trace> {
  const reader = new TraceReader(part);
  if ('bytes' in source) {
    reader.append(new Uint8Array(source.bytes));
  } else {
    await readFile(source.path, reader);
    if (source.namesCode) await nameCode(reader.unnamedCode());
  }
  reader.finish();
  if (reader.refusal !== undefined) throw new Error(refusalText(reader.refusal));
  return reader.trace();
}

/** Names of a trace's code that stand in other files. */
export async function codeNames(path: string, part: PartOptions): Promise<NamedCode[]> {
  const reader = new TraceReader(part);
  await readFile(path, reader);
  return namesOf(reader.unnamedCode());
}

async function readFile(path: string, reader: TraceReader): Promise<void> {
  for await (const piece of createReadStream(path, { highWaterMark: 4 * 2 ** 20 }))
    reader.append(piece as Uint8Array);
}
