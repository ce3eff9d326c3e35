/** What the program `truth/` wrote down: its lines, and sums of them over a stretch of time. Times are CLOCK_MONOTONIC ns. */
import { readFileSync } from 'node:fs';

export interface Slice {
  readonly thread: string;
  readonly method: string;
  readonly begin: number;
  readonly end: number;
  readonly cpuNs: number;
}

export interface Wait {
  readonly thread: string;
  /** "MONITOR", "WAIT", "PARK", "SLEEP". */
  readonly kind: string;
  readonly begin: number;
  readonly end: number;
  /** The thread that ended it; "-" for nobody. */
  readonly by: string;
}

export interface Amount {
  readonly thread: string;
  readonly begin: number;
  readonly end: number;
  readonly amount: number;
}

function overlap(one: { readonly begin: number; readonly end: number }, begin: number, end: number): number {
  const length = one.end - one.begin;
  const common = Math.min(one.end, end) - Math.max(one.begin, begin);
  return common <= 0 ? 0 : length > 0 ? common / length : 1;
}

/** What a virtual thread did at a turn, in units that cost the same. */
export interface Turn {
  readonly thread: string;
  readonly id: number;
  readonly begin: number;
  readonly end: number;
  readonly units: number;
}

export class Truth {
  readonly slices: Slice[] = [];
  readonly waits: Wait[] = [];
  readonly turns: Turn[] = [];
  readonly allocated: Amount[] = [];
  readonly classes: Amount[] = [];
  readonly faulted: Amount[] = [];

  constructor(file: string) {
    for (const line of readFileSync(file, 'utf8').split('\n')) {
      const [what, thread = '', ...rest] = line.split(' ');
      const number = (at: number) => Number(rest[at]);
      if (what === 'slice') {
        const cpuNs = number(4) - number(3);
        this.slices.push({ thread, method: rest[0]!, begin: number(1), end: number(2), cpuNs });
      } else if (what === 'wait') {
        this.waits.push({ thread, kind: rest[0]!, begin: number(1), end: number(2), by: rest[3]! });
      } else if (what === 'worked') {
        this.turns.push({ thread, begin: number(0), end: number(1), id: number(2), units: number(3) });
      } else if (what === 'allocated' || what === 'classes' || what === 'faulted') {
        this[what].push({ thread, begin: number(0), end: number(1), amount: number(2) });
      }
    }
  }

  /** CPU ns of a thread in each method within [begin, end]; a slice that is cut counts by the share that is inside. */
  cpuByMethod(thread: string, begin: number, end: number): Map<string, number> {
    const sums = new Map<string, number>();
    for (const slice of this.slices) {
      if (slice.thread !== thread) continue;
      const cpu = slice.cpuNs * overlap(slice, begin, end);
      if (cpu > 0) sums.set(slice.method, (sums.get(slice.method) ?? 0) + cpu);
    }
    return sums;
  }

  waitsOf(thread: string, kind: string, begin: number, end: number): Wait[] {
    return this.waits.filter(
      (wait) => wait.thread === thread && wait.kind === kind && wait.begin >= begin && wait.end <= end,
    );
  }

  /** Units of each virtual thread within [begin, end], by its id. */
  unitsById(begin: number, end: number): Map<number, number> {
    const sums = new Map<number, number>();
    for (const turn of this.turns) {
      const units = turn.units * overlap(turn, begin, end);
      if (units > 0) sums.set(turn.id, (sums.get(turn.id) ?? 0) + units);
    }
    return sums;
  }

  amount(of: 'allocated' | 'classes' | 'faulted', begin: number, end: number): number {
    return this[of].reduce((sum, one) => sum + one.amount * overlap(one, begin, end), 0);
  }
}
