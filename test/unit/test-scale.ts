/**
 * How many times a property is tried: `npm test` takes the small count, the wide tier sets BTRACE_TEST_SCALE=10. The only place
 * that reads it.
 */
export function scaled(count: number): number {
  const scale = Number(process.env['BTRACE_TEST_SCALE'] ?? 1);
  return Math.max(1, Math.round(count * (scale > 0 ? scale : 1)));
}
