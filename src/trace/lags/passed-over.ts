/**
 * System frames that only wait: in a stack that ends in them the cause is their caller. They are passed over from the innermost frame on,
 * up to the first frame that is not one of them.
 */
const methods = new Set([
  'java.lang.Object.wait',
  'java.lang.Object.wait0',
  'java.lang.Thread.sleep',
  'java.lang.Thread.sleep0',
  'java.lang.Thread.sleepNanos',
  'java.lang.Thread.sleepNanos0',
  'java.lang.Thread.join',
  'java.lang.Thread.currentThread',
  'sun.misc.Unsafe.park',
  'jdk.internal.misc.Unsafe.park',
  'android.os.MessageQueue.nativePollOnce',
  'android.os.BinderProxy.transactNative',
  'android.os.BinderProxy.transact',
  'libcore.io.Linux.poll',
  'libcore.io.BlockGuardOs.poll',
]);
const prefixes = [
  'java.util.concurrent.locks.',
  'java.util.concurrent.CountDownLatch',
  'java.util.concurrent.FutureTask.',
  'java.util.concurrent.CompletableFuture',
  'java.util.concurrent.ForkJoinPool.managedBlock',
  'java.util.concurrent.ForkJoinPool.unmanagedBlock',
  'java.util.concurrent.ForkJoinPool.compensatedBlock',
  'java.util.concurrent.Semaphore',
  'jdk.internal.event.',
  'sun.nio.ch.',
  'sun.nio.fs.',
];

export function onlyWaits(qualifiedName: string): boolean {
  return methods.has(qualifiedName) || prefixes.some((prefix) => qualifiedName.startsWith(prefix));
}

/** Where the stack begins that is grouped: 0 if all of it waits. */
export function firstOwnFrame(names: readonly string[]): number {
  const at = names.findIndex((name) => !onlyWaits(name));
  return Math.max(at, 0);
}
