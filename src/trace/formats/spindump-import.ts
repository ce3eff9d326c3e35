import { callBytes, intervalBytes } from '../assemble/budget.js';
import type { EventThread } from '../assemble/event-builder.js';
import { idIn, isTime, lineIn, numberIn } from '../assemble/number-gate.js';
import { SampledRows } from '../assemble/sampled-rows.js';
import { counted } from '../model/counted.js';
import type { Trace } from '../model/trace.js';
import { textOf } from '../recording/text.js';
import type { ImportOptions } from './importer.js';
import { LineImporter } from './line-importer.js';

/** "Steps:            49 (100ms sampling interval)" in the head of the report. */
export const spindumpSteps =
  /^(?:Steps|Num samples): +(\d+) \((\d+(?:\.\d+)?)(µs|us|ms|s) sampling interval\)/;
const mostLineBytes = 1 << 14;
const units: Readonly<Record<string, number>> = { s: 1e9, ms: 1e6, us: 1e3, µs: 1e3 };
const rowBytes = intervalBytes + callBytes;
const threadBytes = 2000;

/** A line of the tree that the next one may be below. */
interface OpenLine {
  readonly column: number;
  readonly path: number;
  /** The first step after those that the lines below it took. */
  next: number;
  readonly end: number;
}

/**
 * Reads the reports of macOS's `spindump`, also as the system writes them of hangs: for each thread of each process the tree of its
 * stacks, and the steps in which each was seen. Kernel frames are marked by "*".
 *
 * A step is a moment in which all threads were looked at. What a line was seen in, and no line below it, is its own.
 */
export class SpindumpImporter extends LineImporter {
  readonly #threads = new Map<string, EventThread>();
  #stepNs = 1e7;
  #event = '';
  #program = '';
  #targetPid = 0;
  #process = { pid: 0, name: '' };
  /** Undefined where frames are no thread's: in the heaviest stack of the head. */
  #thread: EventThread | undefined;
  #open: OpenLine[] = [];
  #rows = 0;
  #refused = 0;

  constructor(options: ImportOptions = {}) {
    super(options, 'no frame');
  }

  protected override heldBytes(): number {
    return rowBytes * this.#rows + threadBytes * this.#threads.size;
  }

  protected override line(bytes: Uint8Array, from: number, to: number): boolean {
    if (this.builder.isFull) return true;
    let at = from;
    while (at < to && (bytes[at] === 0x20 || bytes[at] === 0x2a)) at++;
    const column = at - from;
    const digits = at;
    while (at < to && isDigit(bytes[at])) at++;
    const text = textOf(bytes.subarray(digits, Math.min(to, digits + mostLineBytes)));
    const isFrame = this.#thread !== undefined && column > 0 && at > digits && bytes[at] === 0x20;
    if (isFrame) return this.#frame(column, text);
    if (column === 0) this.#field(text);
    else if (text.startsWith('Thread 0x')) this.#beginThread(text);
    else if (text.startsWith('Binary Images:')) this.#endThread();
    return true;
  }

