// What the extension-host runner uses of reporter.mjs.
import type { ReporterConstructor } from 'mocha';

export function reporterFor(options: {
  readonly verbose?: boolean;
  readonly grep?: string;
  /** Those to load to run one of the tests again, where that is not the test's own. */
  readonly files?: readonly string[];
  readonly write: (line: string) => void;
  /** What becomes of the tests, as journal.mjs reads it. */
  readonly note: (what: object) => void;
}): ReporterConstructor;
