/** Ctrl-C, a polite kill, and a terminal that is closed. */
export const endSignals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
export type EndSignal = (typeof endSignals)[number];

/** A command that is asked to end has this long to do so. */
export const mostPatienceMs = 1500;

/**
 * Calls `end` for the first signal that asks this process to end, until the returned function is called. A second signal ends
 * the process at once. So does `patienceMs`, where it is given, when the process has not ended by itself: some waits cannot be
 * interrupted, such as that for a file on a network drive that does not answer.
 */
export function onEndSignal(end: (signal: EndSignal) => void, patienceMs?: number): () => void {
  let isAsked = false;
  let timer: NodeJS.Timeout | undefined;
  const take = (signal: EndSignal) => {
    if (isAsked) endNow(signal);
    isAsked = true;
    if (patienceMs !== undefined) timer = setTimeout(() => endNow(signal), patienceMs);
    end(signal);
  };
  for (const signal of endSignals) process.on(signal, take);
  return () => {
    clearTimeout(timer);
    for (const signal of endSignals) process.off(signal, take);
  };
}

/** Tidies up and dies of the signal. process.exit would wait for a thread that is blocked in the kernel. */
function endNow(signal: EndSignal): void {
  process.emit('exit', 130);
  process.removeAllListeners('exit');
  process.removeAllListeners(signal);
  process.kill(process.pid, signal);
}
