import type { Failure } from './journal.mjs';

/** A failed test of a suite. What is none of a test has no `files`, and is final. */
export interface Failed extends Partial<Failure> {
  readonly suite: string;
  readonly title: string;
  readonly message: string;
}

export interface Tried {
  readonly passed: number;
  readonly failures: ReadonlyArray<{ readonly message: string }>;
  readonly load: number;
}

/** Why a failure is red at once. */
export function whyFinal(failure: Partial<Failed>): string | undefined;
/** Matches the full titles of what runs again. */
export function patternOf(failure: { readonly title: string; readonly group?: string }): string | undefined;
/** Tries again alone what failed, by the rule of test/README.md. */
export function secondTries(
  failures: readonly Failed[],
  again: (failure: Failed, grep: string | undefined, limitMs: number) => Promise<Tried>,
  options?: { readonly now?: () => number },
): Promise<{
  readonly passed: ReadonlyArray<Failed & { readonly loads: readonly number[] }>;
  readonly failed: ReadonlyArray<Failed & { readonly loads?: readonly number[]; readonly why?: string }>;
  readonly tried: number;
}>;
