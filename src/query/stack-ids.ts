/** A number for each path that is the same in every trace: of the names of its methods from the root. */
import type { Trace } from '../trace/index.js';

/** 53 bits: of a million paths, two get the same number once in 18,000 traces. */
export function stackIds({ paths, methods }: Trace): Float64Array {
  const ids = new Float64Array(paths.count);
  const [low, high] = [new Uint32Array(paths.count), new Uint32Array(paths.count)];
  const nameLow = new Uint32Array(methods.count);
  const nameHigh = new Uint32Array(methods.count);
  const isNamed = new Uint8Array(methods.count);
  for (let path = 1; path < paths.count; path++) {
    const method = paths.method[path] as number;
    if (isNamed[method] === 0) {
      isNamed[method] = 1;
      const name = methods.qualifiedName(method);
      nameLow[method] = hash(name, 0x811c9dc5);
      nameHigh[method] = hash(name, 0x9747b28c);
    }
    const parent = paths.parent[path] as number;
    low[path] = mixed(low[parent] as number, nameLow[method] as number);
    high[path] = mixed(high[parent] as number, nameHigh[method] as number);
    ids[path] = ((high[path] as number) >>> 11) * 2 ** 32 + (low[path] as number);
  }
  return ids;
}

/** FNV-1a over the text's 16-bit units. */
function hash(text: string, seed: number): number {
  let value = seed;
  for (let at = 0; at < text.length; at++) value = Math.imul(value ^ text.charCodeAt(at), 0x01000193);
  return value >>> 0;
}

/** The last step of MurmurHash3 over both: neighbouring numbers become unlike ones. */
function mixed(parent: number, name: number): number {
  let value = Math.imul(parent ^ 0x85ebca6b, 0xcc9e2d51) ^ name;
  value = Math.imul(value ^ (value >>> 16), 0x85ebca6b);
  value = Math.imul(value ^ (value >>> 13), 0xc2b2ae35);
  return (value ^ (value >>> 16)) >>> 0;
}
