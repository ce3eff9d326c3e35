/** A recording of any size → the engine's model, a piece at a time, with progress and a way to stop. */
import { type ByteSource, type ReadOptions, RecordingReader } from '../recording/reader.js';
import { RecordingDecoder } from './decoder.js';

/**
 * Rejects with the signal's reason when it is cancelled, or with what the source rejects with; never for what the bytes
 * hold: see `refused` and `trace().problems` of the decoder.
 */
export async function openRecording(
  source: ByteSource,
  options: ReadOptions = {},
): Promise<RecordingDecoder> {
  const decoder = new RecordingDecoder({ magic: true, sparse: options.range !== undefined });
  for await (const { offset, bytes } of new RecordingReader(source).pieces(options))
    decoder.append(bytes, offset);
  decoder.finish();
  return decoder;
}
