/** A method's name in a table: its hue, its package in small, marked when searched for. */
import type { ViewContext } from '../model.js';
import { plainText } from '../names.js';
import type { Cell } from '../tables/virtual-table.js';

export function nameCell({ model }: ViewContext, method: number): Cell {
  const { names, matches } = model;
  return {
    text: names.short(method),
    detail: names.packageName(method),
    title: plainText(names.qualified(method)),
    hue: `var(--hue-${names.hue(method)})`,
    isMuted: !names.isMyCode(method),
    isMatch: matches?.[method] === 1,
  };
}
