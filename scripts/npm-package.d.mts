// What the TypeScript side (tests) uses of npm-package.mjs.
export function npmManifest(repository?: string): Readonly<Record<string, unknown>>;
export function makeNpmPackage(
  repository?: string,
): Promise<{ readonly file?: string; readonly failed?: string }>;
