/** Whose code a method is: the workspace's own, or somebody else's. */
import type { Methods } from '../trace/model/trace.js';

/** Whose they are when the workspace says nothing of its packages: these are nobody's own code. */
const platformPrefixes = [
  'java.',
  'javax.',
  'jdk.',
  'sun.',
  'com.sun.',
  'kotlin.',
  'kotlinx.',
  'scala.',
  'groovy.',
  'android.',
  'androidx.',
  'com.android.',
  'com.google.android.',
  'dalvik.',
  'libcore.',
  'org.junit.',
];

/** Prefixes are package names: "com.shop" owns "com.shop.Cart" and not "com.shopping.Cart". */
export function isMyClass(className: string, prefixes: readonly string[]): boolean {
  if (className === '') return false;
  if (prefixes.length === 0) return !platformPrefixes.some((prefix) => className.startsWith(prefix));
  return prefixes.some(
    (prefix) =>
      className.startsWith(prefix) &&
      (prefix.endsWith('.') ||
        className.length === prefix.length ||
        /[.$]/.test(className.charAt(prefix.length))),
  );
}

/** 1 for the methods of own classes. */
export function myMethods(methods: Methods, prefixes: readonly string[]): Uint8Array {
  const keeps = new Uint8Array(methods.count);
  const byClass = new Map<string, number>();
  for (let method = 0; method < methods.count; method++) {
    const className = methods.className(method);
    let own = byClass.get(className);
    if (own === undefined) {
      own = isMyClass(className, prefixes) ? 1 : 0;
      byClass.set(className, own);
    }
    keeps[method] = own;
  }
  return keeps;
}
