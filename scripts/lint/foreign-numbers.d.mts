export const allowed: readonly { readonly file: string; readonly text: string; readonly why: string }[];
