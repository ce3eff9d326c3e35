/**
 * Named things of a recording by id, kept as the bytes they came in and taken apart when somebody asks. Twenty thousand
 * methods cost a look at each one's id when they arrive, and nothing more until one is shown.
 */
import { type Message } from '../recording/schema.js';
import { textOf } from '../recording/text.js';
import { DamageError, WireReader } from '../recording/wire.js';
import { grown, nextCapacity } from './grow.js';

/** Where a byte is a character: all that is ASCII is where it was. */
const bytewise = new TextDecoder('latin1');

/** A payload is made a text when a name was asked for of every so many of its bytes. */
const nameShare = 512;

/** docs/FORMAT.md, "Damage". */
const mostIds = 2 ** 24;

/**
 * Whether an id may be believed: ids count up from 1, so one far beyond what was seen is damage, and a table by id must
 * not grow for it. A ring or a lost chunk leaves holes, hence the room.
 */
export function isPlausibleId(id: number, seen: number, most: number): boolean {
  return id > 0 && id < most && id <= 65536 + 1024 * seen;
}

export class Entries<T> {
  readonly #payloads: Uint8Array[] = [];
  /** Payloads as text, a character a byte, once many names of theirs were asked for. */
  readonly #texts: string[] = [];
  /** By payload, how many names were asked for. */
  readonly #asked: number[] = [];
  /** Three numbers an id: payload + 1 (0: none), begin, end. */
  #where = new Int32Array(0);
  readonly #made: (T | undefined)[] = [];
  #seen = 0;
  readonly #type: Message<T>;

  constructor(type: Message<T>) {
    this.#type = type;
  }

  /**
   * Takes the elements of a repeated field 1 whose own field 1 is the id, and calls `each` with every id. Throws a
   * DamageError; what came before the damage stays.
   */
  add(payload: Uint8Array, each?: (id: number) => void): void {
    this.#payloads.push(payload);
    const reader = new WireReader(payload);
    while (reader.more) {
      const tag = reader.varint();
      if (tag !== 8 + 2) {
        reader.skip(tag % 8);
        continue;
      }
      const end = reader.delimited();
      const id = idOf(payload, reader.pos, end);
      if (!isPlausibleId(id, ++this.#seen, mostIds))
        throw new DamageError(`there is a name for the id ${id}`);
      this.#put(id, reader.pos, end);
      each?.(id);
      reader.pos = end;
    }
  }

  /** Undefined when none came; empty when its bytes are damaged: that costs one name, not the recording. */
  get(id: number): T | undefined {
    const made = this.#made[id];
    if (made !== undefined) return made;
    const payload = this.#payloads[(this.#where[id * 3] ?? 0) - 1];
    if (payload === undefined) return undefined;
    let value: T;
    try {
      value = this.#type.read(new WireReader(payload, this.#where[id * 3 + 1], this.#where[id * 3 + 2]));
    } catch (error) {
      if (!(error instanceof DamageError)) throw error;
      value = this.#type.empty();
    }
    this.#made[id] = value;
    return value;
  }

  /**
   * One string and one number of an entry, without taking all of it apart: what a list of names needs. Undefined when no
   * entry came.
   */
  peek(id: number, stringField: number, numberField: number): { text: string; number: number } | undefined {
    const at = (this.#where[id * 3] ?? 0) - 1;
    const payload = this.#payloads[at];
    if (payload === undefined) return undefined;
    const peeked = { text: '', number: 0 };
    const reader = new WireReader(payload, this.#where[id * 3 + 1], this.#where[id * 3 + 2]);
    try {
      while (reader.more) {
        const tag = reader.varint();
        if (tag === stringField * 8 + 2) {
          const end = reader.delimited();
          peeked.text = this.#textIn(at, reader.pos, end);
          reader.pos = end;
        } else if (tag === numberField * 8) peeked.number = reader.varint();
        else reader.skip(tag % 8);
      }
    } catch (error) {
      if (!(error instanceof DamageError)) throw error;
    }
    return peeked;
  }

  /** Twenty thousand names that are cut out of few texts cost half of as many that are decoded; few cost less by themselves. */
  #textIn(at: number, begin: number, end: number): string {
    const payload = this.#payloads[at] as Uint8Array;
    const asked = (this.#asked[at] ?? 0) + 1;
    this.#asked[at] = asked;
    if (asked * nameShare < payload.length) return textOf(payload.subarray(begin, end));
    for (let place = begin; place < end; place++)
      if ((payload[place] as number) >= 0x80) return textOf(payload.subarray(begin, end));
    return (this.#texts[at] ??= bytewise.decode(payload)).slice(begin, end);
  }

  #put(id: number, begin: number, end: number): void {
    if (id * 3 + 3 > this.#where.length) {
      this.#where = grown(this.#where, nextCapacity(this.#where.length, id * 3 + 3));
    }
    this.#where[id * 3] = this.#payloads.length;
    this.#where[id * 3 + 1] = begin;
    this.#where[id * 3 + 2] = end;
    // A later entry replaces the one before.
    if (this.#made[id] !== undefined) this.#made[id] = undefined;
  }
}

function idOf(payload: Uint8Array, begin: number, end: number): number {
  const reader = new WireReader(payload, begin, end);
  while (reader.more) {
    const tag = reader.varint();
    if (tag === 8) return reader.uint32();
    reader.skip(tag % 8);
  }
  return 0;
}
