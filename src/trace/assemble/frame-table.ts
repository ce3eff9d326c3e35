/** Frames of apps with their deadlines, as Android 12 and newer record them. 40 bytes a frame. */
import type { Frames } from '../model/trace.js';
import type { FrameSink, FrameStarted } from '../system/frame-rows.js';
import { grown } from './grow.js';
import { idOr0, isTime } from './number-gate.js';

/** A frame whose end is lost has none: it lasts no longer than this. */
const none = NaN;

export class FrameTable implements Frames, FrameSink {
  count = 0;
  begin = new Float64Array(16);
  end = new Float64Array(16);
  deadline = new Float64Array(16);
  pid = new Int32Array(16);
  token = new Float64Array(16);
  jank = new Uint16Array(16);
  /** Starts whose ends have not come, by cookie: rows of frames; of expected ones their keys. */
  readonly #open = new Map<number, number>();
  readonly #expectedOpen = new Map<number, string>();
  readonly #deadlines = new Map<string, number>();

  get memoryBytes(): number {
    return 40 * this.count + 150 * (this.#open.size + this.#expectedOpen.size + this.#deadlines.size);
  }

  start(time: number, { cookie, pid, token, jank }: FrameStarted): boolean {
    if (!isTime(time)) return false;
    const row = this.count++;
    if (row === this.begin.length) this.#grow();
    this.begin[row] = time;
    this.end[row] = this.deadline[row] = none;
    this.pid[row] = pid;
    this.token[row] = idOr0(token);
    this.jank[row] = jank;
    this.#open.set(cookie, row);
    return true;
  }

  expect(time: number, { cookie, pid, token }: FrameStarted): boolean {
    if (!isTime(time)) return false;
    this.#expectedOpen.set(cookie, `${pid} ${idOr0(token)}`);
    return true;
  }

  finishOne(time: number, cookie: number): boolean {
    if (!isTime(time)) return false;
    const row = this.#open.get(cookie);
    const expected = this.#expectedOpen.get(cookie);
    if (row !== undefined) this.end[row] = time;
    if (expected !== undefined) this.#deadlines.set(expected, time);
    this.#open.delete(cookie);
    this.#expectedOpen.delete(cookie);
    return true;
  }

  /** Gives each frame its deadline, and leaves out those without an end, and of processes that are not shown. */
  finish(processes: ReadonlySet<number>): void {
    let kept = 0;
    for (let row = 0; row < this.count; row++) {
      const [begin, end, pid] = [this.begin[row] as number, this.end[row] as number, this.pid[row] as number];
      if (!(end >= begin) || !processes.has(pid)) continue;
      const token = this.token[row] as number;
      this.begin[kept] = begin;
      this.end[kept] = end;
      this.deadline[kept] = this.#deadlines.get(`${pid} ${token}`) ?? none;
      this.pid[kept] = pid;
      this.token[kept] = token;
      this.jank[kept] = this.jank[row] as number;
      kept++;
    }
    this.count = kept;
    for (const map of [this.#open, this.#expectedOpen, this.#deadlines]) map.clear();
  }

  /** Of those that are left after `finish`. */
  eachTime(see: (time: number) => void): void {
    for (let row = 0; row < this.count; row++) {
      see(this.begin[row] as number);
      see(this.end[row] as number);
    }
  }

  /** Lets times count from `first`. */
  shift(first: number): void {
    for (const column of [this.begin, this.end, this.deadline])
      for (let row = 0; row < this.count; row++) column[row] = (column[row] as number) - first;
  }

  #grow(): void {
    const size = this.begin.length * 2;
    this.begin = grown(this.begin, size);
    this.end = grown(this.end, size);
    this.deadline = grown(this.deadline, size);
    this.pid = grown(this.pid, size);
    this.token = grown(this.token, size);
    this.jank = grown(this.jank, size);
  }
}
