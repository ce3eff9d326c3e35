export function importGraph(folder: string): Map<string, string[]>;
export function circles(graph: ReadonlyMap<string, readonly string[]>): string[][];
