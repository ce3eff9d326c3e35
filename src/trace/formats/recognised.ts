/** Formats that are read, and `gzip`, which is inflated and recognised again. */
export type FormatId =
  | 'btrace'
  | 'perfetto'
  | 'chrome'
  | 'speedscope'
  | 'collapsed'
  | 'nanoscope'
  | 'art'
  | 'systrace'
  | 'perf'
  | 'fuchsia'
  | 'ninja'
  | 'gzip';

export interface Recognised {
  /** Undefined when this is no trace that can be read. */
  readonly format: FormatId | undefined;
  /** What it is, in a person's words: "Perfetto trace", "zip archive". */
  readonly name: string;
  /** For what cannot be read: what to do with it. */
  readonly advice: string;
}
