/** The virtual threads that one thread of synth.ts carries in turns: who is off it until when, and their waits, as rows. */
import { SampleFlag } from '../model/kinds.js';
import { type OffCarrierWaitRows } from '../recording/off-carrier-waits.js';

export interface SynthVirtualThread {
  readonly id: number;
  /** True times: on its carrier, and waiting off it. */
  wall: number;
  cpu: number;
  waited: number;
  waits: number;
  /** Where it goes on. */
  path: number;
  /** From when on it can. */
  readyNs: number;
  /** When it left its carrier, −1 before it began; and in which stack it waits. */
  leftNs: number;
  node: number;
}

interface Row {
  readonly id: number;
  readonly begin: number;
  readonly duration: number;
  readonly stack: number;
  readonly flags: number;
}

export class SynthCarried {
  readonly threads: readonly SynthVirtualThread[];
  /** All but the one that is on the carrier. */
  readonly #away: SynthVirtualThread[];
  #rows: Row[] = [];
  readonly #carrier: number;

  /** All begin at `entry`, one after the other. */
  constructor(carrier: number, ids: readonly number[], entry: number) {
    this.#carrier = carrier;

    const still = { wall: 0, cpu: 0, waited: 0, waits: 0 };
    this.threads = ids.map((id) => ({ id, ...still, path: entry, readyNs: 0, leftNs: -1, node: 0 }));
    this.#away = [...this.threads];
  }

  /** It leaves the carrier, to wait in the stack `node`. */
  leave(thread: SynthVirtualThread, nowNs: number, lasts: number, node: number): void {
    thread.leftNs = nowNs;
    thread.readyNs = nowNs + lasts;
    thread.node = node;
    this.#away.push(thread);
  }

  /** When the next one can go on. */
  get readyNs(): number {
    return this.#away.reduce((least, { readyNs }) => Math.min(least, readyNs), Infinity);
  }

  /** That one comes back to the carrier. A wait lasts until then, however long the carrier had others to run. */
  mount(nowNs: number): SynthVirtualThread {
    const { readyNs } = this;
    const at = this.#away.findIndex((thread) => thread.readyNs === readyNs);
    const [thread] = this.#away.splice(at, 1) as [SynthVirtualThread];
    this.#note(thread, nowNs, 0);
    return thread;
  }

  /** The recording ends. */
  end(endNs: number): void {
    for (const thread of this.#away) this.#note(thread, endNs, SampleFlag.OpenWait);
  }

  /** Waits that have ended since the last time. */
  takeRows(): OffCarrierWaitRows {
    const rows = this.#rows;
    const carrier = this.#carrier;
    this.#rows = [];
    return {
      thread: rows.map(() => carrier),
      id: rows.map(({ id }) => id),
      begin: rows.map(({ begin }) => begin),
      duration: rows.map(({ duration }) => duration),
      stack: rows.map(({ stack }) => stack),
      flags: rows.map(({ flags }) => flags),
    };
  }

  #note(thread: SynthVirtualThread, nowNs: number, flags: number): void {
    const { id, leftNs, node } = thread;
    if (leftNs < 0) return;
    const duration = nowNs - leftNs;
    thread.waited += duration;
    thread.waits++;
    this.#rows.push({ id, begin: leftNs, duration, stack: node, flags });
  }
}
