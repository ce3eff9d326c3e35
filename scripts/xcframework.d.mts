// What the TypeScript side (tests) uses of xcframework.mjs.
export function libraryFacts(
  file: string,
  bytes: Buffer,
): {
  readonly file: string;
  readonly bytes: Buffer;
  readonly architecture: string;
  readonly platform: string;
  readonly variant?: string;
};
export function layOutFramework(to: string, files: readonly string[], headers: readonly string[]): string[];
export const agentHeaders: readonly string[];
