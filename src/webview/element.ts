/** Elements without HTML: names from a recording are only ever text nodes. */

type Attributes = Readonly<Record<string, string | number | boolean | undefined>>;
export type Child = Node | string | undefined;

/** `true` sets an empty attribute, `false` and undefined none. */
export function element<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  attributes: Attributes = {},
  ...children: readonly Child[]
): HTMLElementTagNameMap[K] {
  const made = document.createElement(tag);
  setAttributes(made, attributes);
  for (const child of children) if (child !== undefined) made.append(child);
  return made;
}

/** An element of the control kit, or any other custom one. */
export function control(
  tag: string,
  attributes: Attributes = {},
  ...children: readonly Child[]
): HTMLElement {
  const made = document.createElement(tag);
  setAttributes(made, attributes);
  for (const child of children) if (child !== undefined) made.append(child);
  return made;
}

function setAttributes(target: Element, attributes: Attributes): void {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === undefined || value === false) continue;
    target.setAttribute(name, value === true ? '' : String(value));
  }
}

/**
 * Replaces what is in `parent`. The keyboard stays with the control that has the same name as the one it was on, of several the one in
 * the same place; where there is none it goes to `otherwise`, never back to the page's begin.
 */
export function replaceContent(
  parent: HTMLElement,
  otherwise: { focus(): void },
  ...children: readonly Node[]
): void {
  const focused = document.activeElement;
  const isWithin = focused !== null && focused !== parent && parent.contains(focused);
  const alike = (): HTMLElement[] =>
    Array.from(parent.querySelectorAll<HTMLElement>(focused?.localName ?? '*')).filter(
      (one) => nameOf(one) === nameOf(focused),
    );
  const place = isWithin ? alike().indexOf(focused as HTMLElement) : 0;
  parent.replaceChildren(...children);
  if (!isWithin) return;
  const now = alike();
  const again = now[place] ?? now[0];
  again?.focus();
  // What is not shown takes no keys.
  if (again === undefined || document.activeElement !== again) otherwise.focus();
}

function nameOf(one: Element | null): string {
  return one?.getAttribute('aria-label') ?? one?.getAttribute('title') ?? one?.textContent ?? '';
}

const svgNamespace = 'http://www.w3.org/2000/svg';

/** Outlines on a 16 × 16 grid, drawn for this page. */
const iconPaths = {
  chevronDown: 'M3.5 6 8 10.5 12.5 6',
  chevronRight: 'M6 3.5 10.5 8 6 12.5',
  chevronUp: 'M3.5 10 8 5.5 12.5 10',
  arrowLeft: 'M13.5 8h-11M7 3.5 2.5 8 7 12.5',
  arrowRight: 'M2.5 8h11M9 3.5 13.5 8 9 12.5',
  pin: 'M5.5 2.5h5M6.5 2.5v4L4.5 9v1h7V9l-2-2.5v-4M8 10v4',
  hide: 'M2 8s2.2-3.8 6-3.8S14 8 14 8s-2.2 3.8-6 3.8S2 8 2 8M3 13 13 3',
  close: 'M4 4l8 8M12 4l-8 8',
  copy: 'M5.5 5.5v-3h8v8h-3M2.5 5.5h8v8h-8z',
  source: 'M6 3.5 1.5 8 6 12.5M10 3.5 14.5 8 10 12.5',
  focus: 'M2.5 5.5v-3h3M10.5 2.5h3v3M13.5 10.5v3h-3M5.5 13.5h-3v-3M6 8h4M8 6v4',
  help: 'M6 6.2A2 2 0 1 1 8.6 8C8 8.3 8 8.8 8 9.5M8 11.3v.9M8 1.8a6.2 6.2 0 1 0 0 12.4A6.2 6.2 0 0 0 8 1.8',
  export: 'M8 10.5v-8M5 5.5l3-3 3 3M2.5 10v3.5h11V10',
  warning: 'M8 2 14.5 13.5h-13zM8 6.5v3.2M8 11v1',
  regex: 'M11 2.5v6M8.4 4l5.2 3M13.6 4 8.4 7M3 11.5h2.5V14H3z',
  panel: 'M2 3h12v10H2zM10 3v10',
  person: 'M8 7.8A2.7 2.7 0 1 0 8 2.4a2.7 2.7 0 0 0 0 5.4M3 13.5c.4-2.7 2.2-3.9 5-3.9s4.6 1.2 5 3.9',
} as const;

export type IconName = keyof typeof iconPaths;

export function icon(name: IconName): SVGSVGElement {
  const svg = document.createElementNS(svgNamespace, 'svg');
  svg.setAttribute('viewBox', '0 0 16 16');
  svg.setAttribute('class', 'icon');
  svg.setAttribute('aria-hidden', 'true');
  const path = document.createElementNS(svgNamespace, 'path');
  path.setAttribute('d', iconPaths[name]);
  svg.append(path);
  return svg;
}

/** A few frames: a task that is asked for with one still runs before the browser has put it on the screen. */
const restMs = 50;

/** Runs `later` when what has been asked for is on the screen: for what nobody waits for. */
export function afterPaint(later: () => void): void {
  requestAnimationFrame(() => setTimeout(later, restMs));
}
