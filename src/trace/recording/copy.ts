/** A recording, copied chunk by chunk: of any length, in the memory of one piece. Every chunk that is whole is kept, also of a kind that is not known. */
import type { Problem } from '../model/trace.js';
import { type Chunk, ChunkKind, ChunkParser, chunkPayload } from './chunk.js';
import { Footer } from './messages.js';
import { DamageError } from './wire.js';
import { type ByteSink, RecordingWriter } from './writer.js';

export interface Additions {
  /** What the copy has before a chunk; in its place, if both are of one kind. */
  readonly before?: (chunk: Chunk) => Promise<Chunk | undefined>;
  /** Payloads, with their kinds, that it has behind the last chunk. */
  readonly behind?: readonly (readonly [kind: number, payload: Uint8Array])[];
}

export interface Copied {
  /** False: the bytes are something else, and nothing was written. */
  readonly isRecording: boolean;
  /** What is damaged in the original, and so missing in the copy. */
  readonly problems: readonly Problem[];
}

export async function copyRecording(
  pieces: AsyncIterable<Uint8Array>,
  sink: ByteSink,
  { before, behind = [] }: Additions,
): Promise<Copied> {
  const parser = new ChunkParser({ magic: true });
  const writer = new RecordingWriter(sink, { deflate: true });
  let footer: Footer | undefined;
  const copy = async (): Promise<void> => {
    for (let chunk = parser.next(); chunk; chunk = parser.next()) {
      if (chunk.kind === ChunkKind.Footer) {
        footer = readFooter(chunk, parser) ?? footer;
        continue;
      }
      const added = await before?.(chunk);
      if (added !== undefined) await writer.append(added);
      if (added?.kind !== chunk.kind) await writer.append(chunk);
    }
  };
  for await (const piece of pieces) {
    parser.push(piece);
    await copy();
    if (parser.notRecording) return { isRecording: false, problems: [] };
  }
  parser.finish();
  await copy();
  for (const [kind, payload] of behind) await writer.add(kind, payload);
  // A newer agent may know reasons that are not known here: they are kept.
  if (footer)
    await writer.finish(
      footer.reason as Parameters<RecordingWriter['finish']>[0],
      footer.detail,
      footer.endNs,
    );
  // A file that ends within the magic is none either.
  return { isRecording: parser.offset > 0, problems: parser.problems };
}

function readFooter(chunk: Chunk, parser: ChunkParser): Footer | undefined {
  try {
    return Footer.decode(chunkPayload(chunk));
  } catch (error) {
    if (!(error instanceof DamageError)) throw error;
    parser.report(chunk.offset, `the footer is damaged: ${error.message}`);
    return undefined;
  }
}
