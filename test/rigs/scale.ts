/** How much of what tests repeat with random input they do: 1 in `npm test`, 10 in `npm run test:all`. */
export const scale = Number(process.env['BTRACE_TEST_SCALE'] ?? 1);

/** True in `npm run test:all`. What is defined under it alone is named in test/README.md, with the reason. */
export const wide = scale >= 10;
