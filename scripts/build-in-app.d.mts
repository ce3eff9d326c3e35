/** build/in-app/btrace.jar */
export const inAppJar: string;
/** Makes it. Returns what failed, else nothing. */
export function buildInApp(): Promise<string | undefined>;
