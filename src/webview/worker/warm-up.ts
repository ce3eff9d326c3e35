/**
 * Decodes a small made-up recording while there is nothing else to do: the worker starts before the host has read the file,
 * and the first real bytes then meet code that is compiled. Goes in steps, and stops when real work comes. The page gets the
 * snapshots, to do the same.
 */
import { RecordingDecoder } from '../../trace/assemble/decoder.js';
import { synthesize } from '../../trace/synth/synth.js';
import type { Snapshot } from './messages.js';
import { takeSnapshot } from './snapshot.js';

/**
 * Of the kind that comes: code that meets other numbers than it was compiled for is compiled again. So times, CPU clocks and
 * bytes that were allocated become too large for a small integer.
 */
const content = {
  samples: 16_000,
  threads: 4,
  methods: 4000,
  intervalNs: 4_000_000,
  missEvery: 40,
  merge: false,
};
/** V8 compiles the hottest code twice, each time after some rounds; a warm one takes 10 ms. */
const rounds = 14;
/** The page needs fewer: it only draws. */
const shownRounds = 6;
/** Real work waits no longer than about so much. */
const stepMs = 8;

class NotWanted extends Error {}

export async function warmUp(isWanted: () => boolean, tell: (snapshot: Snapshot) => void): Promise<void> {
  /** Lets messages in that have come meanwhile. */
  const pause = async (): Promise<void> => {
    await new Promise((done) => setTimeout(done));
    if (!isWanted()) throw new NotWanted();
  };
  try {
    const parts: Uint8Array[] = [];
    const write = (bytes: Uint8Array): Promise<void> => {
      parts.push(bytes);
      return pause();
    };
    await synthesize({ write }, content);
    for (let round = 0; round < rounds; round++) {
      const decoder = new RecordingDecoder();
      let began = -Infinity;
      for (const part of parts) {
        if (performance.now() - began > stepMs) {
          await pause();
          began = performance.now();
        }
        decoder.append(part);
      }
      decoder.finish();
      await pause();
      const snapshot = takeSnapshot(decoder.trace(), {
        live: false,
        rowsInSight: round % 2 === 0 ? 40 : undefined,
      });
      if (round < shownRounds) tell(snapshot);
    }
  } catch (error) {
    if (!(error instanceof NotWanted)) throw error;
  }
}
