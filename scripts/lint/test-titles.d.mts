export function mochaTitles(source: string): string[];
export function agentTitles(source: string): string[];
