/** Whether what nobody waits for is counted on this machine. */
export const countsAll: boolean;

/** The command as it is to be started so that all that it starts is counted in the times of its process, where that can be. */
export function counted(command: string, args: readonly string[]): readonly [string, readonly string[]];
