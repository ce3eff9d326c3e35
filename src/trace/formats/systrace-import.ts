import { EventBuilder } from '../assemble/event-builder.js';
import { idIn, isTime, numberIn, numberOf, wholeIn } from '../assemble/number-gate.js';
import { counted } from '../model/counted.js';
import type { Trace } from '../model/trace.js';
import { textOf } from '../recording/text.js';
import type { ImportOptions, TraceImporter } from './importer.js';
import { KernelTrace } from './kernel-trace.js';
import { LineSplitter } from './line-splitter.js';
import { NamedMethods } from './named-methods.js';
import { KernelCounter, type KernelSink, type KernelTap, SchedState } from '../system/kernel-sink.js';
import { TeeSink } from '../system/tee.js';
import { NameTable } from './names.js';

/**
 * "  name-123  (  45) [001] d..2  1234.567890: event: …": the thread, perhaps its process, CPU, flags, seconds. Clocks that count
 * no seconds have no fraction. "perf script" writes "name 123" and "sched:event".
 */
export const kernelHead =
  /^\s*(.{0,32}?)[-\s](\d+)\s+(?:\(\s*([\d-]+)\)\s+)?\[(\d+)\]\s*(?:[\w.#+]{3,8}\s+)?(\d+)(?:\.(\d{1,9}))?:\s+(?:\w+:)?(\w+):\s*/;
/** As "trace-cmd report" has it: "sh:22899 [120] S ==> sleep:22900 [120]". Names are bounded, so that a line that is made to be slow is not. */
const switchedInShort = /:(\d+) \[\d+\] (\S+) ==> (.{0,64}):(\d+) \[\d+\]$/;
/** "trace-cmd report" has "sh:22899 [120]". */
const woken = /\bpid=(\d+)|^.{0,64}?:(\d+) \[\d+\]/;
const frequency = /^state=(\d+) cpu_id=(\d+)/;
const binderSent =
  /^transaction=(\d+) dest_node=\d+ dest_proc=(\d+) dest_thread=\d+ reply=(\d) flags=0x([\da-f]{1,8})/;
const binderReceived = /^transaction=(\d+)/;
const gpuFrequency = /^state=(\d+) gpu_id=(\d+)/;
const gpuMemory = /^gpu_id=\d+ pid=(\d+) size=(\d+)/;
/** Of the process at hand alone. Newer kernels have the kind's name. */
const residentMemory = /^mm_id=\d+ curr=1 (?:member=(\d)|type=(\w+)) size=(\d+)B/;
const residentKinds = ['MM_FILEPAGES', 'MM_ANONPAGES', 'MM_SWAPENTS', 'MM_SHMEMPAGES'];
const blockedReason = /^pid=(\d+) iowait=(\d)/;
/** A file decides how many names its events have: these many are counted, the most frequent ones told. */
const maxKinds = 1000;
const maxKindsTold = 12;
/** What atrace writes, as "tracing_mark_write" in most kernels and as "0" in those that do not know its function's name. */
const prints = ['tracing_mark_write', 'print', '0'];

/**
 * Reads the kernel's trace as text, as ftrace and atrace print it and as systrace's HTML carries it: prints of programs,
 * switches and wake-ups. Lines that are nothing of the kind, such as the HTML around, are passed over.
 */
export class SystraceImporter implements TraceImporter {
  readonly #builder = new EventBuilder();
  readonly #names = new NameTable();
  readonly #methods = new NamedMethods(this.#names);
  readonly #kernel = new KernelTrace(this.#builder, this.#names, this.#methods);
  readonly #lines = new LineSplitter((bytes, from, to) => this.#line(bytes, from, to));
  readonly #encoder = new TextEncoder();
  /** Events that are not shown, by their names. */
  readonly #unread = new Map<string, number>();
  readonly #signal: AbortSignal | undefined;
  /** Whole seconds of the first event, or what its clock counts instead: times are counted from there. */
  #base: bigint | undefined;
  #countsSeconds = true;

  /** Where switches and wake-ups go, of which the core is known. */
  readonly #sink: KernelSink;
  readonly #tap: KernelTap | undefined;

  constructor(options: ImportOptions = {}) {
    this.#tap = options.kernel;
    this.#sink = options.kernel === undefined ? this.#kernel : new TeeSink(this.#kernel, options.kernel);
    this.#signal = options.signal;
    this.#builder.mostBytes = options.mostBytes ?? Infinity;
  }

  append(bytes: Uint8Array): void {
    this.#signal?.throwIfAborted();
    this.#lines.append(bytes);
    this.#builder.read(bytes.length, this.#names.memoryBytes + this.#kernel.memoryBytes);
  }

  get isPart(): boolean {
    return this.#builder.isPart;
  }

  finish(): Trace {
    this.#lines.finish();
    this.#kernel.finish();
    const unread = [...this.#unread].sort(([, a], [, b]) => b - a);
    for (const [event, count] of unread.slice(0, maxKindsTold))
      this.#builder.remark(`${counted(count, 'event was', 'events were')} not read: ${event}`);
    if (unread.length > maxKindsTold)
      this.#builder.remark(`Events of ${unread.length - maxKindsTold} more kinds were not read`);
    if (this.#base === undefined)
      this.#builder.remark('There is no event of the kernel’s trace in this file');
    const base = this.#countsSeconds ? (this.#base ?? 0n) * 1_000_000_000n : 0n;
    if (this.#tap !== undefined) this.#tap.startMonotonicNs = this.#tap.startBoottimeNs = base;
    const main = this.#builder.threads.find((thread) => thread.isMain) ?? this.#builder.threads[0];
    return this.#builder.finish(
      this.#methods,
      {
        format: 'systrace',
        pid: main?.pid ?? 0,
        targetName: this.#kernel.processNames.get(main?.pid ?? 0) ?? '',
        modeReason: this.#countsSeconds ? '' : 'The kernel’s clock counted no seconds: 1 is drawn as 1 ns',
      },
      { monotonicNs: base, boottimeNs: base },
    );
  }

  #line(bytes: Uint8Array, from: number, to: number): void {
    if (to - from > 1 << 16 || !bytes.subarray(from, to).includes(0x5b)) return;
    const text = textOf(bytes.subarray(from, to));
    const match = kernelHead.exec(text);
    if (match === null) return;
    const [whole, name = '', tidText = '', processText, coreText, count = '', fraction, event = ''] = match;
    const core = idIn(coreText);
    const tid = idIn(tidText);
    if (!isTime(numberIn(count) * (fraction === undefined ? 1 : 1e9))) {
      this.#builder.refuseNumber();
      return;
    }
    if (this.#base === undefined) {
      this.#base = wholeIn(count);
      this.#countsSeconds = fraction !== undefined;
    }
    const since = numberOf(wholeIn(count) - this.#base);
    const time = this.#countsSeconds ? since * 1e9 + numberIn((fraction ?? '').padEnd(9, '0')) : since;
    const process = idIn(processText);
    const comm = /^<(?:\.\.\.|unknown)>$/.test(name.trim()) ? '' : name.trim();
    if (tid > 0) this.#sink.nameThread(tid, comm, process, time);
    if (tid > 0 && tid === process) this.#kernel.nameProcess(process, comm, time);
    const rest = text.slice(whole.length);
    if (prints.includes(event)) {
      const printed = this.#encoder.encode(event === 'print' ? rest.replace(/^\S+: /, '') : rest);
      this.#sink.print(time, tid, printed, 0, printed.length);
    } else if (event === 'sched_switch') {
      const [, previous, state = 'S', nextName = '', next, priority] =
        switchedIn(rest) ?? switchedInShort.exec(rest) ?? [];
      if (next === undefined) return;
      const nextTid = idIn(next);
      if (nextTid > 0) this.#sink.nameThread(nextTid, nextName, 0, time);
      const known = priority === undefined ? undefined : numberIn(priority);
      this.#sink.switched(time, idIn(previous), stateNamed(state), nextTid, core, known);
    } else if (event === 'sched_waking' || event === 'sched_wakeup' || event === 'sched_wakeup_new') {
      const [, wakes, wakesInShort] = woken.exec(rest) ?? [];
      this.#sink.woken(time, idIn(wakes ?? wakesInShort), event === 'sched_waking' ? tid : 0, core);
    } else if (event === 'cpu_frequency') {
      const [, kHz, of] = frequency.exec(rest) ?? [];
      if (of !== undefined) this.#sink.frequency(time, idIn(of), idIn(kHz));
    } else if (event === 'binder_transaction') {
      const [, id, toPid, reply, flags] = binderSent.exec(rest) ?? [];
      if (flags !== undefined)
        this.#sink.binderSent?.(time, tid, idIn(id), idIn(toPid), reply === '1', idIn(`0x${flags}`));
    } else if (event === 'binder_transaction_received') {
      const id = binderReceived.exec(rest)?.[1];
      if (id !== undefined) this.#sink.binderReceived?.(time, tid, idIn(id));
    } else if (event === 'gpu_frequency') {
      const [, kHz, of] = gpuFrequency.exec(rest) ?? [];
      if (of !== undefined)
        this.#sink.counted?.(time, tid, KernelCounter.GpuFrequency, idIn(of), numberIn(kHz ?? ''));
    } else if (event === 'gpu_mem_total') {
      const [, of, size] = gpuMemory.exec(rest) ?? [];
      if (size !== undefined)
        this.#sink.counted?.(time, tid, KernelCounter.GpuMemory, idIn(of), numberIn(size));
    } else if (event === 'rss_stat') {
      const [, kind, kindByName = '', size] = residentMemory.exec(rest) ?? [];
      const of = kind === undefined ? residentKinds.indexOf(kindByName) : idIn(kind);
      if (size !== undefined && of >= 0)
        this.#sink.counted?.(time, tid, KernelCounter.ResidentMemory, of, numberIn(size));
    } else if (event === 'sched_blocked_reason') {
      const [, waiter, isDisk] = blockedReason.exec(rest) ?? [];
      if (isDisk === '1') this.#sink.waitedForDisk(time, idIn(waiter), core);
    } else if (this.#unread.size < maxKinds || this.#unread.has(event))
      this.#unread.set(event, (this.#unread.get(event) ?? 0) + 1);
  }
}

/**
 * "prev_comm=sh prev_pid=1 prev_prio=120 prev_state=S ==> next_comm=top next_pid=2 next_prio=120", as a regular expression's match
 * would be. Names may hold what stands between the others: of the fields behind a name the last ones count.
 */
function switchedIn(text: string): readonly string[] | undefined {
  const arrow = ' ==> next_comm=';
  const at = text.indexOf(arrow);
  if (at < 0) return undefined;
  const [before, after] = [text.slice(0, at), text.slice(at + arrow.length)];
  const nextAt = after.lastIndexOf(' next_pid=');
  const previous = fieldIn(before, 'prev_pid=', /^\d+(?= )/);
  const state = fieldIn(before, 'prev_state=', /^\S+$/);
  const next = fieldIn(after, ' next_pid=', /^\d+/);
  if (previous === undefined || state === undefined || next === undefined) return undefined;
  const priority = fieldIn(after, ' next_prio=', /^-?\d+/);
  const found = [text, previous, state, after.slice(0, nextAt), next];
  return priority === undefined ? found : [...found, priority];
}

function fieldIn(text: string, name: string, shape: RegExp): string | undefined {
  const at = text.lastIndexOf(name);
  return at < 0 ? undefined : shape.exec(text.slice(at + name.length))?.[0];
}

/** The kernel's letters, perhaps with a "+" or others behind. */
function stateNamed(state: string): number {
  if (state.startsWith('R')) return SchedState.Runnable;
  if (/^[XxZ]/.test(state)) return SchedState.Dead;
  return state.includes('D') ? SchedState.Uninterruptible : SchedState.Sleeping;
}
