/** The option without which all processes would want one port. */
export const anyPort: string;
/** What it waits in, innermost first, or why that is not known. */
export function javascriptStack(pid: number): Promise<string>;
