/**
 * No wait for a device or for adb is without an end: either may hang, and a person waits before them. What was waited for goes on, and its
 * failure is nobody's then.
 */
export async function within<T>(limitMs: number, promise: Promise<T>, signal?: AbortSignal): Promise<T> {
  promise.catch(() => undefined);
  signal?.throwIfAborted();
  let timer: NodeJS.Timeout | undefined;
  let gaveUp = (): void => undefined;
  const over = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`no answer within ${limitMs / 1000} s`)), limitMs);
    gaveUp = () =>
      reject(signal?.reason instanceof Error ? signal.reason : new Error(String(signal?.reason)));
    signal?.addEventListener('abort', gaveUp, { once: true });
  });
  try {
    return await Promise.race([promise, over]);
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', gaveUp);
  }
}
