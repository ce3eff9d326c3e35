import { numberIn } from '../assemble/number-gate.js';
import { eachMember, JsonReader, Lack, shortKey } from './json-reader.js';
import { NameTable } from './names.js';

/** Members of an event that are read. */
const Key = {
  ph: shortKey('ph'),
  ts: shortKey('ts'),
  name: shortKey('name'),
  pid: shortKey('pid'),
  tid: shortKey('tid'),
  dur: shortKey('dur'),
  cat: shortKey('cat'),
  args: shortKey('args'),
  tts: shortKey('tts'),
  tdur: shortKey('tdur'),
  id: shortKey('id'),
  id2: shortKey('id2'),
} as const;

/** Thread and process ids that are words get numbers from here downwards: there are ids below 0. */
const firstWord = -(2 ** 40);

/** Where a value lies in the bytes at hand: it is looked at only when the kind of its event is known. */
export interface TextPlace {
  from: number;
  to: number;
  escaped: boolean;
}

/** An event of the JSON trace format: its members are read into one object, which serves all events of a file. */
export class ChromeEvent {
  /** A letter; 0 where the event has none. */
  phase = 0;
  hasTime = false;
  /** Its time: whole µs, and the ns behind them. */
  us = 0;
  ns = 0;
  /** In ns; NaN where the event does not say it. */
  duration = NaN;
  /** On the thread's CPU clock, in ns. */
  threadTime = NaN;
  threadDuration = NaN;
  pid = 0;
  tid = 0;
  readonly name: TextPlace = { from: 0, to: -1, escaped: false };
  readonly args: TextPlace = { from: 0, to: -1, escaped: false };
  readonly id: TextPlace = { from: 0, to: -1, escaped: false };
  readonly #category: TextPlace = { from: 0, to: -1, escaped: false };
  readonly #words = new NameTable();

  /** Reads the members of an event, in any order. */
  read(reader: JsonReader): boolean {
    const { bytes } = reader;
    if (!reader.expect(0x7b)) return false;
    this.phase = this.us = this.ns = this.pid = this.tid = 0;
    this.hasTime = false;
    this.duration = this.threadTime = this.threadDuration = NaN;
    this.name.to = this.args.to = this.id.to = this.#category.to = -1;
    // Written out where others use eachMember: with a function called for each member, reading takes longer.
    for (;;) {
      let byte = reader.peek();
      if (byte === 0x2c) {
        reader.at++;
        byte = reader.peek();
      }
      if (byte < 0) return false;
      if (byte === 0x7d) break;
      if (!reader.string()) return false;
      const key = reader.shortKey;
      if (!reader.expect(0x3a)) return false;
      let understood = true;
      switch (key) {
        case Key.ph:
          if (!reader.string()) return false;
          this.phase = bytes[reader.from] as number;
          break;
        case Key.ts:
          if (!this.#number(reader)) return false;
          this.us = reader.whole;
          this.ns = reader.thousandths;
          this.hasTime = this.us === this.us;
          break;
        case Key.name:
          if (reader.peek() !== 0x22) understood = false;
          else if (!take(reader, this.name)) return false;
          break;
        case Key.pid:
          if (!this.#number(reader, true)) return false;
          this.pid = reader.value;
          break;
        case Key.tid:
          if (!this.#number(reader, true)) return false;
          this.tid = reader.value;
          break;
        case Key.dur:
          if (!this.#number(reader)) return false;
          this.duration = reader.whole * 1000 + reader.thousandths;
          break;
        case Key.cat:
          if (!take(reader, this.#category)) return false;
          break;
        case Key.args:
          if (!take(reader, this.args)) return false;
          break;
        case Key.tts:
          if (!this.#number(reader)) return false;
          this.threadTime = reader.whole * 1000 + reader.thousandths;
          break;
        case Key.tdur:
          if (!this.#number(reader)) return false;
          this.threadDuration = reader.whole * 1000 + reader.thousandths;
          break;
        case Key.id:
        case Key.id2:
          if (!take(reader, this.id)) return false;
          break;
        default:
          understood = false;
      }
      if (!understood && !reader.skip()) return false;
    }
    reader.at++;
    return true;
  }

  /** A number, also one in quotes, as some producers write ids and times. What is none is NaN, and an id that is a word its number. */
  #number(reader: JsonReader, isId = false): boolean {
    const first = reader.peek();
    if (first !== 0x22) {
      if (first === 0x6e) {
        reader.value = reader.whole = reader.thousandths = isId ? 0 : NaN;
        return reader.skip();
      }
      return reader.number();
    }
    if (!reader.string()) return false;
    const { from, to, bytes } = reader;
    const value = from < to ? numberIn(reader.text()) : NaN;
    if (!Number.isNaN(value)) reader.value = value;
    else reader.value = isId ? firstWord - this.#words.intern(bytes, from, to) : NaN;
    reader.whole = Math.trunc(reader.value);
    reader.thousandths = Math.round((reader.value - reader.whole) * 1000);
    return true;
  }

  /** The word that stands where a thread or process has its number; empty where the id is no word. */
  word(id: number): string {
    return id <= firstWord ? this.#words.text(firstWord - id) : '';
  }

  text(reader: JsonReader, { from, to, escaped }: TextPlace): string {
    if (to < from) return '';
    reader.from = from;
    reader.to = to;
    reader.escaped = escaped;
    return reader.text();
  }

  idText(reader: JsonReader): string {
    return `${this.text(reader, this.#category)} ${this.text(reader, this.id)}`;
  }

  /** A text among the arguments of the event at hand, empty if there is none. */
  argument(reader: JsonReader, wanted: string): string {
    let found = '';
    this.eachArgument(reader, (key, inner) => {
      if (key === wanted && inner.peek() === 0x22 && inner.string()) {
        found = inner.text();
        return true;
      }
      return inner.skip();
    });
    return found;
  }

  eachArgument(reader: JsonReader, visit: (key: string, inner: JsonReader) => boolean): void {
    const { from, to } = this.args;
    if (to < from || reader.bytes[from] !== 0x7b) return;
    const inner = new JsonReader();
    inner.bytes = reader.bytes;
    inner.at = from;
    inner.end = to;
    inner.final = true;
    eachMember(inner, () => visit(inner.text(), inner));
  }
}

/** Notes where a value is: a string without its quotes, anything else whole. */
function take(reader: JsonReader, into: TextPlace): boolean {
  if (reader.peek() === 0x22) {
    if (!reader.string()) return false;
    into.escaped = reader.escaped;
  } else {
    if (!reader.skip()) return false;
    into.escaped = false;
  }
  into.from = reader.from;
  into.to = reader.to;
  return reader.lack === Lack.Nothing;
}
