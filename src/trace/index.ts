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
export { type CodeName, giveNames, type NamedCode, type UnnamedCode } from './formats/code-names.js';
export { usualMemoryBytes } from './assemble/budget.js';
export { CallTable } from './assemble/calls.js';
export { decodeRecording } from './assemble/decode.js';
export { type DecoderOptions, RecordingDecoder } from './assemble/decoder.js';
export { IntervalTable } from './assemble/intervals.js';
export { openRecording } from './assemble/open.js';
export { type PartOptions } from './assemble/part.js';
export { PathTable } from './assemble/paths.js';
export { synthesize, type SynthTruth } from './synth/synth.js';
export { synthDefaults, type SynthOptions } from './synth/synth-options.js';
export { callFigures, type CallFigures, type CallPlace } from './measure/calls.js';
export { hotMethods, type HotMethods } from './measure/hot-methods.js';
export { lineFigures, type LineFigures } from './measure/lines.js';
export { type LockWait, type LockWaits, lockWaitsAtEnd } from './measure/lock-waits.js';
export { methodFigures, type MethodFigures } from './measure/methods.js';
export { type CallSurvey, CallSurveyor, frequentNs, type SurveyedFunction } from './measure/call-survey.js';
export { type PointSurvey, PointSurveyor, surveyedNs } from './measure/points.js';
export { waitTime, recordingCost, type RecordingCost } from './measure/recording-cost.js';
export { type Scope, wholeTrace } from './measure/scope.js';
export { type Sums, sumScope } from './measure/sums.js';
export * from './measure/trees.js';
export { type ByWeight, type Weight, weights } from './measure/weights.js';
export { type Refusal, refusalText, TraceReader } from './trace-reader.js';
