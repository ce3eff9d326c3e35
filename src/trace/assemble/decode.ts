/** A whole recording that is in memory, in one go. */
import { RecordingDecoder } from './decoder.js';

/** Decodes the bytes of a file. Never throws for what they hold: see `refused` and `trace().problems`. */
export function decodeRecording(bytes: Uint8Array): RecordingDecoder {
  const decoder = new RecordingDecoder();
  decoder.append(bytes);
  decoder.finish();
  return decoder;
}
