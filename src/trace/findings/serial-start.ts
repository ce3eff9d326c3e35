/** A start-up of long steps that run one after the other on the main thread, while other cores have nothing to do. */
import { formatCount, formatNs, formatShare } from '../measure/quantities.js';
import type { ThreadTrack } from '../model/trace.js';
import type { FindingContext } from './context.js';
import { type Evidence, type Finding, type FindingRule, mostEvidence } from './finding.js';

const id = 'serialStart';
/** Of the time since the program's first call: a step that takes less is no long one. */
const leastStep = 0.08;
const leastSteps = 3;
/** Of that time, all long steps together. */
const leastOfTime = 0.6;
/** CPU time of all other threads, of that time: with more, they take part. */
const mostOfOthers = 0.35;

export const serialStart: FindingRule = {
  id,
  texts: {
    'finding.serialStart.title': 'The start runs {count} long steps one after the other on the main thread',
    'finding.serialStart.explanation':
      'Together they take {time}, {share} of the time. The longest is {method}, {longest}. Other threads have hardly anything to do.',
    'finding.serialStart.nextStep':
      'Run steps that do not need each other on several threads, or later than the start.',
  },
  find: (context) =>
    context.isFromStart
      ? context.trace.threads
          .filter(({ isMain }) => isMain)
          .slice(0, 1)
          .flatMap((thread) => findingOf(context, thread))
      : [],
};

/** From the first call of the program, before which the runtime starts, to the end of the last one, after which it may end slowly. */
function startedNs({ isOfProgram, endNs }: FindingContext, { calls }: ThreadTrack): number {
  let [first, last] = [Infinity, 0];
  for (let row = 0; row < calls.count; row++) {
    if (isOfProgram[calls.method[row] as number] === 0) continue;
    first = Math.min(first, calls.begin[row] as number);
    last = Math.max(last, calls.end[row] as number);
  }
  return first === Infinity ? Infinity : Math.min(last, endNs) - first;
}

interface Step {
  readonly method: number;
  readonly beginNs: number;
  readonly endNs: number;
}

function findingOf(context: FindingContext, thread: ThreadTrack): Finding[] {
  const { trace } = context;
  const lengthNs = startedNs(context, thread);
  const others = trace.threads
    .filter((one) => one !== thread && one.kind === thread.kind)
    .reduce((sum, one) => sum + context.sumOf(one, 'cpu'), 0);
  if (others > lengthNs * mostOfOthers) return [];
  const steps = stepsOf(context, thread, lengthNs * leastStep);
  const ns = steps.reduce((sum, { beginNs, endNs }) => sum + endNs - beginNs, 0);
  if (steps.length < leastSteps || ns < lengthNs * leastOfTime) return [];
  const [longest] = [...steps].sort((a, b) => b.endNs - b.beginNs - (a.endNs - a.beginNs));
  if (longest === undefined) return [];
  return [
    {
      id,
      severity: 'note',
      title: { key: 'finding.serialStart.title', values: { count: formatCount(steps.length) } },
      explanation: {
        key: 'finding.serialStart.explanation',
        values: {
          time: formatNs(ns),
          share: formatShare(ns / lengthNs),
          method: trace.methods.qualifiedName(longest.method),
          longest: formatNs(longest.endNs - longest.beginNs),
        },
      },
      nextStep: { key: 'finding.serialStart.nextStep', values: {} },
      shareOfTime: ns / lengthNs,
      certainty: 'estimated',
      evidence: steps.slice(0, mostEvidence).map((step): Evidence => ({ thread: thread.index, ...step })),
    },
  ];
}

/**
 * Ends of the main thread's calls: a call that samples show in parts, as around a collection or where the thread had no core for long,
 * ends with its last part, and the other parts are NaN. No long step fits between two parts, and no other call of the program is there.
 * The second array has the caller of each call, with its parts put together.
 */
function putTogether({ isOfProgram, trace }: FindingContext, { calls }: ThreadTrack, leastNs: number) {
  const { begin, end, parent, method, count } = calls;
  const ends = Float64Array.from(end.subarray(0, count));
  const callers = new Int32Array(count);
  if (trace.info.exact) return { ends, callers: Int32Array.from(parent.subarray(0, count)) };
  /** By call, the one whose part it is; and the last call directly below it. The last one is for calls that nobody called. */
  const whole = new Int32Array(count);
  const isOf = (row: number): boolean => isOfProgram[method[row] as number] === 1;
  const lastBelow = new Int32Array(count + 1).fill(-1);
  for (let row = 0; row < count; row++) {
    const caller = (parent[row] as number) < 0 ? -1 : (whole[parent[row] as number] as number);
    const place = caller < 0 ? count : caller;
    const last = lastBelow[place] as number;
    const goesOn =
      last >= 0 && method[last] === method[row] && (begin[row] as number) - (ends[last] as number) < leastNs;
    whole[row] = goesOn ? last : row;
    callers[row] = caller;
    if (goesOn) {
      ends[last] = end[row] as number;
      ends[row] = NaN;
    } else if (last < 0 || isOf(row) || !isOf(last)) lastBelow[place] = row;
  }
  return { ends, callers };
}

/** The outermost calls of the program that are long and have no longer ones of several below them. One pass over the calls. */
function stepsOf(context: FindingContext, thread: ThreadTrack, leastNs: number): Step[] {
  const { isOfProgram, trace } = context;
  const { begin, method, count } = thread.calls;
  const { ends, callers } = putTogether(context, thread, leastNs);
  const isLong = (row: number): boolean =>
    (ends[row] as number) - (begin[row] as number) >= leastNs && isOfProgram[method[row] as number] === 1;
  /** By row: long calls directly below, over any platform's calls between. */
  const below = new Map<number, number[]>();
  for (let row = 0; row < count; row++) {
    if (!isLong(row)) continue;
    let above = callers[row] as number;
    while (above >= 0 && !isLong(above)) above = callers[above] as number;
    const known = below.get(above);
    if (known === undefined) below.set(above, [row]);
    else known.push(row);
  }
  let steps = below.get(-1) ?? [];
  // What only calls the steps is the frame around them; samples may show it as several calls.
  for (;;) {
    const inner = steps.flatMap((row) => below.get(row) ?? []);
    if (new Set(steps.map((row) => method[row])).size !== 1 || inner.length === 0) break;
    steps = inner;
  }
  const told: Step[] = [];
  for (const row of steps) {
    const step = { method: method[row] as number, beginNs: begin[row] as number, endNs: ends[row] as number };
    const last = told.at(-1);
    // Two parts of one call, with short ones of others in between.
    const goesOn = !trace.info.exact && last?.method === step.method && step.beginNs - last.endNs < leastNs;
    if (goesOn) told[told.length - 1] = { ...last, endNs: step.endNs };
    else told.push(step);
  }
  return told;
}
