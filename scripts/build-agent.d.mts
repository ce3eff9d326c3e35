/** Builds these targets for this machine: the agent. Returns what the compiler said when that failed, else nothing. */
export function buildAgent(targets?: readonly string[]): Promise<string | undefined>;
