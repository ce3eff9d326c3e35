/** Lays a system trace beside a recording, in the worker: both files are decoded, which may take seconds. */
import { createReadStream } from 'node:fs';
import { open, rename, rm } from 'node:fs/promises';
import { ofWhole, partName } from '../../targets/part-file.js';
import {
  type Merge,
  type MergeRefusal,
  type Pieces,
  planMerge,
  writeMerged,
} from '../../trace/system/merge.js';

const pieceBytes = 4 * 2 ** 20;

function piecesOf(file: string): Pieces {
  return () => createReadStream(file, { highWaterMark: pieceBytes }) as AsyncIterable<Uint8Array>;
}

/** All of the file or nothing; under another name until it is whole. */
export async function mergeFiles(
  recording: string,
  systemTrace: string,
  to: string,
): Promise<Merge | MergeRefusal> {
  const plan = await planMerge(piecesOf(recording), piecesOf(systemTrace));
  if ('kind' in plan) return plan;
  const part = partName(to);
  const file = await open(part, 'wx').catch((error: unknown) => {
    throw ofWhole(error, part, to);
  });
  try {
    await writeMerged(piecesOf(recording), plan.beside, {
      write: async (piece) => {
        await file.writeFile(piece);
      },
    });
    await file.close();
    await rename(part, to);
  } catch (error) {
    await file.close();
    await rm(part, { force: true });
    throw error;
  }
  return plan;
}
