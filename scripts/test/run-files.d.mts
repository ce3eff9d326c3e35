import type { Counts, Failure } from './journal.mjs';

/** Runs test files in a process of their own, to its end or to its limit. A failure without `files` is none of a test. */
export function runFiles(
  suite: { readonly testMs: number; readonly host?: boolean },
  options: {
    readonly files: readonly string[];
    readonly grep?: string | undefined;
    readonly verbose?: boolean;
    readonly output: 'show' | 'keep' | ((text: string) => void);
    readonly yields?: boolean;
    readonly limitMs: number;
    readonly mark: string;
  },
): Promise<
  Omit<Counts, 'failures'> & {
    readonly failures: ReadonlyArray<Partial<Failure> & Pick<Failure, 'title' | 'message'>>;
    readonly cpuMs: number;
  }
>;
