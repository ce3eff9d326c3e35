/** CPU time of this process, ms: what a test may bound, as time by the clock also passes while others run. */
export function cpuMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}
