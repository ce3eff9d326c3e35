// What the TypeScript side (tests) uses of same-bytes.mjs.
export function withSameBytes(zip: Uint8Array, programs?: readonly string[]): Buffer;
