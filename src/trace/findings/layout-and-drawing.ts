/**
 * A main thread that makes, measures and draws views for longer than a frame lasts: by the sections that Android writes into system
 * traces, else by the methods of Android, Swing, UIKit and browsers.
 */
import { lateFrames } from '../measure/late-frames.js';
import { missedFrameNs } from '../measure/messages.js';
import { programMethod } from '../measure/platform.js';
import { formatCount, formatNs } from '../measure/quantities.js';
import { intervalsIn, isWait } from '../measure/scope.js';
import { IntervalState, type ThreadTrack, type Trace } from '../model/trace.js';
import type { FindingContext } from './context.js';
import type { Evidence, Finding, FindingRule } from './finding.js';
import { type IsOfKind, outermostCalls } from './outermost-calls.js';

const id = 'layoutAndDrawing';

type Phase = 'making' | 'layout' | 'drawing';

interface Toolkit {
  /** Empty: names of sections or functions. */
  readonly classes: RegExp;
  readonly methods: Readonly<Partial<Record<Phase, RegExp>>>;
  /** Calls that lay out and draw. */
  readonly all?: RegExp;
  /** The names are of sections: where calls are sampled, functions of other meaning have them, as zlib's `inflate`. */
  readonly isOfSections?: true;
}

const toolkits: readonly Toolkit[] = [
  {
    classes: /^android\.(view|widget|app)\.|^androidx\.recyclerview\.|^com\.android\.internal\.policy\./,
    methods: {
      making: /^(inflate|createViewFromTag|setContentView|onCreateViewHolder)$/,
      layout: /^(measure|layout|onMeasure|onLayout|performMeasure|performLayout|measureHierarchy)$/,
      drawing: /^(draw|onDraw|dispatchDraw|performDraw|updateDisplayListIfDirty|drawSoftware)$/,
    },
    all: /^(performTraversals|doTraversal)$/,
  },
  { classes: /^androidx\.compose\./, methods: { layout: /^(measureAndLayout|recompose|performRecompose)$/ } },
  // Sections of Android's system traces.
  {
    classes: /^$/,
    methods: {
      making: /^(inflate|setContentView|RV CreateView|AsyncInflater)\b/,
      layout:
        /^(measure|layout|RV (OnLayout|OnBindView|FullInvalidate|PartialInvalidate|Scroll)|Compose:recompose|AndroidOwner:(measureAndLayout|onMeasure|onLayout))$/,
      drawing: /^(draw(-.*)?|Record View#draw\(\)|AndroidOwner:draw.*)$/,
    },
    all: /^(traversal|performTraversals)$/,
    isOfSections: true,
  },
  // Events of browsers.
  {
    classes: /^$/,
    methods: { layout: /^(Layout|UpdateLayoutTree)$/, drawing: /^(Pre)?Paint$/ },
    isOfSections: true,
  },
  {
    classes: /^javax\.swing\.|^java\.awt\./,
    methods: {
      layout: /^(validateInvalidComponents|validateTree|doLayout)$/,
      drawing: /^(paint|paintComponent|paintDirtyRegions|paintImmediately|prePaintDirtyRegions)$/,
    },
  },
  // Objective-C and C++ functions of UIKit and Core Animation.
  {
    classes: /^$/,
    methods: {
      layout: /^(-\[UIView(\(.*\))? layout\w*|-\[CALayer layoutSublayers|CA::Layer::layout_if_needed)/,
      drawing: /^(-\[CALayer drawInContext|-\[UIView(\(.*\))? drawRect|CA::Layer::display_if_needed)/,
    },
  },
];

const phases: readonly Phase[] = ['making', 'layout', 'drawing'];

const toolkitsOf = ({ info }: Trace): readonly Toolkit[] =>
  info.exact ? toolkits : toolkits.filter(({ isOfSections }) => isOfSections !== true);

const isOf =
  (possible: readonly Toolkit[], phase: Phase): IsOfKind =>
  (className, method) =>
    possible.some(({ classes, methods }) => classes.test(className) && methods[phase]?.test(method) === true);

const isAny =
  (possible: readonly Toolkit[]): IsOfKind =>
  (className, method) =>
    possible.some(
      ({ classes, methods, all }) =>
        classes.test(className) &&
        (all?.test(method) === true || phases.some((phase) => methods[phase]?.test(method))),
    );

export const layoutAndDrawing: FindingRule = {
  id,
  texts: {
    'finding.layoutAndDrawing.making': '{thread} makes views for {time}, most of it for {method}',
    'finding.layoutAndDrawing.layout':
      '{thread} measures and lays out views for {time}, most of it in {method}',
    'finding.layoutAndDrawing.drawing': '{thread} draws for {time}, most of it in {method}',
    'finding.layoutAndDrawing.explanation':
      '{count} × layout and drawing took longer than a frame lasts, {longest} at most.',
    'finding.layoutAndDrawing.once': 'That took longer than a frame lasts: {longest}.',
    'finding.layoutAndDrawing.late':
      '{count} × layout and drawing took longer than a frame lasts, {longest} at most. {late} of {frames} frames were late.',
    'finding.layoutAndDrawing.nextStep':
      'Use fewer and flatter views, make those that are not seen at once later, and do not calculate or load while views are measured and drawn.',
  },
  find(context) {
    const outermost = outermostCalls(context.trace, isAny(toolkitsOf(context.trace)));
    if (outermost === undefined) return [];
    return context.awaitedThreads.flatMap((thread) => findingOf(context, thread, outermost));
  },
};

interface LongCalls {
  count: number;
  /** Without waits. */
  ns: number;
  longest: { beginNs: number; endNs: number };
  /** Work of these calls by path. */
  readonly byPath: Map<number, number>;
}

/** Calls that lay out or draw and last longer than a frame. One pass over the intervals. */
function longCalls(
  { trace, beginNs, endNs }: FindingContext,
  thread: ThreadTrack,
  outermost: Int32Array,
): LongCalls {
  const { begin, end, path, keep, state } = thread.intervals;
  const { depth } = trace.paths;
  const found: LongCalls = { count: 0, ns: 0, longest: { beginNs: 0, endNs: 0 }, byPath: new Map() };
  const { first, last } = intervalsIn(thread, { threads: [], beginNs, endNs }, trace.endNs);
  const clip = (row: number): [from: number, to: number] => [
    Math.max(begin[row] as number, beginNs),
    Math.min(end[row] as number, endNs),
  ];
  let [call, since] = [0, first];
  const close = (next: number): void => {
    if (call === 0) return;
    const [[from], [, to]] = [clip(since), clip(next - 1)];
    if (to - from < missedFrameNs) return;
    found.count++;
    if (to - from > found.longest.endNs - found.longest.beginNs) found.longest = { beginNs: from, endNs: to };
    for (let row = since; row < next; row++) {
      const how = state[row] as number;
      if (how === IntervalState.Gap || isWait(how)) continue;
      const [begins, ends] = clip(row);
      found.ns += ends - begins;
      const at = path[row] as number;
      found.byPath.set(at, (found.byPath.get(at) ?? 0) + ends - begins);
    }
  };
  for (let row = first; row < last; row++) {
    const here = outermost[path[row] as number] as number;
    if (here === call && (call === 0 || (keep[row] as number) >= (depth[call] as number))) continue;
    close(row);
    [call, since] = [here, row];
  }
  close(last);
  return found;
}

function findingOf(context: FindingContext, thread: ThreadTrack, outermost: Int32Array): Finding[] {
  const { trace, lengthNs, beginNs, endNs } = context;
  const { count, ns, longest, byPath } = longCalls(context, thread, outermost);
  if (ns < context.leastNs) return [];
  const [first] = phases
    .map((phase) => ({ phase, ...mostIn(context, byPath, phase) }))
    .sort((a, b) => b.ns - a.ns);
  if (first === undefined || first.method < 0) return [];
  const { phase, method } = first;
  const frames = lateFrames(trace, { beginNs, endNs, threads: [thread.index] }, 0);
  const evidence: Evidence = { thread: thread.index, ...longest, method };
  return [
    {
      id,
      severity: 'warning',
      title: {
        key: `finding.layoutAndDrawing.${phase}`,
        values: {
          thread: `"${thread.name}"`,
          time: formatNs(first.ns),
          method: trace.methods.qualifiedName(method),
        },
      },
      explanation: {
        key: `finding.layoutAndDrawing.${frames !== undefined ? 'late' : count === 1 ? 'once' : 'explanation'}`,
        values: {
          count: formatCount(count),
          longest: formatNs(longest.endNs - longest.beginNs),
          ...(frames && { late: formatCount(frames.late), frames: formatCount(frames.count) }),
        },
      },
      nextStep: { key: 'finding.layoutAndDrawing.nextStep', values: {} },
      shareOfTime: ns / lengthNs,
      evidence: [evidence],
    },
  ];
}

/** How long of it was in a phase, and the method of the program that most of that was in. */
function mostIn(
  { trace }: FindingContext,
  byPath: ReadonlyMap<number, number>,
  phase: Phase,
): { ns: number; method: number } {
  const outermost = outermostCalls(trace, isOf(toolkitsOf(trace), phase));
  const byMethod = new Map<number, number>();
  let sum = 0;
  if (outermost !== undefined)
    for (const [path, ns] of byPath) {
      if (outermost[path] === 0) continue;
      sum += ns;
      const method = programMethod(trace, path);
      byMethod.set(method, (byMethod.get(method) ?? 0) + ns);
    }
  const [method = -1] = [...byMethod].sort((a, b) => b[1] - a[1])[0] ?? [];
  return { ns: sum, method };
}
