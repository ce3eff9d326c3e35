import type { ChunkHead } from './jfr-chunk.js';
import type { JfrPools } from './jfr-pools.js';
import type { JfrStacks } from './jfr-stacks.js';
import type { JfrType, JfrTypes } from './jfr-types.js';
import type { JfrValues } from './jfr-values.js';

const two32 = 4294967296;

/** Fields of events that are read, by name. */
const fieldNames = [
  ...(['startTime', 'duration', 'eventThread', 'sampledThread', 'stackTrace', 'state'] as const),
  ...(['samples', 'samplingPeriod', 'monitorClass', 'parkedClass', 'previousOwner', 'address'] as const),
  ...(['weight', 'tlabSize', 'allocationSize', 'gcId', 'name', 'cause', 'thread', 'parentThread'] as const),
  ...([
    'jvmUser',
    'jvmSystem',
    'machineTotal',
    'heapUsed',
    'javaArguments',
    'jvmName',
    'jvmVersion',
  ] as const),
  ...(['pid', 'osVersion', 'id', 'value'] as const),
] as const;
export type FieldName = (typeof fieldNames)[number];
const slots = new Map<string, number>(fieldNames.map((name, slot) => [name, slot]));
const slotOf = (name: FieldName): number => slots.get(name) ?? 0;
const startTime = slotOf('startTime');
const duration = slotOf('duration');
const stackTrace = slotOf('stackTrace');

/** Packages of event types that are read. */
const known = /^(?:jdk|profiler)\.[A-Z]\w*$/;

/** What is known of a type of events: which slot each field goes to, −1 for none. */
interface Plan {
  readonly slots: readonly number[];
  readonly typeIds: Float64Array;
  readonly isInPool: Uint8Array;
}

/** One event at a time: the numbers of its fields, in slots. Makes no object for an event. */
export class JfrEvents {
  readonly #types: JfrTypes;
  readonly #pools: JfrPools;
  readonly #stacks: JfrStacks;
  readonly #head: ChunkHead;
  readonly #chunkNs: number;
  readonly #plans = new Map<JfrType, Plan | undefined>();
  readonly #numbers = new Float64Array(fieldNames.length);
  #plan: Plan | undefined;

  /** `chunkNs`: where the chunk begins, in the trace's time. */
  constructor(types: JfrTypes, pools: JfrPools, stacks: JfrStacks, head: ChunkHead, chunkNs: number) {
    this.#types = types;
    this.#pools = pools;
    this.#stacks = stacks;
    this.#head = head;
    this.#chunkNs = chunkNs;
  }

  /** Reads the fields of an event. False for one of a type that nobody asks for. */
  read(values: JfrValues, type: JfrType): boolean {
    if (!this.#plans.has(type)) this.#plans.set(type, this.#planOf(type));
    const plan = this.#plans.get(type);
    if (plan === undefined) return false;
    this.#plan = plan;
    const numbers = this.#numbers.fill(NaN);
    for (let at = 0; at < type.fields.length && !values.isBroken(); at++) {
      const field = type.fields[at];
      if (field === undefined) break;
      const slot = plan.slots[at] ?? -1;
      if (slot < 0) this.#types.skip(values, field);
      else {
        const number = this.#types.number(values, field);
        // Ticks may be more than a double holds: their distance to the chunk's is not.
        numbers[slot] =
          slot === startTime
            ? ((values.high - this.#head.startTicksHigh) | 0) * two32 +
              (values.low - this.#head.startTicksLow)
            : number;
      }
    }
    return true;
  }

  number(name: FieldName): number {
    return this.#numbers[slotOf(name)] ?? NaN;
  }

  /** The type of a field, for the pool that its constant is in. */
  typeOf(name: FieldName): number {
    return this.#plan?.typeIds[slotOf(name)] ?? -1;
  }

  typeNamed(id: number): JfrType | undefined {
    return this.#types.get(id);
  }

  get time(): number {
    return this.#chunkNs + Math.round((this.#numbers[startTime] ?? NaN) * this.#head.nsPerTick);
  }

  get duration(): number {
    return this.ticks(this.#numbers[duration] ?? NaN);
  }

  /** A length of ticks in ns. */
  ticks(count: number): number {
    return Math.round(count * this.#head.nsPerTick);
  }

  text(name: FieldName): string {
    const slot = slotOf(name);
    const number = this.#numbers[slot] ?? NaN;
    if (Number.isNaN(number)) return '';
    return this.#plan?.isInPool[slot] === 1
      ? this.#pools.text(this.typeOf(name), number)
      : this.#pools.textAt(number);
  }

  /** The node of its stack, 0 where it has none. */
  stack(): number {
    const id = this.#numbers[stackTrace] ?? NaN;
    return id > 0 ? this.#stacks.node(this.typeOf('stackTrace'), id) : 0;
  }

  #planOf(type: JfrType): Plan | undefined {
    if (!known.test(type.name)) return undefined;
    const typeIds = new Float64Array(fieldNames.length).fill(-1);
    const isInPool = new Uint8Array(fieldNames.length);
    const planned = type.fields.map((field) => {
      const slot = slots.get(field.name) ?? -1;
      if (slot >= 0) {
        typeIds[slot] = field.typeId;
        isInPool[slot] = field.isInPool ? 1 : 0;
      }
      return slot;
    });
    return { slots: planned, typeIds, isInPool };
  }
}
