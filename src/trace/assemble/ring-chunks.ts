/** What a ring holds: its chunks lie as they had room, and their numbers say the order. */
import { type Problem } from '../model/trace.js';
import { type Chunk, ChunkKind, ChunkParser, noChunk } from '../recording/chunk.js';

/** `offset`: where the payload lies in the file. */
export interface Ring {
  readonly offset: number;
  readonly payload: Uint8Array;
}

export function chunksOfRing({ offset, payload }: Ring): { chunks: Chunk[]; problems: Problem[] } {
  const parser = new ChunkParser({ magic: false, sparse: true });
  parser.push(payload);
  parser.finish();
  const chunks: Chunk[] = [];
  for (let chunk = parser.next(); chunk !== undefined; chunk = parser.next())
    if (chunk.kind === ChunkKind.Samples || chunk.kind === ChunkKind.OffCarrierWaits)
      chunks.push({ ...chunk, offset: offset + chunk.offset });
  chunks.sort((a, b) => a.sequence - b.sequence);
  // What is left of an old chunk where the newest ends is no damage, nor is room that was never used.
  const problems = parser.problems.filter(({ what }) => !what.startsWith(noChunk));
  return {
    chunks,
    problems: problems.map((one) => ({
      offset: offset + (one.offset ?? 0),
      what: `in the ring: ${one.what}`,
    })),
  };
}
