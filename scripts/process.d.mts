// What the TypeScript side (test rigs) uses of process.mjs.
/** Sends `signal` to the group that `pid` leads. False when nobody is left in it. */
export function signalGroup(pid: number, signal: NodeJS.Signals | 0): boolean;
/** Asks the group to end, insists after `graceMs`, and returns when it is gone. */
export function endGroup(pid: number, graceMs?: number): Promise<void>;
/** Runs a command to its end and returns what it wrote. Never rejects: `code` is null where `error` says why there is none. */
export function run(
  command: string,
  args: readonly string[],
  options?: { readonly cwd?: string; readonly limitMs?: number },
): Promise<{ readonly code: number | null; readonly error?: string; readonly text: string }>;
/** Does the work, and says how much CPU time the commands took that it ran. Linux only: elsewhere 0. */
export function withCpuMs<T>(work: () => Promise<T>): Promise<{ readonly result: T; readonly cpuMs: number }>;
