// What the TypeScript side (the benches) uses of words.mjs.
/** The flags, values and names that a script was called with. `--help`, and a word that it does not know, end it. */
export function words<Flag extends string = never, Value extends string = never>(
  moduleUrl: string,
  known?: {
    readonly flags?: readonly Flag[];
    readonly values?: readonly Value[];
    readonly names?: boolean | readonly string[];
  },
): { readonly [flag in Flag]?: boolean } & { readonly [value in Value]?: string } & {
  readonly names: readonly string[];
};
