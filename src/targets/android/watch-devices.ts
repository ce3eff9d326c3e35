/** Is told by the adb server when a device comes, goes, or changes its state. */
import type { AdbServer } from './adb-server.js';

const againMs = 2000;

/**
 * Calls `changed` at each change until the returned function is called. A server that does not run, or goes, is tried again:
 * nothing here starts one. `server` is asked for each time, for the settings may change.
 */
export function watchDevices(server: () => AdbServer, changed: () => void): () => void {
  const stop = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  let wasAway = false;
  const follow = async (): Promise<void> => {
    try {
      await server().track((first) => {
        // The list as it was at the begin is no news, but from a server that was away.
        if (!first || wasAway) changed();
        wasAway = false;
      }, stop.signal);
    } catch {
      // What is wrong with the server is said by who lists.
    }
    if (stop.signal.aborted) return;
    if (!wasAway) changed();
    wasAway = true;
    timer = setTimeout(() => void follow(), againMs);
    timer.unref();
  };
  void follow();
  return () => {
    stop.abort();
    clearTimeout(timer);
  };
}
