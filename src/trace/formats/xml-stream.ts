import { numberIn } from '../assemble/number-gate.js';
import { textOf } from '../recording/text.js';
import { ByteWindow } from './byte-window.js';

export interface XmlVisitor {
  /** An element begins; one without content ends at once. */
  open(tag: XmlTag): void;
  /** `text`: what stands in an element that has no others in it. */
  close(name: string, text: string): void;
  problem(offset: number, what: string): void;
}

/** A longer tag, or text of an element, is damage. */
const mostBytes = 1 << 20;
const [less, greater, slash, quote, apostrophe, mark, dash] = [0x3c, 0x3e, 0x2f, 0x22, 0x27, 0x21, 0x2d];
/** "<!--". */
const commentHead = 4;

/** One tag with its attributes, which are looked up when they are asked for. */
export class XmlTag {
  readonly name: string;
  readonly #text: string;

  /** What stands between "<" and ">". */
  constructor(text: string) {
    const end = text.search(/[\s/]/);
    this.name = end < 0 ? text : text.slice(0, end);
    this.#text = text;
  }

  /** Empty where it is not given. */
  attribute(wanted: string): string {
    const text = this.#text;
    let at = this.name.length;
    for (;;) {
      const equals = text.indexOf('=', at);
      const mark = text[equals + 1];
      if (equals < 0 || (mark !== '"' && mark !== "'")) return '';
      const end = text.indexOf(mark, equals + 2);
      if (end < 0) return '';
      if (text.slice(at, equals).trim() === wanted) return unescaped(text.slice(equals + 2, end));
      at = end + 1;
    }
  }
}

/**
 * Cuts XML that comes in pieces into tags and texts. Declarations and comments are passed over; whether elements end in the order in
 * which they began is the visitor's matter.
 *
 * Cost: one pass over the bytes, a string a tag.
 */
export class XmlStream {
  readonly #visitor: XmlVisitor;
  readonly #window = new ByteWindow();
  /** Bytes of an unfinished tag that were already looked at, and the quote that is open there; 0: none. */
  #looked = 0;
  #quote = 0;
  /** Of the last tag, where it began an element. */
  #isInLeaf = false;
  #text = '';
  /** Passing over what is too long. */
  #isLost = false;
  /** Elements that are open. */
  #depth = 0;

  constructor(visitor: XmlVisitor) {
    this.#visitor = visitor;
  }

  get offset(): number {
    return this.#window.offset;
  }

  append(bytes: Uint8Array): void {
    const window = this.#window;
    window.add(bytes);
    while (window.at < window.end) {
      const isTag = window.bytes[window.at] === less && !this.#isLost;
      if (!(isTag ? this.#tag() : this.#characters())) break;
    }
  }

  /** True where all elements that began have ended. */
  finish(): boolean {
    return this.#depth <= 0 && !this.#isLost && !this.#isTagCut();
  }

  #isTagCut(): boolean {
    const { bytes, at, end } = this.#window;
    return at < end && bytes[at] === less;
  }

  /** False: it does not end here. */
  #tag(): boolean {
    const { bytes, at, end } = this.#window;
    const to = Math.min(end, at + mostBytes);
    const isComment = to - at >= commentHead && isCommentAt(bytes, at);
    let close = at + Math.max(1, this.#looked);
    for (; close < to; close++) {
      const byte = bytes[close] as number;
      if (isComment) {
        if (byte === greater && endsComment(bytes, at, close)) break;
      } else if (this.#quote !== 0) {
        if (byte === this.#quote) this.#quote = 0;
      } else if (byte === greater) break;
      else if (byte === quote || byte === apostrophe) this.#quote = byte;
    }
    this.#looked = close - at;
    if (close >= to) {
      if (this.#looked < mostBytes) return false;
      this.#lose('A tag that is longer than any was passed over', close);
      return true;
    }
    this.#looked = 0;
    this.#window.at = close + 1;
    const first = bytes[at + 1];
    // "<?xml …", "<!-- … -->".
    if (first === 0x3f || first === mark) return true;
    if (first === slash) {
      this.#depth--;
      this.#visitor.close(
        textOf(bytes.subarray(at + 2, close)).trim(),
        this.#isInLeaf ? unescaped(this.#text) : '',
      );
      this.#isInLeaf = false;
    } else {
      const tag = new XmlTag(textOf(bytes.subarray(at + 1, close)));
      this.#visitor.open(tag);
      const isEmpty = bytes[close - 1] === slash;
      if (isEmpty) this.#visitor.close(tag.name, '');
      else this.#depth++;
      this.#isInLeaf = !isEmpty;
    }
    this.#text = '';
    return true;
  }

  /** What stands between tags; false: it does not end here. */
  #characters(): boolean {
    const window = this.#window;
    const { bytes, at, end } = window;
    const next = bytes.indexOf(less, at + (this.#isLost ? 0 : this.#looked));
    const isAll = next < 0 || next >= end;
    const to = isAll ? end : next;
    if (this.#isLost || to - at > mostBytes) {
      if (!this.#isLost) this.#lose('A text that is longer than any was passed over', to);
      window.at = to;
      this.#isLost = isAll;
      return !isAll;
    }
    this.#looked = isAll ? to - at : 0;
    if (isAll) return false;
    if (this.#isInLeaf) this.#text = textOf(bytes.subarray(at, to));
    window.at = to;
    return true;
  }

  /** Goes on at `to`, behind all that was looked at: each byte is looked at once, whatever the file is. */
  #lose(what: string, to: number): void {
    this.#visitor.problem(this.#window.offset, what);
    this.#isLost = true;
    this.#isInLeaf = false;
    this.#looked = this.#quote = 0;
    this.#window.at = to;
  }
}

const isCommentAt = (bytes: Uint8Array, at: number): boolean =>
  bytes[at + 1] === mark && bytes[at + 2] === dash && bytes[at + 3] === dash;

/** Quotes and ">" mean nothing in a comment that begins at `at`. */
const endsComment = (bytes: Uint8Array, at: number, close: number): boolean =>
  close >= at + commentHead + 2 && bytes[close - 1] === dash && bytes[close - 2] === dash;

const entities: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };
const mostCode = 0x10ffff;

function unescaped(text: string): string {
  if (!text.includes('&')) return text;
  return text.replace(
    /&(?:(amp|lt|gt|quot|apos)|#(\d{1,7})|#x([0-9a-fA-F]{1,6}));/g,
    (whole, name?: string, digits?: string, hex?: string) => {
      if (name !== undefined) return entities[name] ?? whole;
      const code = numberIn(digits ?? `0x${hex ?? ''}`);
      return code <= mostCode ? String.fromCodePoint(code) : whole;
    },
  );
}
