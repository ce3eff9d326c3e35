/**
 * Reads JSON values out of bytes at hand, without making strings or objects. Each method moves `at` past what it read; when it
 * answers false, `lack` says whether bytes are missing at the end or what is there is no JSON.
 *
 * Cost: one pass over the bytes.
 */
export const Lack = { Nothing: 0, More: 1, Sense: 2 } as const;

/** What `JsonReader.shortKey` is for a text of 1 to 4 ASCII letters. */
export function shortKey(text: string): number {
  let key = 0;
  for (let i = 0; i < text.length; i++) key = (key << 8) | text.charCodeAt(i);
  return key;
}

const quote = 0x22;
const backslash = 0x5c;
/** Containers within containers, in a value that is skipped: a file decides it, and memory must not follow. */
const maxNesting = 10_000;

export class JsonReader {
  bytes: Uint8Array = new Uint8Array(0);
  at = 0;
  end = 0;
  /** No more bytes will come: a number may end where the bytes do. */
  final = false;
  lack: number = Lack.Nothing;
  /** Content of the string just read, without quotes. */
  from = 0;
  to = 0;
  /** The string holds escapes: its text is not its bytes. */
  escaped = false;
  /** The number just read; `whole` and `thousandths` are its two sides of the point, the latter rounded. */
  value = 0;
  whole = 0;
  thousandths = 0;

  /** The next byte that is no space, or −1 when the bytes end. */
  peek(): number {
    const { bytes, end } = this;
    let at = this.at;
    while (at < end) {
      const byte = bytes[at] as number;
      if (byte > 0x20) {
        this.at = at;
        return byte;
      }
      at++;
    }
    this.at = at;
    this.lack = Lack.More;
    return -1;
  }

  /** Reads past one byte, which must be the next that is no space. */
  expect(wanted: number): boolean {
    const byte = this.peek();
    if (byte === wanted) {
      this.at++;
      return true;
    }
    if (byte >= 0) this.lack = Lack.Sense;
    return false;
  }

  string(): boolean {
    if (!this.expect(quote)) return false;
    const { bytes, end } = this;
    const from = this.at;
    let escaped = false;
    for (let at = from; at < end; at++) {
      const byte = bytes[at] as number;
      if (byte === quote) {
        this.from = from;
        this.to = at;
        this.escaped = escaped;
        this.at = at + 1;
        return true;
      }
      if (byte === backslash) {
        escaped = true;
        at++;
      }
    }
    this.lack = Lack.More;
    return false;
  }

  number(): boolean {
    const first = this.peek();
    if (first < 0) return false;
    const { bytes, end } = this;
    const from = this.at;
    let at = from;
    const negative = first === 0x2d;
    if (negative) at++;
    let whole = 0;
    const wholeFrom = at;
    let byte = 0;
    for (; at < end; at++) {
      byte = (bytes[at] as number) - 0x30;
      if (byte < 0 || byte > 9) break;
      whole = whole * 10 + byte;
    }
    let fraction = 0;
    let scale = 1;
    const digits = at - wholeFrom;
    if (at < end && bytes[at] === 0x2e) {
      at++;
      for (; at < end; at++) {
        byte = (bytes[at] as number) - 0x30;
        if (byte < 0 || byte > 9) break;
        if (scale < 1e15) {
          fraction = fraction * 10 + byte;
          scale *= 10;
        }
      }
    }
    if (at >= end && !this.final) {
      this.lack = Lack.More;
      return false;
    }
    if (digits === 0 || whole > 1e300) {
      this.lack = Lack.Sense;
      return false;
    }
    const sign = negative ? -1 : 1;
    if (at < end && ((bytes[at] as number) | 0x20) === 0x65) return this.#exponent(from);
    this.whole = sign * whole;
    this.thousandths = scale === 1 ? 0 : sign * Math.round((fraction / scale) * 1000);
    this.value = sign * (whole + fraction / scale);
    this.at = at;
    return true;
  }

