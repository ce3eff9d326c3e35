// What the extension-host runner uses of reporter.mjs.
import type { ReporterConstructor } from 'mocha';

/** The outcome of a suite's files, as the runner adds it up. */
export interface Counts {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: readonly string[];
  readonly failures: ReadonlyArray<{ readonly title: string; readonly message: string }>;
}

export function reporterFor(options: {
  readonly verbose?: boolean;
  readonly write: (line: string) => void;
  readonly done: (counts: Counts) => void;
}): ReporterConstructor;
