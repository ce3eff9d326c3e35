/** How long the extension host is held up at most while something is done. */

/** CPU time of this thread between two turns of its loop, in ms: the machine may be busy with other things meanwhile. */
export async function longestTurnMs(work: () => Promise<unknown>): Promise<number> {
  const used = (): number => {
    const { user, system } = (process as unknown as { threadCpuUsage(): NodeJS.CpuUsage }).threadCpuUsage();
    return (user + system) / 1000;
  };
  let longest = 0;
  let last = used();
  let over = false;
  const turn = (): void => {
    const now = used();
    longest = Math.max(longest, now - last);
    last = now;
    if (!over) setImmediate(turn);
  };
  setImmediate(turn);
  try {
    await work();
  } finally {
    over = true;
  }
  return longest;
}
