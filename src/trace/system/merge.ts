/** A recording and a system trace that was made elsewhere → one recording with both. The files come and go in pieces. */
import { RecordingDecoder } from '../assemble/decoder.js';
import { usualMemoryBytes } from '../assemble/budget.js';
import { anyImporter } from '../formats/index.js';
import { copyRecording } from '../recording/copy.js';
import type { ByteSink } from '../recording/writer.js';
import { KernelEvents } from './kernel-events.js';
import { type Beside, layBeside, type Shift, shiftOf } from './lay-beside.js';

/** All bytes of a file, in order, each time from its beginning. */
export type Pieces = () => AsyncIterable<Uint8Array>;

/** Why two files do not belong into one recording. */
export type MergeRefusal =
  | { readonly kind: 'noRecording' }
  | { readonly kind: 'hasSystemTrace' }
  | { readonly kind: 'noSchedulerEvents' }
  /** They were not made at the same time. */
  | { readonly kind: 'otherTime'; readonly shift: Shift };

export interface Merge {
  readonly shift: Shift;
  readonly beside: Beside;
}

/** Reads both files and lays the events of the second one on the clock of the first. */
export async function planMerge(recording: Pieces, systemTrace: Pieces): Promise<Merge | MergeRefusal> {
  const decoder = new RecordingDecoder();
  for await (const bytes of recording()) decoder.append(bytes);
  decoder.finish();
  if (decoder.refused !== '') return { kind: 'noRecording' };
  const trace = decoder.trace();
  if (trace.system !== undefined) return { kind: 'hasSystemTrace' };
  const events = new KernelEvents();
  const importer = anyImporter({ mostBytes: usualMemoryBytes, kernel: events });
  for await (const bytes of systemTrace()) importer.append(bytes);
  const { info } = importer.finish();
  if (events.switches.count === 0) return { kind: 'noSchedulerEvents' };
  const shift = shiftOf(events, trace.info);
  const beside = layBeside(events, shift, info.format, trace);
  return beside.taken === 0 ? { kind: 'otherTime', shift } : { shift, beside };
}

/** Copies a recording's chunks and adds those of the system trace before its end. */
export async function writeMerged(recording: Pieces, beside: Beside, sink: ByteSink): Promise<void> {
  await copyRecording(recording(), sink, { behind: beside.chunks });
}
