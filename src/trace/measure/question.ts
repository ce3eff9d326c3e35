/** What a recording is asked first: where CPU time went, or what the program waited for. */
export type Question = 'cpu' | 'waits';

export interface QuestionTimes {
  readonly lengthNs: number;
  /** Of all threads. */
  readonly cpuNs: number;
  /** `HeldUp.askedNs` of all threads. */
  readonly askedNs: number;
}

/** Below this share of the recording's length a program has not worked. */
const leastWork = 0.02;

/** CPU time, unless the program was held up for longer than it worked, did next to nothing, or nobody knows. */
export function questionOf({ lengthNs, cpuNs, askedNs }: QuestionTimes, hasCpu: boolean): Question {
  return hasCpu && cpuNs >= askedNs && cpuNs >= lengthNs * leastWork ? 'cpu' : 'waits';
}
