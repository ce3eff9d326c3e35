/** What the other rooms use of the engine. */
export * from './model/kinds.js';
export type * from './model/trace.js';
export * from './recording/chunk.js';
/** The cold messages: `messages.Header.encode(…)`. */
export * as messages from './recording/messages.js';
export { DamageError } from './recording/wire.js';
export { RecordingWriter, type ByteSink, type WriterOptions } from './recording/writer.js';
export {
  type ByteSource,
  type ChunkIndex,
  type ReadOptions,
  RecordingReader,
  sourceOf,
} from './recording/reader.js';
export { usualMemoryBytes } from './build/budget.js';
export { CallTable } from './build/calls.js';
export { decodeRecording } from './build/decode.js';
export { type DecoderOptions, RecordingDecoder } from './build/decoder.js';
export { IntervalTable } from './build/intervals.js';
export { openRecording } from './build/open.js';
export { type PartOptions } from './build/part.js';
export { PathTable } from './build/paths.js';
export { synthesize, type SynthTruth } from './build/synth.js';
export { synthDefaults, type SynthOptions } from './build/synth-options.js';
export { callFigures, type CallFigures, type CallPlace } from './measure/calls.js';
export { lineFigures, type LineFigures } from './measure/lines.js';
export { type LockWait, type LockWaits, lockWaitsAtEnd } from './measure/lock-waits.js';
export { methodFigures, type MethodFigures } from './measure/methods.js';
export { type PointSurvey, PointSurveyor, surveyedNs } from './measure/points.js';
export { blockedTime, recordingCost, type RecordingCost } from './measure/recording-cost.js';
export { type Scope, wholeTrace } from './measure/scope.js';
export { type Sums, sumScope } from './measure/sums.js';
export * from './measure/trees.js';
export { type ByWeight, type Weight, weights } from './measure/weights.js';
