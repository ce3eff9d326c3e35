import { isLength } from '../../assemble/number-gate.js';
import type { PerfWords } from './perf-words.js';

/** Bits of perf_event_attr.sample_type. */
const Holds = {
  ip: 1 << 0,
  tid: 1 << 1,
  time: 1 << 2,
  address: 1 << 3,
  read: 1 << 4,
  callchain: 1 << 5,
  id: 1 << 6,
  cpu: 1 << 7,
  period: 1 << 8,
  streamId: 1 << 9,
  userStack: 1 << 13,
  identifier: 1 << 16,
} as const;
/** Bits of perf_event_attr.read_format. */
const Read = { enabled: 1, running: 2, id: 4, group: 8, lost: 16 } as const;
const isFrequency = 1 << 10;
const hasTrailers = 1 << 18;
/** perf_event_attr up to its flags. */
const leastBytes = 48;

const hardware: readonly string[] = [
  ...['cycles', 'instructions', 'cache-references', 'cache-misses', 'branches', 'branch-misses'],
  ...['bus-cycles', 'stalled-cycles-frontend', 'stalled-cycles-backend', 'ref-cycles'],
];
const software: readonly string[] = [
  ...['cpu-clock', 'task-clock', 'page-faults', 'context-switches', 'cpu-migrations', 'minor-faults'],
  ...['major-faults', 'alignment-faults', 'emulation-faults', 'dummy', 'bpf-output', 'cgroup-switches'],
];

/** A place within a sample; −1 where the samples do not have it. */
interface Places {
  readonly ip: number;
  readonly tid: number;
  readonly time: number;
  readonly id: number;
  /** Of what follows the parts of fixed length. */
  readonly rest: number;
}

/** An event that was recorded: how its samples are laid out, and what it is called. */
export class PerfEvent {
  readonly ids: number[] = [];
  name: string;
  /** In ns, where the event counts time; else NaN. */
  readonly intervalNs: number;
  readonly #sampleType: number;
  readonly #readFormat: number;
  readonly #hasTrailers: boolean;
  readonly #at: Places;

  /** `at`: of a perf_event_attr. */
  constructor(words: PerfWords, at: number) {
    const kind = words.u32(at);
    const config = words.u64(at + 8);
    const period = words.u64(at + 16);
    const flags = words.u32(at + 40);
    this.#sampleType = words.u32(at + 24);
    this.#readFormat = words.u32(at + 32);
    this.#hasTrailers = (flags & hasTrailers) !== 0;
    const known = kind === 0 ? hardware[config & 0xff] : kind === 1 ? software[config] : undefined;
    this.name = known ?? (kind === 2 ? `tracepoint ${config}` : `event ${kind}:0x${config.toString(16)}`);
    const isClock = kind === 1 && config < 2;
    const interval = (flags & isFrequency) !== 0 ? 1e9 / period : period;
    this.intervalNs = isClock && interval >= 1 && isLength(interval) ? interval : NaN;
    this.#at = this.#places();
  }

  static isWhole(words: PerfWords, at: number, to: number): boolean {
    const size = words.u32(at + 4);
    return size >= leastBytes && at + size <= to;
  }

  #has(bit: number): boolean {
    return (this.#sampleType & bit) !== 0;
  }

  #places(): Places {
    let next = 0;
    const word = (bit: number): number => {
      if (!this.#has(bit)) return -1;
      next += 8;
      return next - 8;
    };
    const identifier = word(Holds.identifier);
    const [ip, tid, time] = [word(Holds.ip), word(Holds.tid), word(Holds.time)];
    word(Holds.address);
    const id = word(Holds.id);
    for (const bit of [Holds.streamId, Holds.cpu, Holds.period]) word(bit);
    return { ip, tid, time, id: identifier >= 0 ? identifier : id, rest: next };
  }

  /** Where stacks have to be made from copies of the stack's memory. */
  get hasUserStacks(): boolean {
    return this.#has(Holds.userStack);
  }

  get hasThreads(): boolean {
    return this.#at.tid >= 0;
  }

  /** Where the id of the event is in a sample's body; −1 where samples do not have it. */
  get idAt(): number {
    return this.#at.id;
  }

  /** Of a sample whose body begins at `at`; 0 where samples have none. */
  ip(words: PerfWords, at: number): number {
    return this.#at.ip < 0 ? 0 : words.i64(at + this.#at.ip);
  }

  pid(words: PerfWords, at: number): number {
    return words.i32(at + this.#at.tid);
  }

  tid(words: PerfWords, at: number): number {
    return words.i32(at + this.#at.tid + 4);
  }

  /** Where the time of a sample is; −1 where samples have none. */
  timeAt(at: number): number {
    return this.#at.time < 0 ? -1 : at + this.#at.time;
  }

  /** Where the count of a sample's addresses is; −1 where there are none within its body, which ends at `to`. */
  callchainAt(words: PerfWords, at: number, to: number): number {
    if (!this.#has(Holds.callchain)) return -1;
    let next = at + this.#at.rest;
    if (this.#has(Holds.read)) {
      const format = this.#readFormat;
      const each = 8 + ((format & Read.id) === 0 ? 0 : 8) + ((format & Read.lost) === 0 ? 0 : 8);
      const times = ((format & Read.enabled) === 0 ? 0 : 8) + ((format & Read.running) === 0 ? 0 : 8);
      next += (format & Read.group) === 0 ? each + times : 8 + times + each * words.u64(next);
    }
    return next + 8 <= to ? next : -1;
  }

  /** Where the time of another record than a sample is, which ends at `to`; −1 where it has none. */
  trailerTimeAt(to: number): number {
    if (!this.#hasTrailers || !this.#has(Holds.time)) return -1;
    let behind = 8;
    for (const bit of [Holds.id, Holds.streamId, Holds.cpu, Holds.identifier])
      if (this.#has(bit)) behind += 8;
    return to - behind;
  }
}
