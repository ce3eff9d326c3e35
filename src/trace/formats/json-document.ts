import { ByteWindow } from './byte-window.js';
import { JsonReader, Lack } from './json-reader.js';

/** What a visitor wants of a value. A number above 0 is a role: enter the container, and ask again for what it holds. */
export const skipValue = 0;
export const readItem = -1;

export interface JsonVisitor {
  /**
   * What to do with a value in the container with this role (0 is the document). `key` is the reader standing on the
   * member's name, undefined in arrays. `first` is the value's first byte.
   */
  wants(role: number, key: JsonReader | undefined, first: number): number;
  /** Reads one value that was wanted whole. False when it does not hold together or its bytes are not all there. */
  item(role: number, reader: JsonReader): boolean;
  /** The container with this role is complete. */
  leave(role: number): void;
  problem(offset: number, what: string): void;
}

const objectOpen = 0x7b;
const objectClose = 0x7d;
const arrayOpen = 0x5b;
const arrayClose = 0x5d;
const blank = 0x20;
const comma = 0x2c;
const colon = 0x3a;
const quote = 0x22;
/** An item longer than this is damage. */
const maxItemBytes = 64 << 20;
const maxDepth = 32;

/**
 * Walks a JSON document that comes in pieces. Containers that the visitor enters may be of any size; items are handed to it
 * whole; everything else is passed over byte by byte. What makes no sense is passed over to the next line or object.
 */
export class JsonDocument {
  readonly #visitor: JsonVisitor;
  readonly #window = new ByteWindow();
  readonly #reader = new JsonReader();
  /** Roles of the open containers, negative for arrays. */
  readonly #open: number[] = [];
  #done = false;
  /** Passing over a value: how deep in it, and where in a string. */
  #skipDepth = 0;
  #skipping = false;
  #inString = false;
  #afterBackslash = false;
  /** The item did not fit in so many bytes: it is tried again when there are twice as many. */
  #tryAgainAt = 0;
  #problems = 0;
  /** Passing over what makes no sense, to where it may again. */
  #recovering = false;
  /** What stands after the document's end is told once. */
  #isRestTold = false;

  constructor(visitor: JsonVisitor) {
    this.#visitor = visitor;
  }

  /** Where reading stands in the file. */
  get offset(): number {
    return this.#window.offset;
  }

  append(bytes: Uint8Array): void {
    this.#window.add(bytes);
    this.#run();
  }

