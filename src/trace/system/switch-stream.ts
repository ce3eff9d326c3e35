/**
 * What `btrace-external --switches` writes → rows. A record is {i64 ns of CLOCK_MONOTONIC, u32 thread, u16 core, u8 kind, u8 0},
 * of all cores in order of time (native-agent/host/program_switches.h).
 *
 * Lost records leave it open what the threads did that could have been in them: of these nothing is known from where the
 * loss began to their next record. A thread that leaves a core while another one loses records may go on there. Cost: one step a record, and one a thread for each loss. Memory: a row a record, until
 * they are taken, and each thread's last record.
 */
import { isTime } from '../assemble/number-gate.js';
import { ProgramSwitchRows, SwitchKind } from './program-switches.js';

const recordBytes = 16;
const two32 = 2 ** 32;
/** Linux has no larger numbers of threads (PID_MAX_LIMIT). */
const mostTid = 2 ** 22;
/** Of a loss that is told at the end, when it is not known any more on which core it was. */
const noCore = 0xffff;
/** A thread whose events were opened twice tells each switch twice, one right after the other. */
const repeatNs = 10_000;

/** Of the stream, beyond those that become rows. */
const Told = { Ended: 3, Born: 4, Lost: 5, Allowed: 6, Begun: 7, Over: 8, Cost: 9 } as const;

interface Last {
  time: number;
  kind: number;
  core: number;
}

export class SwitchStream {
  rows = new ProgramSwitchRows();
  /** Records of threads, without repeats. */
  events = 0;
  /** Records that the kernel had no room for. */
  lost = 0;
  /** Records that cannot be true. */
  refused = 0;
  isAllowed = false;
  /** From when to when all threads were watched; NaN: not yet. */
  beginNs = NaN;
  endNs = NaN;
  /** CPU time that the other end took, told at the end. */
  costNs = 0;

  readonly #zeroLow: number;
  readonly #zeroHigh: number;
  readonly #last = new Map<number, Last>();
  readonly #lastOfCore = new Map<number, number>();
  /** Cores whose records have no room since their last one. */
  readonly #losing = new Set<number>();
  readonly #cut = new Uint8Array(recordBytes);
  #cutBytes = 0;

  /** What times count from, on the same clock. */
  constructor(zeroNs: bigint) {
    this.#zeroLow = Number(zeroNs & 0xffffffffn);
    this.#zeroHigh = Number(zeroNs >> 32n);
  }

  /** Cut anywhere. */
  append(bytes: Uint8Array): void {
    let at = 0;
    if (this.#cutBytes > 0) {
      at = Math.min(bytes.length, recordBytes - this.#cutBytes);
      this.#cut.set(bytes.subarray(0, at), this.#cutBytes);
      this.#cutBytes += at;
      if (this.#cutBytes < recordBytes) return;
      this.#read(new DataView(this.#cut.buffer), 0);
      this.#cutBytes = 0;
    }
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
    for (; at + recordBytes <= bytes.length; at += recordBytes) this.#read(view, at);
    this.#cut.set(bytes.subarray(at));
    this.#cutBytes = bytes.length - at;
  }

  /** Forgets the rows, and keeps their room for the next ones. */
  clear(): void {
    this.rows.count = 0;
  }

  /** Drops the rows that came so far: what is known begins here. */
  beginLater(): void {
    const { time, count } = this.rows;
    if (count > 0) this.beginNs = time[count - 1] as number;
    this.clear();
  }

  #read(view: DataView, at: number): void {
    const low = view.getUint32(at, true);
    const high = view.getUint32(at + 4, true);
    const time = (high - this.#zeroHigh) * two32 + (low - this.#zeroLow);
    const value = view.getUint32(at + 8, true);
    const core = view.getUint16(at + 12, true);
    const kind = view.getUint8(at + 14);
    switch (kind) {
      case Told.Allowed:
        this.isAllowed = true;
        return;
      case Told.Begun:
        this.beginNs = time;
        return;
      case Told.Over:
        this.endNs = time;
        return;
      case Told.Cost:
        this.costNs = high * two32 + low;
        return;
      case Told.Lost:
        this.lost += value;
        if (core === noCore || !isTime(time) || !isTime(this.beginNs)) return;
        if (value === 0) this.#losing.add(core);
        this.#forget(core, time);
        return;
      default:
        if (kind > Told.Born || value === 0 || value > mostTid || !isTime(time)) this.refused++;
        else this.#take(time, value, kind, core);
    }
  }

  #take(time: number, tid: number, told: number, core: number): void {
    const last = this.#last.get(tid);
    this.#lastOfCore.set(core, time);
    this.#losing.delete(core);
    const kind =
      told !== SwitchKind.In && told !== Told.Ended && this.#losing.size > 0 ? SwitchKind.Unknown : told;
    if (told === Told.Ended) {
      if (last === undefined) return; // nothing was known of it, or it is told again
      this.#last.delete(tid);
    } else if (last === undefined) {
      this.#last.set(tid, { time, kind, core });
    } else {
      if (last.kind === kind && time - last.time < repeatNs) return;
      last.time = time;
      last.kind = kind;
      last.core = core;
    }
    this.events++;
    this.rows.push(time, tid, told === Told.Ended ? SwitchKind.Unknown : kind, core);
  }

  /** `core` lost records between its last one and `time`. Threads that run on other cores cannot have been in them. */
  #forget(core: number, time: number): void {
    const since = this.#lastOfCore.get(core) ?? this.beginNs;
    this.#lastOfCore.set(core, time);
    for (const [tid, last] of this.#last) {
      if (last.kind === SwitchKind.Unknown || (last.kind === SwitchKind.In && last.core !== core)) continue;
      last.time = Math.max(last.time, since);
      last.kind = SwitchKind.Unknown;
      this.rows.push(last.time, tid, SwitchKind.Unknown, core);
    }
  }
}
