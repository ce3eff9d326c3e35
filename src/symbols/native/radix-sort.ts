const digitBits = 16;
const digits = 64 / digitBits;

/**
 * The rows in the order of their keys, in linear time (a radix sort: the bits of floats from 0 up have the order of their values).
 * Rows of one key stay in the order that they have. Symbols have no order; the merge sort of traces is for rows that nearly have one.
 */
export function radixSort(rows: Uint32Array, keys: Float64Array): Uint32Array {
  const words = new Uint16Array(keys.buffer, keys.byteOffset, keys.length * digits);
  let from = rows.slice();
  let to = new Uint32Array(rows.length);
  for (let digit = 0; digit < digits; digit++) {
    const places = new Uint32Array(1 << digitBits);
    for (const row of from) (places[words[row * digits + digit] as number] as number)++;
    if (places.includes(rows.length)) continue; // all have the same
    let place = 0;
    for (let value = 0; value < places.length; value++) {
      const count = places[value] as number;
      places[value] = place;
      place += count;
    }
    for (const row of from) to[(places[words[row * digits + digit] as number] as number)++] = row;
    [from, to] = [to, from];
  }
  return from;
}
