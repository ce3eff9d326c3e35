/** Samples messages as a whole: which blocks are in one, how large they are, and what time they are of. */
import { type SampleBlockReader } from './samples.js';
import { WireReader } from './wire.js';

/** Calls `visit` with begin and end of each block in a Samples message. */
export function eachSampleBlock(payload: Uint8Array, visit: (begin: number, end: number) => void): void {
  const reader = new WireReader(payload);
  while (reader.more) {
    const tag = reader.varint();
    if (tag !== 8 + 2) {
      reader.skip(tag % 8);
      continue;
    }
    const end = reader.delimited();
    visit(reader.pos, end);
    reader.pos = end;
  }
}

/** How many rows the block at [begin, end) has, and of which thread: what its first fields say, and no more than its bytes can hold. */
export function blockSize(
  payload: Uint8Array,
  begin: number,
  end: number,
): { readonly thread: number; readonly rows: number } {
  const reader = new WireReader(payload, begin, end);
  let thread = 0;
  let rows = 0;
  // Fields come in their order.
  while (reader.more) {
    const tag = reader.varint();
    if (tag === 1 * 8) thread = reader.uint32();
    else if (tag === 2 * 8) rows = reader.uint32();
    else break;
  }
  return { thread, rows: Math.min(rows, end - begin) };
}

/** Where the columns of a Samples message begin and end, in order. */
export function columnCuts(payload: Uint8Array): number[] {
  const cuts: number[] = [];
  eachSampleBlock(payload, (begin, end) => {
    const reader = new WireReader(payload, begin, end);
    while (reader.more) {
      const wireType = reader.varint() % 8;
      const from = reader.pos;
      reader.skip(wireType);
      if (wireType === 2) cuts.push(from, reader.pos);
    }
  });
  return cuts;
}

/** Earliest and latest time in a Samples message, for the footer's index; undefined when it holds no sample. */
export function sampleSpan(
  payload: Uint8Array,
  blocks: SampleBlockReader,
): { begin: number; end: number } | undefined {
  let first = Infinity;
  let last = -Infinity;
  eachSampleBlock(payload, (begin, end) => {
    blocks.open(payload, begin, end);
    for (let rows = blocks.next(); rows > 0; rows = blocks.next()) {
      const { time, duration } = blocks;
      for (let row = 0; row < rows; row++) {
        const at = time[row] as number;
        if (at < first) first = at;
        if (at + (duration[row] as number) > last) last = at + (duration[row] as number);
      }
    }
  });
  return first <= last ? { begin: first, end: last } : undefined;
}
