/**
 * How long a test waits for a condition before it fails: far longer than what it waits for takes on a busy machine, shorter than a
 * test's own limit, so that the condition is named.
 */
export const waitLimitMs = 60_000;
