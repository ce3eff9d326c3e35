/**
 * The few platform names the engine may use: those that Node, a worker and a browser all have.
 * The engine is type-checked without Node's and without the DOM's types, so anything else is an error.
 */
declare class TextDecoder {
  constructor(label?: string, options?: { fatal?: boolean; ignoreBOM?: boolean });
  decode(input?: ArrayBufferView | ArrayBuffer, options?: { stream?: boolean }): string;
}
declare class TextEncoder {
  encode(input: string): Uint8Array;
  encodeInto(input: string, into: Uint8Array): { read: number; written: number };
}
interface AbortSignal {
  readonly aborted: boolean;
  readonly reason: unknown;
  throwIfAborted(): void;
}
declare const performance: { now(): number };
declare function setTimeout(run: () => void, milliseconds?: number): unknown;
