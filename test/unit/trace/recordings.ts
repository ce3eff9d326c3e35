/** Recordings for the tests, made in memory. */
import { decodeRecording } from '../../../src/trace/assemble/decode.js';
import { synthesize, type SynthTruth } from '../../../src/trace/synth/synth.js';
import { type SynthOptions } from '../../../src/trace/synth/synth-options.js';
import type { Trace } from '../../../src/trace/model/trace.js';
import type { ByteSink } from '../../../src/trace/recording/writer.js';

/** A sink that keeps what it is given. */
export class MemorySink implements ByteSink {
  readonly parts: Uint8Array[] = [];

  write(bytes: Uint8Array): Promise<void> {
    this.parts.push(bytes);
    return Promise.resolve();
  }

  get bytes(): Uint8Array {
    const whole = new Uint8Array(this.parts.reduce((size, part) => size + part.length, 0));
    let at = 0;
    for (const part of this.parts) {
      whole.set(part, at);
      at += part.length;
    }
    return whole;
  }
}

export async function synthetic(
  options: Partial<SynthOptions>,
): Promise<{ bytes: Uint8Array; truth: SynthTruth }> {
  const sink = new MemorySink();
  const truth = await synthesize(sink, options);
  return { bytes: sink.bytes, truth };
}

export function decoded(bytes: Uint8Array): Trace {
  return decodeRecording(bytes).trace();
}
