/** What a program printed into the kernel's trace: "B|pid|name", "E|pid", "S|pid|name|cookie", "C|pid|name|value" … */
export interface AtraceEvent {
  readonly kind: 'B' | 'E' | 'S' | 'F' | 'C' | 'I';
  readonly pid: number;
  readonly nameFrom: number;
  readonly nameTo: number;
  readonly cookie: number;
  readonly value: number;
}

const bar = 0x7c;
const kinds = new Map<number, AtraceEvent['kind']>(
  (['B', 'E', 'S', 'F', 'C', 'I'] as const).map((kind) => [kind.charCodeAt(0), kind]),
);

/** Undefined for what is no event of a program. A name may hold bars: only the last field is cut off, where there is one. */
export function readAtrace(bytes: Uint8Array, from: number, to: number): AtraceEvent | undefined {
  while (to > from && (bytes[to - 1] ?? 0) <= 0x20) to--;
  const kind = kinds.get(bytes[from] ?? 0);
  if (kind === undefined) return undefined;
  if (to === from + 1) {
    return kind === 'E' ? { kind, pid: 0, nameFrom: to, nameTo: to, cookie: 0, value: 0 } : undefined;
  }
  if (bytes[from + 1] !== bar) return undefined;
  let at = from + 2;
  let pid = 0;
  for (; at < to && bytes[at] !== bar; at++) {
    const digit = (bytes[at] ?? 0) - 0x30;
    if (digit < 0 || digit > 9) return undefined;
    pid = pid * 10 + digit;
  }
  const nameFrom = Math.min(at + 1, to);
  let nameTo = to;
  let cookie = 0;
  let value = 0;
  if (kind === 'S' || kind === 'F' || kind === 'C') {
    while (nameTo > nameFrom && bytes[nameTo - 1] !== bar) nameTo--;
    if (nameTo === nameFrom) return undefined;
    const number = numberIn(bytes, nameTo, to);
    nameTo--;
    if (number !== number) return undefined;
    if (kind === 'C') value = number;
    else cookie = number;
  }
  return { kind, pid, nameFrom, nameTo, cookie, value };
}

function numberIn(bytes: Uint8Array, from: number, to: number): number {
  const negative = bytes[from] === 0x2d;
  let value = 0;
  let scale = 0;
  let at = negative ? from + 1 : from;
  if (at >= to) return NaN;
  for (; at < to; at++) {
    const byte = bytes[at] ?? 0;
    if (byte === 0x2e && scale === 0) {
      scale = 1;
      continue;
    }
    const digit = byte - 0x30;
    if (digit < 0 || digit > 9) return NaN;
    value = value * 10 + digit;
    scale *= 10;
  }
  if (scale > 1) value /= scale;
  return negative ? -value : value;
}
