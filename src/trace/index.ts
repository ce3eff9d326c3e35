/** What the other rooms use of the engine. */
export * from './model/kinds.js';
export type * from './model/trace.js';
export * from './recording/chunk.js';
/** The cold messages: `messages.Header.encode(…)`. */
export * as messages from './recording/messages.js';
export { DamageError } from './recording/wire.js';
export { RecordingWriter, type ByteSink, type WriterOptions } from './recording/writer.js';
