export function complaints(sources: Readonly<Record<string, string>>, list: string): string[];
export function sourcesBelow(folder: string): Record<string, string>;
