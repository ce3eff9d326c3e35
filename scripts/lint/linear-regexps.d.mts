/** Why an expression may take more than linear time, or nothing. */
export function whySlow(pattern: string, flags: string): string | undefined;
