// What the TypeScript side (tests) uses of package.mjs.
/** The file that `npm run package` makes; the e2e tests install it. */
export function packageFile(): string;
/** Makes it, or `file`, of what is built. */
export function makePackage(
  say?: (line: string) => void,
  file?: string,
  release?: { readonly repository?: string; readonly preRelease?: boolean },
): Promise<{ readonly file?: string; readonly failed?: string }>;
export function missingAgents(): string[];
