/** What a recording of the rig's apps says, to be held against what the apps say themselves. */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { decodeRecording } from '../../../src/trace/build/decode.js';
import { SampleKind } from '../../../src/trace/model/kinds.js';
import { IntervalState } from '../../../src/trace/model/trace.js';
import { stackOf } from '../stacks.js';
import type { ArtApp, Truth } from './runtime.js';
import type { Blocks, ThreadTrack, Trace } from '../../../src/trace/model/trace.js';

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
  const frames = app
    .truths('frame')
    .filter((frame) => frame.number('end') > start && frame.number('end') < start + trace.endNs)
    .slice(1);
  const slow = frames.filter((frame) => frame.number('slow') === 1).length;
  assert.ok(slow >= 2, app.output());
  const cpuMs = cpuWithin(trace, mainThread(trace), methodNamed(trace, 'sample.Jank.bindFeed')) / 1e6;
  assertBetween(cpuMs, slow * 40 * 0.85, (slow + 2) * 40 * 1.2);
}

/** Jank's frames: slow ones in their time, each a message of its own though all have the same stacks, and their sleeps. `before`: of those told when it began. */
export function assertFrames(trace: Trace, app: ArtApp, before: number): void {
  assertSlowFrames(trace, app);
  const main = mainThread(trace);
  // One may be under way.
  const messages = messagesWithin(trace, main, methodNamed(trace, 'sample.Jank.doFrame'));
  assertBetween(messages.size, 6, app.truths('frame').length - before + 1);
  const sleeps = blocksOf(trace, main, SampleKind.Sleep);
  assert.ok(sleeps.length >= 3);
  for (const { stack } of sleeps) assert.match(stack, /^java\.lang\.Thread\.sleep .*sample\.Jank\./);
}

/**
 * Startup's first message takes 10 ms of CPU time, then 20. Where one ends and the other begins is known to a sample, and on a busy machine that
 * is some milliseconds.
 */
export function assertFirstMessage(trace: Trace): void {
  const main = mainThread(trace);
  assert.ok(cpuWithin(trace, main, methodNamed(trace, 'sample.Startup.initCrashReporter')) > 0);
  const ms = cpuWithin(trace, main, methodNamed(trace, 'sample.Startup.onCreate')) / 1e6;
  assertBetween(ms, 23, 38);
}

/** Apps whose main thread waits again and again: what they say of each wait, when it ends, and whom it was for. */
export const waitingApps = [
  { app: 'Contention', truth: 'monitor', kind: SampleKind.Monitor, ends: ['end'], whom: 'owner' },
  { app: 'WaitNotify', truth: 'wait', kind: SampleKind.Wait, ends: ['end'], whom: 'waker' },
  { app: 'Parking', truth: 'park', kind: SampleKind.Park, ends: ['entered', 'end'], whom: 'waker' },
] as const;

/** On a busy machine some time passes between a wait and the app's look at the clock. */
export const near = (a: number, b: number): boolean => Math.abs(a - b) < 40e6;

/** The wait after which the app looked at the clock. */
export function endedAt(blocks: readonly Block[], time: number): Block {
  const last = blocks.findLast(({ end }) => end <= time);
  assert.ok(last && near(last.end, time), `no wait that ended at ${time}`);
  return last;
}

/** Who held the lock, or ended the wait: of each of `truths`, by the thread's number in the system. */
export function assertWaits(
  trace: Trace,
  { kind, ends, whom }: (typeof waitingApps)[number],
  truths: readonly Truth[],
): void {
  const blocks = blocksOf(trace, mainThread(trace), kind);
  for (const truth of truths)
    for (const end of ends) {
      const block = endedAt(blocks, truth.number(end));
      const owner = trace.threads.find(({ index }) => index === block.owner)?.tid;
      assert.equal(
        whom === 'owner' ? owner : block.waker,
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

interface Block {
  /** As the app's own clock has it. */
  readonly begin: number;
  readonly end: number;
  readonly type: string;
  readonly owner: number;
  /** The waker's tid, if one is known. */
  readonly waker: number | undefined;
  readonly stack: string;
}

export function blocksOf(trace: Trace, thread: ThreadTrack, kind: number): Block[] {
  const origin = Number(trace.info.startMonotonicNs);
  const { blocks }: { blocks: Blocks } = thread;
  const found: Block[] = [];
  for (let row = 0; row < blocks.count; row++) {
    if (blocks.kind[row] !== kind) continue;
    const link = blocks.link[row]!;
    const waker = link < 0 ? undefined : trace.links.waker[link];
    found.push({
      begin: origin + blocks.begin[row]!,
      end: origin + blocks.end[row]!,
      type: trace.className(blocks.type[row]!),
      owner: blocks.owner[row]!,
      waker: trace.threads.find(({ index }) => index === waker)?.tid,
      stack: stackOf(trace, blocks.path[row]!),
    });
  }
  return found;
}

export function eventsOf(trace: Trace, thread: ThreadTrack, kind: number): { type: string; stack: string }[] {
  const { events } = thread;
  return Array.from({ length: events.count }, (_, row) => row)
    .filter((row) => events.kind[row] === kind)
    .map((row) => ({ type: trace.className(events.type[row]!), stack: stackOf(trace, events.path[row]!) }));
}

/** The app reads its clock outside of what it measures, on a shared machine. */
export function assertBetween(value: number, low: number, high: number): void {
  assert.ok(value >= low && value <= high, `${value} is not between ${low} and ${high}`);
}
