// What a test says of itself to the rule of the second try (test/README.md).
import type { Suite } from 'mocha';

/**
 * What must not happen even once. A test of such a kind is red at once when it fails:
 * - `crash`: something crashed;
 * - `harm`: a recorded program was harmed, ended by it, or printed something else;
 * - `left behind`: a process or file was left behind;
 * - `loss`: something was lost where nothing may be;
 * - `bytes`: bytes differ that must be the same;
 * - `check`: a check of the build, which hangs on no time.
 */
export type Kind = 'crash' | 'harm' | 'left behind' | 'loss' | 'bytes' | 'check';

/** The function of a test, or an error that a rig throws, of that kind. */
export function ofKind<T extends object>(kind: Kind, one: T): T {
  return Object.assign(one, { kind });
}

/** Makes an assertion whose failure is of that kind, in a test that may also fail by bad luck. */
export function strictly(kind: Kind, assertion: () => void): void {
  try {
    assertion();
  } catch (error) {
    throw ofKind(kind, error as Error);
  }
}

/** All tests of a describe are of that kind. */
export function allOfKind(kind: Kind, suite: Suite): void {
  ofKind(kind, suite);
}

/** Each test of the describe goes on where the one before it ended: none of them can run alone. */
export function inOrder(suite: Suite): void {
  Object.assign(suite, { inOrder: true });
}
