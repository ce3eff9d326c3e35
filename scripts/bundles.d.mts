// What the TypeScript side (tests) uses of bundles.mjs.
export interface BundledPackage {
  readonly folder: string;
  readonly name: string;
  readonly version: string;
  readonly manifest: { readonly license: string };
}
/** Options of esbuild. */
export interface Bundle {
  readonly entryPoints: string[];
  readonly outfile: string;
}
export function bundles(debug?: boolean): Bundle[];
export function bundledPackages(files?: readonly string[]): Promise<BundledPackage[]>;
export function packageFolder(file: string): string | undefined;
