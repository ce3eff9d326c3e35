/** What was wrong with samples that were taken all the same, in words. */
import { counted } from '../model/counted.js';
import { ThreadKind } from '../model/kinds.js';
import { type SampledThread } from './sampled-thread.js';

export function sampleProblems(threads: readonly SampledThread[]): string[] {
  const problems: string[] = [];
  const add = (what: string): void => void problems.push(what);
  let backwards = 0;
  let stackless = 0;
  let repeated = 0;
  for (const thread of threads) {
    backwards += thread.diff.backwards;
    // Threads of the runtime itself run no code of the program.
    if (thread.kind !== ThreadKind.Runtime) stackless += thread.diff.stackless;
    repeated += thread.diff.repeated;
  }
  if (backwards > 0)
    add(
      counted(
        backwards,
        'sample is earlier than the one before it; it counts as taken at once',
        'samples are earlier than the ones before them; they count as taken at once',
      ),
    );
  if (repeated > 0)
    add(
      counted(
        repeated,
        'sample has the time of the one before it',
        'samples have the time of the ones before them',
      ),
    );
  if (stackless > 0)
    add(
      counted(
        stackless,
        'sample has no stack; its time was left to its neighbours',
        'samples have no stack; their time was left to their neighbours',
      ),
    );
  return problems;
}
