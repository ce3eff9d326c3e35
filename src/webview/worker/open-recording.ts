/** Bytes of a file → a decoder for what they are. */
import { RecordingDecoder } from '../../trace/build/decoder.js';
import type { Trace } from '../../trace/model/trace.js';
import { NotATrace } from './serve.js';
import type { Decoder } from './serve.js';

export function openRecording(): Decoder {
  const decoder = new RecordingDecoder();
  const check = (): void => {
    if (decoder.refused !== '') throw new NotATrace(decoder.refused);
  };
  return {
    append: (bytes: Uint8Array): void => {
      decoder.append(bytes);
      check();
    },
    finish: (): void => {
      decoder.finish();
      check();
    },
    trace: (): Trace => decoder.trace(),
  };
}
