/** Names in other letters than ASCII's, as RFC 3492 encodes them, with "_" in the place of "-". */
import { Unreadable } from './unreadable.js';

/** `digits`: those of 0 to 35. `pointOf`: what a decoded number stands for, if it is no code point itself. */
export function fromPunycode(encoded: string, digits: string, pointOf = (point: number) => point): string {
  const cut = encoded.lastIndexOf('_');
  const points = Array.from(encoded.slice(0, Math.max(cut, 0)));
  let [point, index, bias] = [128, 0, 72];
  let isFirst = true;
  for (let at = cut + 1; at < encoded.length;) {
    const before = index;
    for (let weight = 1, step = 36; ; step += 36) {
      const digit = digits.indexOf(encoded.charAt(at++) || ' ');
      if (digit < 0) throw new Unreadable();
      index += digit * weight;
      const least = Math.min(Math.max(step - bias, 1), 26);
      if (digit < least) break;
      weight *= 36 - least;
      if (index > 2 ** 31) throw new Unreadable();
    }
    const count = points.length + 1;
    bias = adapted(index - before, count, isFirst);
    isFirst = false;
    point += Math.floor(index / count);
    index %= count;
    const told = pointOf(point);
    if (told > 0x10ffff) throw new Unreadable();
    points.splice(index++, 0, String.fromCodePoint(told));
  }
  return points.join('');
}

function adapted(delta: number, count: number, isFirst: boolean): number {
  let rest = Math.floor(delta / (isFirst ? 700 : 2));
  rest += Math.floor(rest / count);
  let bias = 0;
  for (; rest > 455; bias += 36) rest = Math.floor(rest / 35);
  return bias + Math.floor((36 * rest) / (rest + 38));
}
