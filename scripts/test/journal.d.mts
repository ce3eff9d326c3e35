/** A test, or a hook that failed; `group` is the describe that runs whole when it runs again. */
export interface Placed {
  readonly title: string;
  readonly files: readonly string[];
  readonly group?: string;
}

export interface Failure extends Placed {
  readonly message: string;
  /** Why it is final; test/rigs/kinds.ts has the words. */
  readonly kind?: string;
  /** Of the machine, when it failed. */
  readonly load: number;
  /** How many tests did not pass because of it. */
  readonly tests: number;
}

/** The outcome of a suite's files, as the runner adds it up. */
export interface Counts {
  readonly passed: number;
  readonly skipped: readonly string[];
  readonly failures: readonly Failure[];
  readonly groups: ReadonlyArray<{ readonly title: string; readonly cpuMs: number }>;
  /** Where `isOver` is false: what had begun, and the tests that had not ended. */
  readonly isOver: boolean;
  readonly running?: Placed;
  readonly left: readonly Placed[];
}

export function readJournal(text: string): Counts;
