// What the TypeScript side (test rigs) uses of process.mjs.
/** Sends `signal` to the group that `pid` leads. False when nobody is left in it. */
export function signalGroup(pid: number, signal: NodeJS.Signals | 0): boolean;
/** Asks the group to end, insists after `graceMs`, and returns when it is gone. */
export function endGroup(pid: number, graceMs?: number): Promise<void>;
