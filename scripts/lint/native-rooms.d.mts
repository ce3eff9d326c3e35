export const nativeRooms: Readonly<Record<string, readonly string[]>>;
export function complaints(sources: Readonly<Record<string, string>>): string[];
