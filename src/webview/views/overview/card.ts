/** The parts of the overview: cards of rows. A row is a button that leads to what it tells of. */
import { element } from '../../element.js';
import type { Child } from '../../element.js';
import { text } from '../../texts.js';
import type { TextKey } from '../../texts.js';

export interface CardRow {
  readonly name: string;
  readonly figure: string;
  readonly detail?: string;
  /** Of the pointer; without it, the name, which may be cut off. */
  readonly title?: string;
  /** The name wraps, and is not cut off. */
  readonly isSentence?: boolean;
  /** 0–1: how long the bar is; and how much of it is darker. */
  readonly share?: number;
  readonly selfShare?: number;
  readonly hue?: string;
  readonly picture?: SVGSVGElement;
  readonly tone?: 'held-up' | 'resting';
  readonly go: (event: MouseEvent) => void;
}

export interface CardLink {
  readonly text: TextKey;
  readonly go: () => void;
}

export function card(
  id: string,
  title: TextKey,
  links: readonly CardLink[],
  ...children: readonly Child[]
): HTMLElement {
  return element(
    'section',
    { class: 'card', 'aria-labelledby': `overview-${id}` },
    element(
      'header',
      { class: 'card-head' },
      element('h2', { id: `overview-${id}` }, text(title)),
      ...links.map((link) => linkButton(text(link.text), link.go)),
    ),
    ...children,
  );
}

export function linkButton(label: string, go: () => void): HTMLElement {
  const button = element('button', { class: 'link-button', type: 'button' }, label);
  button.addEventListener('click', go);
  return button;
}

export const note = (said: string): HTMLElement => element('p', { class: 'card-note' }, said);

export function rowList(rows: readonly CardRow[]): HTMLElement {
  return element('ul', { class: 'card-rows' }, ...rows.map((row) => element('li', {}, rowButton(row))));
}

function rowButton(row: CardRow): HTMLElement {
  const { name, figure, detail, title = name, isSentence = false, picture } = row;
  const button = element('button', { class: 'card-row', type: 'button', title });
  button.append(
    element('span', { class: `card-name${isSentence ? ' is-sentence' : ''}` }, name),
    element('span', { class: 'card-figure' }, figure),
    ...(picture === undefined ? [] : [element('span', { class: 'card-bar' }, picture)]),
    ...(row.share === undefined ? [] : [bar(row, row.share)]),
    ...(detail === undefined || detail === '' ? [] : [element('span', { class: 'card-detail' }, detail)]),
  );
  button.addEventListener('click', (event) => row.go(event));
  return button;
}

function bar({ selfShare = 0, hue, tone }: CardRow, share: number): HTMLElement {
  const all = element('span', { class: 'card-bar-all' });
  const own = element('span', { class: 'card-bar-self' });
  all.style.width = `${Math.min(1, share) * 100}%`;
  own.style.width = `${Math.min(1, selfShare) * 100}%`;
  if (hue !== undefined) {
    all.style.background = hue;
    own.style.background = hue;
  }
  return element('span', { class: `card-bar${tone === undefined ? '' : ` is-${tone}`}` }, all, own);
}
