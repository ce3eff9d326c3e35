/** Programs with a planted cause, on whatever they run, and whether the first finding is that cause. */
import type { Finding } from '../../src/trace/findings/finding.js';
import { type FindingOptions, findingsIn, findingText } from '../../src/trace/findings/registry.js';
import type { Trace } from '../../src/trace/model/trace.js';

export interface Planted {
  /** Causes, each with the milliseconds that it takes of a request. The first one is the largest. */
  readonly causes: string;
  /** Id of the rule that tells the first cause. */
  readonly rule: string;
  /** What its title or explanation says, above all the method. On a busy machine what works is put aside for long. */
  readonly says: RegExp;
}

/** Facts about the recording, and not about the program. */
const aboutRecording: ReadonlySet<string> = new Set(['unsampledCpuTime']);

export const told = (trace: Trace, options?: FindingOptions): Finding[] =>
  findingsIn(trace, options).filter(({ id }) => !aboutRecording.has(id));

export const sentences = ({ title, explanation }: Finding): string =>
  `${findingText(title)}. ${findingText(explanation)}`;

export const isRight = ([first]: readonly Finding[], { rule, says }: Planted): boolean =>
  first?.id === rule && says.test(sentences(first));

/** Each program, and each with a second cause that takes less of a request. */
export const withSeconds = <One extends Planted>(alone: readonly One[], second: readonly string[]): One[] => [
  ...alone,
  ...alone.map((one, at) => ({ ...one, causes: `${one.causes} ${second[at] ?? ''}` })),
];
