/** Writes whole lines of one suite, each behind the suite's name. `end` writes a line that was begun. */
export function prefixed(
  name: string,
  write?: (text: string) => unknown,
): { write(text: string): void; end(): void };
/** Runs the items of every lane one after the other, the lanes side by side; a lane with none left takes the last of the longest. */
export function runLanes<T>(
  lanes: Readonly<Record<string, readonly T[]>>,
  run: (item: T, lane: string) => Promise<void>,
): Promise<void>;
/** The items in so many shares of about the same size. */
export function shares<T>(items: readonly T[], count: number): T[][];
