/** Texts of errors, for translators. */
export function errorTexts(): string[];
export function helpTexts(): string[];
export function saidTexts(folder: string): (string | undefined)[];
