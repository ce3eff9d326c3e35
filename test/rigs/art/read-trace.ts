/** What a recording of the rig's apps says, to be held against what the apps say themselves. */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { decodeRecording } from '../../../src/trace/assemble/decode.js';
import { SampleKind } from '../../../src/trace/model/kinds.js';
import { IntervalState } from '../../../src/trace/model/trace.js';
import { stackOf } from '../stacks.js';
import type { ArtApp, Truth } from './runtime.js';
import type { ThreadTrack, Trace } from '../../../src/trace/model/trace.js';

export async function traceOf(recording: string): Promise<Trace> {
  return decodeRecording(await readFile(recording)).trace();
}

export function mainThread(trace: Trace): ThreadTrack {
  const main = trace.threads.find((thread) => thread.isMain);
  assert.equal(main?.name, 'main');
  return main;
}

/** −1 when it is not in the recording, or not yet. */
export function findMethod({ methods }: Trace, name: string): number {
  for (let method = 0; method < methods.count; method++)
    if (methods.qualifiedName(method) === name) return method;
  return -1;
}

export function methodNamed(trace: Trace, name: string): number {
  const method = findMethod(trace, name);
  assert.ok(method >= 0, `${name} is not in the recording`);
  return method;
}

/** With the method anywhere on it. */
export function pathHas(trace: Trace, path: number, method: number): boolean {
  for (let at = path; at > 0; at = trace.paths.parent[at]!)
    if (trace.paths.method[at] === method) return true;
  return false;
}

function within(trace: Trace, thread: ThreadTrack, method: number, of: (row: number) => number): number {
  let sum = 0;
  for (let row = 0; row < thread.intervals.count; row++)
    if (pathHas(trace, thread.intervals.path[row]!, method)) sum += of(row);
  return sum;
}

export const cpuWithin = (trace: Trace, thread: ThreadTrack, method: number) =>
  within(trace, thread, method, (row) => thread.intervals.cpu[row]!);

/** The messages that the method worked in. */
export function messagesWithin(trace: Trace, thread: ThreadTrack, method: number): Set<number> {
  const messages = new Set<number>();
  for (let row = 0; row < thread.intervals.count; row++)
    if (pathHas(trace, thread.intervals.path[row]!, method)) messages.add(thread.message[row]!);
  return messages;
}

/** CPU time of Jank's slow method against what the app itself measured of it, in the frames that lie wholly in there. */
export function assertSlowFrames(trace: Trace, app: ArtApp): void {
  const start = Number(trace.info.startMonotonicNs);
  const main = mainThread(trace);
  // Hooks go in one after the other, for long on a busy machine. With its first allocation a frame is seen from inside.
  const [first] = eventsOf(trace, main, SampleKind.Allocation);
  assert.ok(first, 'no allocation was sampled');
  const slow = app
    .truths('frame')
    .filter((frame) => frame.number('slow') === 1 && frame.number('end') > start)
    .filter((frame) => frame.number('begin') < start + trace.endNs);
  const whole = slow.filter(
    (frame) => frame.number('begin') > first.time && frame.number('end') < start + trace.endNs,
  );
  assert.ok(whole.length >= 2, app.output());
  const cpuMs = cpuWithin(trace, main, methodNamed(trace, 'sample.Jank.bindFeed')) / 1e6;
  // One may be under way that was not told yet.
  assertBetween(cpuMs, whole.length * 40 * 0.85, (slow.length + 1) * 40 * 1.2);
}

/** Jank's frames: slow ones in their time, each a message of its own though all have the same stacks, and their sleeps. `before`: of those told when it began. */
export function assertFrames(trace: Trace, app: ArtApp, before: number): void {
  assertSlowFrames(trace, app);
  const main = mainThread(trace);
  // One may be under way.
  const messages = messagesWithin(trace, main, methodNamed(trace, 'sample.Jank.doFrame'));
  assertBetween(messages.size, 6, app.truths('frame').length - before + 1);
  const sleeps = waitsOf(trace, main, SampleKind.Sleep);
  assert.ok(sleeps.length >= 3);
  for (const { stack } of sleeps) assert.match(stack, /^java\.lang\.Thread\.sleep .*sample\.Jank\./);
}

/**
 * Startup's first message takes 10 ms of CPU time, then 20. Where one ends and the other begins is known to a sample. For
 * recordings without a budget: its captures stand further apart on a slow machine.
 */
export function assertFirstMessage(trace: Trace, app: ArtApp): void {
  const main = mainThread(trace);
  assert.ok(cpuWithin(trace, main, methodNamed(trace, 'sample.Startup.initCrashReporter')) > 0);
  const ms = cpuWithin(trace, main, methodNamed(trace, 'sample.Startup.onCreate')) / 1e6;
  // On a busy machine its clock may count more for a thread than it asks for.
  const truth = app.truths('message').find((one) => one.text('name') === 'onCreate');
  assert.ok(truth, app.output());
  assertBetween(ms, 23, (truth.number('cpu') / 1e6) * 1.2 + 1);
}

/** An app's look at its clock, and the next one, between which it waits; and who held the lock or ended the wait. */
interface WaitTruth {
  readonly begin: string;
  readonly end: string;
  readonly whom: 'owner' | 'waker';
}

