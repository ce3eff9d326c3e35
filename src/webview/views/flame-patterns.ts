/** Patterns that frames of a flame graph are filled with. Their colours come from style sheets, by class. */
import { control } from '../element.js';

export interface FlamePattern {
  readonly id: string;
  readonly width: number;
  readonly height: number;
  /** Degrees; absent: upright. */
  readonly turn?: number;
  readonly parts: readonly PatternPart[];
}

export interface PatternPart {
  readonly className: string;
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

const svgNamespace = 'http://www.w3.org/2000/svg';

/** An element without a size that holds them. */
export function flamePatterns(patterns: readonly FlamePattern[]): HTMLElement {
  const svg = document.createElementNS(svgNamespace, 'svg');
  svg.setAttribute('aria-hidden', 'true');
  for (const { id, width, height, turn, parts } of patterns) {
    const pattern = made('pattern', { id, width, height, patternUnits: 'userSpaceOnUse' });
    if (turn !== undefined) pattern.setAttribute('patternTransform', `rotate(${turn})`);
    for (const { className, ...place } of parts) pattern.append(made('rect', { ...place, class: className }));
    svg.append(pattern);
  }
  return control('div', { class: 'flame-patterns' }, svg);
}

function made(name: string, attributes: Readonly<Record<string, string | number>>): SVGElement {
  const element = document.createElementNS(svgNamespace, name);
  for (const [attribute, value] of Object.entries(attributes)) element.setAttribute(attribute, String(value));
  return element;
}