  #field(text: string): void {
    const [, , length = '', unit = ''] = spindumpSteps.exec(text) ?? [];
    if (length !== '') {
      const ns = numberIn(length) * (units[unit] ?? 0);
      if (ns > 0 && isTime(ns)) this.#stepNs = ns;
      return;
    }
    const [, key, value = ''] = /^([A-Z][\w /]{0,40}): +(\S.*)$/.exec(text) ?? [];
    if (key === 'Process') {
      this.#endThread();
      const [, name = value, pid] = /^(.*) \[(\d+)\]$/.exec(value) ?? [];
      this.#process = { name, pid: idIn(pid) };
    } else if (key === 'Event' && this.#event === '') this.#event = value;
    else if (key === 'Command' && this.#program === '') this.#program = value;
    else if (key === 'PID' && this.#targetPid === 0) this.#targetPid = idIn(value);
  }

  /** `Thread 0x2ca9e    DispatchQueue "com.apple.main-thread"(1)    49 samples (1-49)    priority 47 …`. */
  #beginThread(text: string): void {
    this.#endThread();
    const tid = idIn(text.slice('Thread '.length).split(' ', 1)[0]);
    const name = /Thread name "([^"]*)"/.exec(text)?.[1] ?? '';
    const queue = /DispatchQueue "([^"]*)"/.exec(text)?.[1] ?? '';
    const isMain = queue === 'com.apple.main-thread';
    const { pid, name: process } = this.#process;
    const shown = isMain ? 'main' : name || queue;
    const isTarget = this.#targetPid === 0 || pid === this.#targetPid;
    const key = `${pid} ${tid}`;
    let thread = this.#threads.get(key);
    if (thread === undefined) {
      thread = this.builder.thread(tid, pid, isTarget ? shown : `${process}: ${shown}`);
      thread.sampled ??= new SampledRows(this.builder.paths);
      thread.isMain = isMain && isTarget;
      this.#threads.set(key, thread);
    }
    this.#thread = thread;
  }

  #endThread(): void {
    this.#closeTo(0);
    this.#thread = undefined;
  }

  #frame(column: number, text: string): boolean {
    const [, digits = '', frame = ''] = /^(\d+) +(\S.*)$/.exec(text) ?? [];
    const count = numberIn(digits);
    if (!isTime(count * this.#stepNs) || count === 0) return false;
    this.#closeTo(column);
    const around = this.#open.at(-1);
    const { name, file, line, steps } = frameIn(frame);
    const begin = Math.max(steps?.[0] ?? 0, around?.next ?? 1);
    let end = steps === undefined ? begin + count : steps[1] + 1;
    if (!isTime(end * this.#stepNs)) return false;
    if (end < begin) {
      this.#refused++;
      end = begin;
    }
    const method = this.names.internText(name);
    this.methods.setSource(method, file, line);
    const path = this.builder.paths.child(around?.path ?? 0, method);
    if (around !== undefined) {
      this.#emit(around.path, around.next, begin);
      around.next = end;
    }
    this.#open.push({ column, path, next: begin, end });
    return true;
  }

  /** The lines that stand at this column or further to the right have no more below them. */
  #closeTo(column: number): void {
    for (let top = this.#open.at(-1); top !== undefined && top.column >= column; top = this.#open.at(-1)) {
      this.#emit(top.path, top.next, top.end);
      this.#open.pop();
    }
  }

  #emit(path: number, from: number, to: number): void {
    const rows = this.#thread?.sampled;
    if (rows === undefined || to <= from) return;
    const last = (rows.rows.end[rows.rows.count - 1] ?? 0) / this.#stepNs;
    const begin = Math.max(from, Math.round(last));
    if (to <= begin) this.#refused++;
    else if (rows.push(begin * this.#stepNs, to * this.#stepNs, path, to - begin)) this.#rows++;
  }

  protected override trace(): Trace {
    this.#endThread();
    this.builder.retain(({ sampled }) => (sampled?.rows.count ?? 0) > 0);
    if (this.builder.threads.length === 0) this.builder.remark('There is no stack in this report');
    if (this.#refused > 0)
      this.builder.remark(
        `${counted(this.#refused, 'stack was', 'stacks were')} left out: in its time the thread had another one. ` +
          'Reports that are sorted by count have no times: make one without "-heavy"',
      );
    const ms = this.#stepNs / 1e6;
    return this.builder.finish(this.methods, {
      format: 'spindump',
      exact: false,
      pid: this.#targetPid,
      targetName: this.#program,
      modeReason: [
        `Each thread was looked at every ${ms} ms; whether it ran is not known`,
        this.#event === '' ? '' : `Why the report was made: ${this.#event}`,
      ]
        .filter((reason) => reason !== '')
        .join('. '),
    });
  }
}

const isDigit = (byte: number | undefined): boolean => byte !== undefined && byte >= 0x30 && byte <= 0x39;

interface Frame {
  readonly name: string;
  readonly file: string;
  readonly line: number;
  /** First and last of them, from 1. */
  readonly steps: readonly [number, number] | undefined;
}

/** "main + 35 (Shop.swift:31,1 in Shop + 1746) [0x10772db33] 1-49". What has no name has its image's. */
function frameIn(text: string): Frame {
  const address = text.lastIndexOf(' [0x');
  const behind = address < 0 ? 0 : Math.max(address, text.indexOf(']', address) + 1);
  // What the thread was doing may stand last: "1-49 (running)".
  const note = address >= 0 && text.endsWith(')') ? text.lastIndexOf(' (') : -1;
  const told = / (\d{1,15})(?:-(\d{1,15}))?$/.exec(text.slice(behind, note > behind ? note : undefined));
  const steps: Frame['steps'] =
    told === null ? undefined : [numberIn(told[1] ?? ''), numberIn(told[2] ?? told[1] ?? '')];
  const head = text.slice(0, address < 0 ? told?.index : address);
  const open = head.endsWith(')') ? head.lastIndexOf(' (') : -1;
  if (open < 0) return { name: head.trim(), file: '', line: 0, steps };
  const place = head.slice(open + 2, -1);
  const inImage = place.lastIndexOf(' in ');
  const [file = '', line = ''] = inImage < 0 ? [] : place.slice(0, inImage).split(':');
  const image = place.slice(inImage < 0 ? 0 : inImage + 4).split(' + ', 1)[0] ?? '';
  const name = head.slice(0, open).replace(/ \+ \d+$/, '');
  return {
    name: name === '???' ? `[${image}]` : name,
    file,
    line: lineIn(line.split(',', 1)[0]),
    steps,
  };
}
