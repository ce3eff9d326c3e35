import type { Chunk } from '../../trace/recording/chunk.js';

/** Answered one after the other. */
export interface NamesRequest {
  readonly chunk: Chunk;
}

export interface NamesAnswer {
  /** What is to be written before the chunk; in its place, if both are of one kind. */
  readonly names: Chunk | undefined;
  /** Files with the shared part of debug information that were not found: all so far. */
  readonly missing: readonly string[];
}