  /** Any value, without looking at it more than needed. `from` and `to` enclose it. */
  skip(): boolean {
    const first = this.peek();
    if (first < 0) return false;
    const from = this.at;
    if (first === quote) {
      if (!this.string()) return false;
    } else if (first === 0x7b || first === 0x5b) {
      if (!this.#skipContainer()) return false;
    } else if (!this.#skipWord()) return false;
    this.from = from;
    this.to = this.at;
    return true;
  }

  /**
   * The string just read as one number, by which a `switch` compares it whole: `shortKey` of a text of 1 to 4 bytes, −1 for
   * any other.
   */
  get shortKey(): number {
    if (this.escaped) {
      const plain = unescaped(this.bytes, this.from, this.to);
      return shortKeyIn(plain, 0, plain.length);
    }
    return shortKeyIn(this.bytes, this.from, this.to);
  }

  /** Whether the string just read is this one, of plain ASCII. */
  is(text: string): boolean {
    if (this.escaped) return this.text() === text;
    const { bytes, from } = this;
    if (this.to - from !== text.length) return false;
    for (let i = 0; i < text.length; i++) if (bytes[from + i] !== text.charCodeAt(i)) return false;
    return true;
  }

  /** The text of the string just read. */
  text(): string {
    const bytes = this.escaped
      ? unescaped(this.bytes, this.from, this.to)
      : this.bytes.subarray(this.from, this.to);
    return decoder.decode(bytes);
  }

  #skipContainer(): boolean {
    const { bytes, end } = this;
    let depth = 0;
    let at = this.at;
    while (at < end) {
      const byte = bytes[at] as number;
      if (byte === quote) {
        at++;
        for (;;) {
          if (at >= end) {
            this.lack = Lack.More;
            return false;
          }
          const inside = bytes[at] as number;
          if (inside === quote) break;
          at += inside === backslash ? 2 : 1;
        }
      } else if (byte === 0x7b || byte === 0x5b) {
        if (++depth > maxNesting) {
          this.at = at;
          this.lack = Lack.Sense;
          return false;
        }
      } else if ((byte === 0x7d || byte === 0x5d) && --depth === 0) {
        this.at = at + 1;
        return true;
      }
      at++;
    }
    this.lack = Lack.More;
    return false;
  }

  /** A number, true, false or null. */
  #skipWord(): boolean {
    const { bytes, end } = this;
    let at = this.at;
    while (at < end && isOfWord(bytes[at] as number)) at++;
    if (at === this.at) {
      this.lack = Lack.Sense;
      return false;
    }
    if (at >= end && !this.final) {
      this.lack = Lack.More;
      return false;
    }
    this.at = at;
    return true;
  }

  #exponent(from: number): boolean {
    this.at = from;
    if (!this.#skipWord()) return false;
    const value = Number(decoder.decode(this.bytes.subarray(from, this.at)));
    if (!Number.isFinite(value)) {
      this.lack = Lack.Sense;
      return false;
    }
    this.value = value;
    this.whole = Math.trunc(value);
    this.thousandths = Math.round((value - this.whole) * 1000);
    return true;
  }
}

/** Digits, letters, sign and point: what words and numbers are made of. */
function isOfWord(byte: number): boolean {
  return (
    (byte >= 0x30 && byte <= 0x39) ||
    (byte >= 0x61 && byte <= 0x7a) ||
    (byte >= 0x41 && byte <= 0x5a) ||
    byte === 0x2d ||
    byte === 0x2b ||
    byte === 0x2e
  );
}

function shortKeyIn(bytes: Uint8Array, from: number, to: number): number {
  const length = to - from;
  // A leading zero byte would look like a shorter text.
  if (length < 1 || length > 4 || bytes[from] === 0) return -1;
  let key = 0;
  for (let at = from; at < to; at++) key = (key << 8) | (bytes[at] as number);
  return key;
}

const decoder = new TextDecoder();
const encoder = new TextEncoder();

/** The text of a string with escapes, as UTF-8. What is no escape is kept as it stands. */
export function unescaped(bytes: Uint8Array, from: number, to: number): Uint8Array {
  const raw = decoder.decode(bytes.subarray(from, to));
  const text = raw.replace(
    /\\(?:u([0-9a-fA-F]{4})|(.))/gsu,
    (whole, hex: string | undefined, letter: string) => {
      if (hex !== undefined) return String.fromCharCode(parseInt(hex, 16));
      // What JSON does not know was meant as it stands, as in C:\dir.
      return letters[letter] ?? (escapable.includes(letter) ? letter : whole);
    },
  );
  return encoder.encode(text);
}

const escapable = '"\\/';
const letters: Readonly<Record<string, string>> = { b: '\b', f: '\f', n: '\n', r: '\r', t: '\t' };

/**
 * Reads an object. `visit` stands before the value of each member; `key` is the `shortKey` of its name, and `reader.is` still
 * asks for the name.
 */
export function eachMember(reader: JsonReader, visit: (key: number) => boolean): boolean {
  if (!reader.expect(0x7b)) return false;
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
    if (!reader.expect(0x3a) || !visit(key)) return false;
  }
  reader.at++;
  return reader.lack === Lack.Nothing;
}

/** Reads an array. `visit` stands before each item. */
export function eachItem(reader: JsonReader, visit: () => boolean): boolean {
  if (!reader.expect(0x5b)) return false;
  for (;;) {
    let byte = reader.peek();
    if (byte === 0x2c) {
      reader.at++;
      byte = reader.peek();
    }
    if (byte === 0x5d) break;
    if (byte < 0 || !visit()) return false;
  }
  reader.at++;
  return true;
}

/** Reads an array of numbers. */
export function eachNumber(reader: JsonReader, visit: (value: number) => void): boolean {
  return eachItem(reader, () => {
    if (!reader.number()) return false;
    visit(reader.value);
    return true;
  });
}
