/** What a recording has of the kernel's scheduler, appended as it comes. */
import { counted } from '../model/counted.js';
import { type Frames, type SystemTask, type SystemTrace, type Trace } from '../model/trace.js';
import {
  mostCountersLeftOut,
  ProgramSwitchReader,
  SwitchReader,
  type System,
  WakeReader,
} from '../recording/scheduling.js';
import { FrameReader } from '../recording/system-events.js';
import { FrameMoment, FrameRows } from '../system/frame-rows.js';
import { SwitchRows, WakeRows } from '../system/kernel-events.js';
import { mostStoredPriority } from '../system/kernel-sink.js';
import { mostSwitchKind, programSwitchesSource, tellSwitch } from '../system/program-switches.js';
import { type ThreadStates, threadStates } from '../system/thread-states.js';
import { FrameTable } from './frame-table.js';
import { isTime } from './number-gate.js';
import { SectionTable } from './section-table.js';

const mostTasks = 2 ** 20;
const mostTid = 2 ** 31 - 1;
const mostCore = 2 ** 16 - 1;
const mostState = 5;
const mostKHz = 2 ** 32 - 1;
const mostJank = 2 ** 16 - 1;

const isIn = (value: number, least: number, most: number): boolean => value >= least && value <= most;

export class SystemTable implements SystemTrace {
  source = '';
  clock = '';
  offsetNs = 0;
  errorNs = 0;
  lost = 0;
  cores = 0;
  beginNs = 0;
  endNs = 0;
  readerNs = 0;
  marks = 0;
  #countersLeftOut = 0;
  readonly #switches = new SwitchRows();
  readonly #wakes = new WakeRows();
  readonly #diskWaits = new WakeRows();
  readonly frequencies = { time: [] as number[], core: [] as number[], kHz: [] as number[] };
  readonly #sections = new SectionTable();
  #made: { readonly rows: number; readonly trace: Trace } | undefined;
  readonly #frameRows = new FrameRows();
  #frames: { readonly rows: number; readonly pid: number; readonly table: FrameTable } | undefined;
  #refused = 0;
  /** Chunks that are decoded when their events are first asked for. */
  #later: (() => void)[] = [];
  /** Whether any of these may have sections. */
  #hasSectionsLater = false;
  readonly #tasks = new Map<number, SystemTask>();
  #states: { readonly rows: number; readonly of: Map<number, ThreadStates> } | undefined;
  readonly #switchReader = new SwitchReader();
  readonly #wakeReader = new WakeReader();
  readonly #frameReader = new FrameReader();
  readonly #programSwitchReader = new ProgramSwitchReader();
  readonly #programSink = {
    switched: (time: number, previous: number, state: number, next: number, core: number): void =>
      this.#switches.push(time, previous, state, next, core, 0),
    woken: (time: number, tid: number, waker: number, core: number): void =>
      this.#wakes.push(time, tid, waker, core),
  };

  get isOfProgram(): boolean {
    return this.source === programSwitchesSource;
  }

  /** Rows that cannot be true. */
  get refused(): number {
    return this.#refused + this.#sections.refused;
  }

  /** What the recording lacks of the system's trace, in words. */
  problems(): string[] {
    const left = this.#countersLeftOut;
    if (left === 0) return [];
    const more = left < mostCountersLeftOut ? '' : 'at least ';
    const counters = counted(left, 'counter of the system’s trace is', 'counters of the system’s trace are');
    return [`${more}${counters} not in the recording, which takes those that come first`];
  }

  get hasEvents(): boolean {
    return this.#later.length > 0 || this.#switches.count > 0;
  }

  get switches(): SwitchRows {
    this.#decode();
    return this.#switches;
  }

  get wakes(): WakeRows {
    this.#decode();
    return this.#wakes;
  }

  get diskWaits(): WakeRows {
    this.#decode();
    return this.#diskWaits;
  }

  get hasSections(): boolean {
    return this.#hasSectionsLater || this.#sections.count > 0;
  }

  get sections(): Trace | undefined {
    this.#decode();
    const rows = this.#sections.count;
    if (rows === 0) return undefined;
    if (this.#made?.rows !== rows)
      this.#made = { rows, trace: this.#sections.trace((tid) => this.task(tid)) };
    return this.#made.trace;
  }

  get sectionRows(): SystemTrace['sectionRows'] {
    this.#decode();
    return this.#sections.count === 0 ? undefined : this.#sections;
  }

  get frameRows(): FrameRows | undefined {
    this.#decode();
    return this.#frameRows.count === 0 ? undefined : this.#frameRows;
  }

  frames(pid: number): Frames | undefined {
    const rows = this.frameRows;
    if (rows === undefined) return undefined;
    if (this.#frames?.rows !== rows.count || this.#frames.pid !== pid) {
      const table = new FrameTable();
      rows.replay(table);
      table.finish(new Set([pid]));
      this.#frames = { rows: rows.count, pid, table };
    }
    const { table } = this.#frames;
    return table.count === 0 ? undefined : table;
  }

  later(decode: () => void, hasSections: boolean): void {
    this.#later.push(decode);
    this.#hasSectionsLater ||= hasSections;
  }

  #decode(): void {
    const waiting = this.#later;
    if (waiting.length === 0) return;
    this.#later = [];
    this.#hasSectionsLater = false;
    for (const decode of waiting) decode();
  }

  task(tid: number): SystemTask | undefined {
    return this.#tasks.get(tid);
  }

  describe(system: System): void {
    if (system.source !== '') this.source = system.source;
    if (system.clock !== '') this.clock = system.clock;
    for (const name of ['offsetNs', 'errorNs', 'beginNs', 'endNs', 'readerNs', 'lost', 'marks'] as const)
      if (!isTime(system[name])) this.#refused++;
      else if (system[name] !== 0) this[name] = system[name];
    if (system.countersLeftOut !== 0) this.#countersLeftOut = system.countersLeftOut;
    if (system.cores > mostCore + 1) this.#refused++;
    else if (system.cores !== 0) this.cores = system.cores;
    for (const { tid, pid, name } of system.tasks) {
      const before = this.#tasks.get(tid);
      if (before === undefined && this.#tasks.size >= mostTasks) break;
      this.#tasks.set(tid, { pid: pid || (before?.pid ?? 0), name: name || (before?.name ?? '') });
    }
    const rows = Math.min(
      system.frequencyTime.length,
      system.frequencyCore.length,
      system.frequencyKhz.length,
    );
    let [time, core, kHz] = [0, 0, 0];
    for (let row = 0; row < rows; row++) {
      time += system.frequencyTime[row] as number;
      core += system.frequencyCore[row] as number;
      kHz += system.frequencyKhz[row] as number;
      if (!isTime(time) || !isIn(core, 0, mostCore) || !isIn(kHz, 0, mostKHz)) {
        this.#refused++;
        continue;
      }
      this.frequencies.time.push(time);
      this.frequencies.core.push(core);
      this.frequencies.kHz.push(kHz);
    }
  }

  /**
   * These take a message each; `spend` is told of rows before they are kept. They return what is wrong with the message, or
   * nothing.
   */
  takeSwitches(payload: Uint8Array, spend: (rows: number) => void): string {
    let last = 0;
    return this.#switchReader.eachSlice(payload, (rows) => {
      spend(rows);
      last = this.#takeSwitchRows(rows, last);
    });
  }

  takeWakes(payload: Uint8Array, spend: (rows: number) => void): string {
    return this.#wakeReader.eachSlice(payload, (rows) => {
      spend(rows);
      this.#takeWakeRows(rows);
    });
  }

  takeProgramSwitches(payload: Uint8Array, spend: (rows: number) => void): string {
    const { time, tid, kind, core } = this.#programSwitchReader.columns;
    return this.#programSwitchReader.eachSlice(payload, (rows) => {
      spend(rows);
      for (let row = 0; row < rows; row++) {
        const isTrue =
          isTime(time[row] as number) &&
          isIn(tid[row] as number, 1, mostTid) &&
          isIn(kind[row] as number, 0, mostSwitchKind) &&
          isIn(core[row] as number, 0, mostCore);
        if (isTrue)
          tellSwitch(
            this.#programSink,
            time[row] as number,
            tid[row] as number,
            kind[row] as number,
            core[row] as number,
          );
        else this.#refused++;
      }
    });
  }

  takeSystemEvents(payload: Uint8Array, spend: (rows: number) => void): string {
    const damage = this.#sections.take(payload, spend);
    const frameDamage = this.#frameReader.eachSlice(payload, (rows) => {
      spend(rows);
      this.#takeFrameRows(rows);
    });
    return damage || frameDamage;
  }

  #takeFrameRows(rows: number): void {
    const { time, moment, cookie, pid, token, displayToken, jank } = this.#frameReader.columns;
    for (let row = 0; row < rows; row++) {
      const isTrue =
        isIn(moment[row] as number, FrameMoment.Started, FrameMoment.Ended) &&
        isIn(pid[row] as number, 0, mostTid) &&
        isIn(jank[row] as number, 0, mostJank) &&
        this.#frameRows.push(time[row] as number, moment[row] as number, {
          cookie: cookie[row] as number,
          pid: pid[row] as number,
          token: token[row] as number,
          displayToken: displayToken[row] as number,
          jank: jank[row] as number,
        });
      if (!isTrue) this.#refused++;
    }
  }

  /** `last`: whom the row before switched to. Returns the same of the last row. */
  #takeSwitchRows(rows: number, last: number): number {
    const { time, next, previous, state, core, priority } = this.#switchReader.columns;
    const switches = this.#switches;
    for (let row = 0; row < rows; row++) {
      const from = last + (previous[row] as number);
      const to = next[row] as number;
      const at = time[row] as number;
      last = to;
      const isTrue =
        isTime(at) &&
        isIn(from, 0, mostTid) &&
        isIn(to, 0, mostTid) &&
        isIn(state[row] as number, 0, mostState) &&
        isIn(core[row] as number, 0, mostCore) &&
        isIn(priority[row] as number, 0, mostStoredPriority);
      if (isTrue)
        switches.push(at, from, state[row] as number, to, core[row] as number, priority[row] as number);
      else this.#refused++;
    }
    return last;
  }

  #takeWakeRows(rows: number): void {
    const { time, tid, waker, core, disk } = this.#wakeReader.columns;
    for (let row = 0; row < rows; row++) {
      const isTrue =
        isTime(time[row] as number) &&
        isIn(tid[row] as number, 0, mostTid) &&
        isIn(waker[row] as number, -1, mostTid) &&
        isIn(core[row] as number, 0, mostCore);
      if (!isTrue) {
        this.#refused++;
        continue;
      }
      const into = disk[row] === 0 ? this.#wakes : this.#diskWaits;
      into.push(time[row] as number, tid[row] as number, waker[row] as number, core[row] as number);
    }
  }

  /** All switches of the program's threads are there from the begin on: one that then leaves a core was on it since. */
  #ranAt(tids: readonly number[]): ReadonlyMap<number, number> | undefined {
    return this.isOfProgram && this.lost === 0 ? new Map(tids.map((tid) => [tid, this.beginNs])) : undefined;
  }

  /** Built when somebody asks, for all of these threads at once. */
  states(tids: Iterable<number>): ReadonlyMap<number, ThreadStates> {
    const rows = this.switches.count + this.wakes.count + this.diskWaits.count;
    if (this.#states?.rows !== rows) {
      const all = [...tids];
      const of = threadStates(this.switches, this.wakes, this.diskWaits, all, this.endNs, this.#ranAt(all));
      this.#states = { rows, of };
    }
    return this.#states.of;
  }
}
