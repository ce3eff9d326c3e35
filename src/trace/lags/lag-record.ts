/** What a lag file says of its lag, read from the file's end alone: 100,000 files are grouped without decoding their samples. */
import { ChunkKind, ChunkParser, chunkPayload } from '../recording/chunk.js';
import { Lag } from '../recording/messages.js';
import { DamageError } from '../recording/wire.js';

/** The message stands before the footer; with 128 long names it is smaller than this. */
export const lagTailBytes = 256 * 1024;

export interface LagRecord extends Lag {
  /** The program was killed in it: the watch renamed the file at the next start. */
  readonly isFreeze: boolean;
  readonly name: string;
}

/** The last bytes of a file, `lagTailBytes` of them or all. undefined: there is no intact Lag in them. */
export function readLagRecord(name: string, tail: Uint8Array): LagRecord | undefined {
  const parser = new ChunkParser({ magic: false, sparse: true });
  parser.push(tail);
  parser.finish();
  let lag: Lag | undefined;
  for (let chunk = parser.next(); chunk; chunk = parser.next()) {
    if (chunk.kind !== ChunkKind.Lag) continue;
    try {
      lag = Lag.decode(chunkPayload(chunk));
    } catch (error) {
      if (!(error instanceof DamageError)) throw error;
    }
  }
  return lag && { ...lag, name, isFreeze: name.endsWith('.freeze.btrace') };
}

/** How long the thread hung, as far as the file tells. */
export function lagNs({ beginNs, detectedNs, endNs }: Lag): number {
  return Math.max((endNs === 0 ? detectedNs : endNs) - beginNs, 0);
}
