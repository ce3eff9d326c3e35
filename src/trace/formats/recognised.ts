/** Formats that are read, and `gzip` and `zip`, which are unpacked and recognised again. */
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
  | 'perf-data'
  | 'fuchsia'
  | 'ninja'
  | 'pprof'
  | 'cpuprofile'
  | 'jfr'
  | 'firefox'
  | 'simpleperf'
  | 'sample'
  | 'spindump'
  | 'ips'
  | 'xctrace'
  | 'gzip'
  | 'zip';

export interface Recognised {
  /** Undefined when this is no trace that can be read. */
  readonly format: FormatId | undefined;
  /** What it is, in a person's words: "Perfetto trace", "PNG picture". */
  readonly name: string;
  /** For what cannot be read: what to do with it. */
  readonly advice: string;
}
