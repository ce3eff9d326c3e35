/**
 * Decodes a small made-up recording while there is nothing else to do: the worker starts before the host has read the file,
 * and the first real bytes then meet code that is compiled. Goes in steps, and stops when real work comes.
 */
import { RecordingDecoder } from '../../trace/build/decoder.js';
import { synthesize } from '../../trace/build/synth.js';
import { takeSnapshot } from './snapshot.js';

/** Of the kind that comes: code that meets other numbers than it was compiled for is compiled again. */
const content = {
  samples: 6000,
  threads: 3,
  methods: 1500,
  intervalNs: 5_000_000,
  missEvery: 40,
  merge: false,
};
const rounds = 6;

export async function warmUp(isWanted: () => boolean): Promise<void> {
  const parts: Uint8Array[] = [];
  const sink = { write: (bytes: Uint8Array): Promise<void> => Promise.resolve(void parts.push(bytes)) };
  await synthesize(sink, content);
  for (let round = 0; round < rounds; round++) {
    // Lets messages in that have come meanwhile.
    await new Promise((done) => setTimeout(done));
    if (!isWanted()) return;
    const decoder = new RecordingDecoder();
    for (const part of parts) decoder.append(part);
    decoder.finish();
    takeSnapshot(decoder.trace(), { live: false, fewNames: round % 2 === 0 });
  }
}
