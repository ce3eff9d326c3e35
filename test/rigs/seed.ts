/**
 * What random input begins with: one seed for all tests of a run, so that a failed test sees the same input on its second try.
 * The runner sets it, and tells it when a test failed; BTRACE_SEED=N repeats it.
 */
export const seed = Number(process.env['BTRACE_SEED'] ?? Date.now() % 1e9);

/** Numbers from 0 to below 1, the same ones each time for a run's seed. */
export function seeded(): () => number {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}
