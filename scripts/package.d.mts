// What the TypeScript side (tests) uses of package.mjs.
/** The file that `npm run package` makes; the e2e tests install it. */
export function packageFile(): string;
