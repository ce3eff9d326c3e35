/** Chunk kind 23: sections that were printed into the system's trace, messages between processes, and frames. Written by the desktop. */
import type { FrameRows } from '../system/frame-rows.js';
import { type BinderRows, type PrintRows } from '../system/print-rows.js';
import { type Columns, RowReader, writeRows } from './rows.js';
import { DamageError, WireReader, WireWriter } from './wire.js';

const textField = 1;
/** docs/FORMAT.md: entries in one payload. */
const mostTexts = 2 ** 17;

const printColumns = {
  time: { field: 2, coding: 'plain delta' },
  tid: { field: 3, coding: 'plain delta' },
  /** Which of the message's texts, from 0. */
  text: { field: 4, coding: 'plain' },
} as const satisfies Columns;

const binderColumns = {
  time: { field: 5, coding: 'plain delta' },
  tid: { field: 6, coding: 'plain delta' },
  id: { field: 7, coding: 'plain delta' },
  /** BinderEnd. */
  end: { field: 8, coding: 'sparse' },
  toPid: { field: 9, coding: 'sparse delta' },
  flags: { field: 10, coding: 'sparse' },
} as const satisfies Columns;

const frameColumns = {
  time: { field: 11, coding: 'plain delta' },
  cookie: { field: 12, coding: 'plain delta' },
  /** FrameMoment. */
  moment: { field: 13, coding: 'sparse' },
  pid: { field: 14, coding: 'sparse delta' },
  token: { field: 15, coding: 'sparse delta' },
  displayToken: { field: 16, coding: 'sparse delta' },
  jank: { field: 17, coding: 'sparse' },
} as const satisfies Columns;

export class PrintReader extends RowReader<typeof printColumns> {
  constructor() {
    super('prints', printColumns);
  }
}

export class BinderReader extends RowReader<typeof binderColumns> {
  constructor() {
    super('messages between processes', binderColumns);
  }
}

export class FrameReader extends RowReader<typeof frameColumns> {
  constructor() {
    super('frames', frameColumns);
  }
}

/** Where the texts lie in the message: begin and end of each. */
export function textSpans(payload: Uint8Array): Int32Array {
  const spans: number[] = [];
  const reader = new WireReader(payload);
  while (reader.more) {
    const tag = reader.varint();
    if (tag !== textField * 8 + 2) {
      reader.skip(tag % 8);
      continue;
    }
    if (spans.length >= 2 * mostTexts) throw new DamageError('there are too many texts');
    const to = reader.delimited();
    spans.push(reader.pos, to);
    reader.pos = to;
  }
  return Int32Array.from(spans);
}

/** A message of these rows. Each text that they have is in it once. */
export function encodePrints(prints: PrintRows, rows: ArrayLike<number>, shiftNs: number): Uint8Array {
  const out = new WireWriter(16 * rows.length);
  const places = new Map<number, number>();
  const text = new Float64Array(rows.length);
  for (let at = 0; at < rows.length; at++) {
    const id = prints.text[rows[at] as number] as number;
    let place = places.get(id);
    if (place === undefined) {
      places.set(id, (place = places.size));
      out.tag(textField, 2);
      out.delimited(prints.texts.bytes(id));
    }
    text[at] = place;
  }
  const column = (values: ArrayLike<number>, shift = 0): Float64Array =>
    Float64Array.from(rows, (row) => (values[row] as number) + shift);
  writeRows(out, printColumns, { time: column(prints.time, shiftNs), tid: column(prints.tid), text });
  return out.finish();
}

/** A message of the rows [from, to). */
export function encodeBinder(binder: BinderRows, from: number, to: number, shiftNs: number): Uint8Array {
  const out = new WireWriter(16 * (to - from));
  writeRows(out, binderColumns, {
    time: binder.time.subarray(from, to).map((ns) => ns + shiftNs),
    tid: binder.tid.subarray(from, to),
    id: binder.id.subarray(from, to),
    end: binder.end.subarray(from, to),
    toPid: binder.toPid.subarray(from, to),
    flags: binder.flags.subarray(from, to),
  });
  return out.finish();
}

/** A message of the rows [from, to). */
export function encodeFrames(frames: FrameRows, from: number, to: number, shiftNs: number): Uint8Array {
  const out = new WireWriter(16 * (to - from));
  writeRows(out, frameColumns, {
    time: frames.time.subarray(from, to).map((ns) => ns + shiftNs),
    cookie: frames.cookie.subarray(from, to),
    moment: frames.moment.subarray(from, to),
    pid: frames.pid.subarray(from, to),
    token: frames.token.subarray(from, to),
    displayToken: frames.displayToken.subarray(from, to),
    jank: frames.jank.subarray(from, to),
  });
  return out.finish();
}