  /**
   * True when the document was complete. One that is never closed counts as complete, also with a comma at its end: tools
   * that write as they go leave it so, and its own tools read it.
   */
  finish(): boolean {
    this.#reader.final = true;
    this.#tryAgainAt = 0;
    this.#run();
    const { bytes, at, end } = this.#window;
    const isAllRead = bytes.subarray(at, end).every((byte) => byte <= blank || byte === comma);
    for (const role of [...this.#open].reverse()) this.#visitor.leave(Math.abs(role));
    return this.#done || (isAllRead && !this.#skipping);
  }

  #run(): void {
    const window = this.#window;
    const reader = this.#reader;
    reader.bytes = window.bytes;
    reader.at = window.at;
    reader.end = window.end;
    if (this.#tryAgainAt > 0 && window.end - window.at < this.#tryAgainAt) return;
    this.#tryAgainAt = 0;
    while (!this.#done) {
      if (this.#skipping && !this.#pass()) break;
      if (this.#recovering && !this.#findSense(reader.at)) break;
      window.at = reader.at;
      reader.lack = Lack.Nothing;
      if (this.#step()) {
        window.at = reader.at;
        continue;
      }
      if (reader.lack === Lack.More) {
        const rest = window.end - window.at;
        if (rest <= maxItemBytes) {
          reader.at = window.at;
          this.#tryAgainAt = Math.min(rest * 2, maxItemBytes + 1);
          return;
        }
      }
      this.#recover();
    }
    if (this.#done) this.#tellRest(reader.at);
    window.at = this.#done ? window.end : reader.at;
  }

  /** One value, or the end of a container. */
  #step(): boolean {
    const reader = this.#reader;
    const open = this.#open;
    let first = reader.peek();
    if (first < 0) return false;
    const role = open.at(-1) ?? 0;
    if (open.length === 0) {
      if (first === objectOpen || first === arrayOpen) return this.#value(0, undefined, first);
      reader.lack = Lack.Sense;
      return false;
    }
    if (first === comma) {
      reader.at++;
      first = reader.peek();
      if (first < 0) return false;
    }
    if (role < 0) {
      if (first === arrayClose) return this.#leave(-role);
      return this.#value(-role, undefined, first);
    }
    if (first === objectClose) return this.#leave(role);
    if (first !== quote) {
      reader.lack = Lack.Sense;
      return false;
    }
    if (!reader.string()) return false;
    const { from, to, escaped } = reader;
    if (!reader.expect(colon)) return false;
    first = reader.peek();
    if (first < 0) return false;
    reader.from = from;
    reader.to = to;
    reader.escaped = escaped;
    return this.#value(role, reader, first);
  }

  #value(role: number, key: JsonReader | undefined, first: number): boolean {
    const reader = this.#reader;
    if (first === objectClose || first === arrayClose || first === colon) {
      reader.lack = Lack.Sense;
      return false;
    }
    const wanted = this.#visitor.wants(role, key, first);
    if (wanted > 0) {
      if ((first === objectOpen || first === arrayOpen) && this.#open.length < maxDepth) {
        reader.at++;
        this.#open.push(first === objectOpen ? wanted : -wanted);
        return true;
      }
    } else if (wanted === readItem) {
      return this.#visitor.item(role, reader);
    }
    this.#skipping = true;
    this.#skipDepth = 0;
    this.#inString = false;
    this.#afterBackslash = false;
    return this.#pass() || this.#skipping;
  }

  #leave(role: number): boolean {
    this.#reader.at++;
    this.#open.pop();
    this.#visitor.leave(role);
    if (this.#open.length === 0) this.#done = true;
    return true;
  }

  /** Passes over the value at hand, however many pieces it takes. True when it is behind. */
  #pass(): boolean {
    const reader = this.#reader;
    const { bytes, end } = reader;
    let at = reader.at;
    for (; at < end; at++) {
      const byte = bytes[at] as number;
      if (this.#inString) {
        if (this.#afterBackslash) this.#afterBackslash = false;
        else if (byte === 0x5c) this.#afterBackslash = true;
        else if (byte === quote) {
          this.#inString = false;
          if (this.#skipDepth === 0) {
            at++;
            this.#skipping = false;
            break;
          }
        }
      } else if (byte === quote) this.#inString = true;
      else if (byte === objectOpen || byte === arrayOpen) this.#skipDepth++;
      else if (byte === objectClose || byte === arrayClose) {
        // At depth 0 it ends the container that holds this value, a number or a word.
        if (this.#skipDepth === 0) {
          this.#skipping = false;
          break;
        }
        if (--this.#skipDepth === 0) {
          at++;
          this.#skipping = false;
          break;
        }
      } else if (byte === comma && this.#skipDepth === 0) {
        this.#skipping = false;
        break;
      }
    }
    reader.at = at;
    return !this.#skipping;
  }

  /** What is here makes no sense: go on at the next object of this container, or past this line. */
  #recover(): void {
    const reader = this.#reader;
    const window = this.#window;
    if (this.#problems++ < 20) {
      this.#visitor.problem(window.offset, 'What stands here is no JSON that belongs here; it was left out');
    }
    this.#recovering = true;
    // From where sense was lost, not from where the value began: each byte is looked at once.
    this.#findSense(Math.max(window.at + 1, reader.at));
    if (this.#open.length === 0) this.#done = this.#isRestTold = true;
  }

  /** True where it is found; what makes no sense may go on in the next piece. */
  #findSense(from: number): boolean {
    const reader = this.#reader;
    const { bytes, end } = reader;
    let at = from;
    const inArray = (this.#open.at(-1) ?? 0) < 0;
    for (; at < end; at++) {
      const byte = bytes[at] as number;
      if (inArray ? byte === objectOpen || byte === arrayOpen : byte === 0x0a || byte === comma) break;
    }
    reader.at = at;
    this.#window.at = at;
    this.#recovering = at >= end;
    return !this.#recovering;
  }

  #tellRest(from: number): void {
    const window = this.#window;
    let at = from;
    while (at < window.end && (window.bytes[at] as number) <= blank) at++;
    if (at === window.end || this.#isRestTold) return;
    this.#isRestTold = true;
    window.at = at;
    this.#visitor.problem(window.offset, 'The JSON of the trace ends before this; what follows was not read');
  }
}