/** Apps whose main thread waits again and again, and what they say of each wait. */
export const waitingApps = [
  {
    app: 'Contention',
    truth: 'monitor',
    kind: SampleKind.Monitor,
    told: [{ begin: 'begin', end: 'end', whom: 'owner' }],
  },
  {
    app: 'WaitNotify',
    truth: 'wait',
    kind: SampleKind.Wait,
    told: [{ begin: 'begin', end: 'end', whom: 'waker' }],
  },
  {
    app: 'Parking',
    truth: 'park',
    kind: SampleKind.Park,
    told: [
      { begin: 'begin', end: 'entered', whom: 'waker' },
      { begin: 'entered', end: 'end', whom: 'waker' },
    ],
  },
] as const;

/** Of what an app told, those that lie in the recording, where it waited: a busy machine has few. */
const leastWithWait = 3;

/**
 * The recorded wait between two of the app's looks at the clock, for each truth that has one. A busy machine may put
 * the thread aside until nothing is left to wait for. The first round may have begun while hooks were put in: who ends
 * its wait may not be seen.
 */
export function waitsWithin(
  waits: readonly RecordedWait[],
  truths: readonly Truth[],
  begin = 'begin',
  end = 'end',
): (readonly [wait: RecordedWait, truth: Truth])[] {
  const within = (truth: Truth): RecordedWait[] =>
    waits.filter((one) => one.begin >= truth.number(begin) && one.end <= truth.number(end));
  const found = truths.slice(1).flatMap((truth) => {
    const wait = within(truth).at(-1);
    return wait ? [[wait, truth] as const] : [];
  });
  assert.ok(found.length >= leastWithWait, `${found.length} of ${truths.length} rounds have a wait`);
  // In some round the thread did little else.
  const shares = found.map(([, truth]) => {
    const waitedNs = within(truth).reduce((sum, wait) => sum + wait.end - wait.begin, 0);
    return waitedNs / (truth.number(end) - truth.number(begin));
  });
  assert.ok(
    shares.some((share) => share > 0.8),
    `waits fill ${shares.join(', ')} of the rounds`,
  );
  return found;
}

/** Who held the lock, or ended the wait: of each of `truths`, by the thread's number in the system. */
export function assertWaits(
  trace: Trace,
  { kind, told }: { readonly kind: number; readonly told: readonly WaitTruth[] },
  truths: readonly Truth[],
): void {
  const waits = waitsOf(trace, mainThread(trace), kind);
  for (const { begin, end, whom } of told)
    for (const [wait, truth] of waitsWithin(waits, truths, begin, end)) {
      const owner = trace.threads.find(({ index }) => index === wait.owner)?.tid;
      assert.equal(
        whom === 'owner' ? owner : wait.waker,
        truth.number(whom),
        `${whom} at ${truth.number(end)}`,
      );
    }
}

/** Of the time that there is evidence for, a method's: a busy machine leaves gaps. */
export function shareOfEvidence(trace: Trace, thread: ThreadTrack, method: number): number {
  const { intervals } = thread;
  const wall = (row: number) =>
    intervals.state[row] === IntervalState.Gap ? 0 : intervals.end[row]! - intervals.begin[row]!;
  let all = 0;
  for (let row = 0; row < intervals.count; row++) all += wall(row);
  return within(trace, thread, method, wall) / all;
}

interface RecordedWait {
  /** As the app's own clock has it. */
  readonly begin: number;
  readonly end: number;
  readonly type: string;
  readonly owner: number;
  /** The waker's tid, if one is known. */
  readonly waker: number | undefined;
  /** Its row among the trace's links, below 0: none. */
  readonly link: number;
  readonly stack: string;
}

export function waitsOf(trace: Trace, thread: ThreadTrack, kind: number): RecordedWait[] {
  const origin = Number(trace.info.startMonotonicNs);
  const { waits } = thread;
  const found: RecordedWait[] = [];
  for (let row = 0; row < waits.count; row++) {
    if (waits.kind[row] !== kind) continue;
    const link = waits.link[row]!;
    const waker = link < 0 ? undefined : trace.links.waker[link];
    found.push({
      begin: origin + waits.begin[row]!,
      end: origin + waits.end[row]!,
      type: trace.className(waits.type[row]!),
      owner: waits.owner[row]!,
      waker: trace.threads.find(({ index }) => index === waker)?.tid,
      link,
      stack: stackOf(trace, waits.path[row]!),
    });
  }
  return found;
}

interface Event {
  /** As the app's own clock has it. */
  readonly time: number;
  readonly type: string;
  readonly stack: string;
}

export function eventsOf(trace: Trace, thread: ThreadTrack, kind: number): Event[] {
  const origin = Number(trace.info.startMonotonicNs);
  const { events } = thread;
  return Array.from({ length: events.count }, (_, row) => row)
    .filter((row) => events.kind[row] === kind)
    .map((row) => ({
      time: origin + events.time[row]!,
      type: trace.className(events.type[row]!),
      stack: stackOf(trace, events.path[row]!),
    }));
}

/** The app reads its clock outside of what it measures, on a shared machine. */
export function assertBetween(value: number, low: number, high: number): void {
  assert.ok(value >= low && value <= high, `${value} is not between ${low} and ${high}`);
}
