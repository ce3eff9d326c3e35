// What the TypeScript side (tests) uses of release.mjs.
export function isPreRelease(version: string): boolean;
export function releaseProblems(release: {
  readonly tag: string;
  readonly version: string;
  readonly changelog: string;
  readonly missingAgents: readonly string[];
}): string[];
export function checksums(files: readonly string[]): string;
