export function complaints(sources: Readonly<Record<string, string>>): string[];
