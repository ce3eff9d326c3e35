import { EventBuilder } from '../build/event-builder.js';
import { SchedState } from '../build/schedule.js';
import type { Trace } from '../model/trace.js';
import { textOf } from '../recording/text.js';
import type { ImportOptions, TraceImporter } from './importer.js';
import { KernelTrace } from './kernel-trace.js';
import { LineSplitter } from './line-splitter.js';
import { NamedMethods } from './named-methods.js';
import { NameTable } from './names.js';

/**
 * "  name-123  (  45) [001] d..2  1234.567890: event: …": the thread, perhaps its process, CPU, flags, seconds. Clocks that count
 * no seconds have no fraction. "perf script" writes "name 123" and "sched:event".
 */
const head =
  /^\s*(.{0,32}?)[-\s](\d+)\s+(?:\(\s*([\d-]+)\)\s+)?\[(\d+)\]\s+(?:[\w.#+]{3,8}\s+)?(\d+)(?:\.(\d{1,9}))?:\s+(?:\w+:)?(\w+):\s*/;
const switched = /prev_pid=(\d+) .*?prev_state=(\S+) ==> next_comm=(.*) next_pid=(\d+)/;
/** As "trace-cmd report" has it: "sh:22899 [120] S ==> sleep:22900 [120]". Names are bounded, so that a line that is made to be slow is not. */
const switchedInShort = /:(\d+) \[\d+\] (\S+) ==> (.{0,64}):(\d+) \[\d+\]$/;
/** "trace-cmd report" has "sh:22899 [120]". */
const woken = /\bpid=(\d+)|^.{0,64}?:(\d+) \[\d+\]/;
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
  readonly #kernel = new KernelTrace(this.#builder, this.#names);
  readonly #lines = new LineSplitter((bytes, from, to) => this.#line(bytes, from, to));
  readonly #encoder = new TextEncoder();
  readonly #signal: AbortSignal | undefined;
  /** Whole seconds of the first event, or what its clock counts instead: times are counted from there. */
  #base: bigint | undefined;
  #countsSeconds = true;

  constructor(options: ImportOptions = {}) {
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
    if (this.#base === undefined)
      this.#builder.remark('There is no event of the kernel’s trace in this file');
    const base = this.#countsSeconds ? (this.#base ?? 0n) * 1_000_000_000n : 0n;
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
    const match = head.exec(text);
    if (match === null) return;
    const [whole, name = '', tidText = '', processText, , count = '', fraction, event = ''] = match;
    const tid = Number(tidText);
    if (this.#base === undefined) {
      this.#base = BigInt(count);
      this.#countsSeconds = fraction !== undefined;
    }
    const since = Number(BigInt(count) - this.#base);
    const time = this.#countsSeconds ? since * 1e9 + Number((fraction ?? '').padEnd(9, '0')) : since;
    const process = Number(processText ?? 0) || 0;
    const comm = name.trim() === '<...>' ? '' : name.trim();
    if (tid > 0) this.#kernel.nameThread(tid, comm, process, time);
    if (tid > 0 && tid === process) this.#kernel.nameProcess(process, comm, time);
    const rest = text.slice(whole.length);
    if (prints.includes(event)) {
      const printed = this.#encoder.encode(event === 'print' ? rest.replace(/^\S+: /, '') : rest);
      this.#kernel.print(time, tid, printed, 0, printed.length);
    } else if (event === 'sched_switch') {
      const [, previous, state = 'S', nextName = '', next] =
        switched.exec(rest) ?? switchedInShort.exec(rest) ?? [];
      if (next === undefined) return;
      if (Number(next) > 0) this.#kernel.nameThread(Number(next), nextName, 0, time);
      this.#kernel.switched(time, Number(previous), stateNamed(state), Number(next));
    } else if (event === 'sched_waking' || event === 'sched_wakeup' || event === 'sched_wakeup_new') {
      const [, wakes, wakesInShort] = woken.exec(rest) ?? [];
      this.#kernel.woken(time, Number(wakes ?? wakesInShort ?? 0), event === 'sched_waking' ? tid : 0);
    }
  }
}

/** The kernel's letters, perhaps with a "+" or others behind. */
function stateNamed(state: string): number {
  if (state.startsWith('R')) return SchedState.Runnable;
  if (/^[XxZ]/.test(state)) return SchedState.Dead;
  return state.includes('D') ? SchedState.Uninterruptible : SchedState.Sleeping;
}
