/**
 * All colours of the chart, made from VS Code's theme. Boxes are told apart by hue of their package; library code has
 * no hue and slanted labels; the share of CPU is a bar's length as well as a shade: never colour alone.
 */
import { classTints, libraryHue, nativeHue } from '../names.js';
import { contrast, cssColour, mix, oklch, parseColour } from './colour.js';
import type { Rgb } from './colour.js';

/** Shades of a hue: how much of a density box is covered, or how much of a call was on the CPU. */
export const shades = 4;
const shadeShare = [0.4, 0.6, 0.8, 1] as const;

export interface Palette {
  readonly isDark: boolean;
  readonly isHighContrast: boolean;
  readonly background: string;
  readonly text: string;
  readonly faintText: string;
  readonly line: string;
  readonly track: string;
  readonly focus: string;
  readonly match: string;
  readonly range: string;
  readonly activity: string;
  readonly waiting: string;
  /** Waits that somebody else is to blame for. */
  readonly blocked: string;
  readonly blockedStripe: string;
  /** Waits that are meant: sleeping, parked, for the next task. */
  readonly resting: string;
  readonly restingStripe: string;
  readonly gap: string;
  readonly link: string;
  /** Messages that missed a frame. */
  readonly missedFrame: string;
  readonly counter: string;
  /** By `fillIndex`. */
  readonly fills: readonly string[];
  /** By hue: the bar that shows the share of CPU. */
  readonly strong: readonly string[];
  readonly fontFamily: string;
}

export function fillIndex(hue: number, shade: number, isDim: boolean): number {
  return (hue * shades + shade) * 2 + (isDim ? 1 : 0);
}

export const fillCount = (nativeHue + 1) * shades * 2;

export function readPalette(root: HTMLElement): Palette {
  const style = getComputedStyle(root);
  const kind = document.body.dataset['vscodeThemeKind'] ?? '';
  const isHighContrast = kind.includes('high-contrast') || matchMedia('(forced-colors: active)').matches;
  const read = (name: string, under: Rgb, fallback: Rgb): Rgb =>
    parseColour(style.getPropertyValue(`--vscode-${name}`), under) ?? fallback;

  const black: Rgb = { r: 0, g: 0, b: 0 };
  const white: Rgb = { r: 255, g: 255, b: 255 };
  const background = read('editor-background', white, { r: 31, g: 31, b: 31 });
  const isDark = contrast(background, white) > contrast(background, black);
  const foreground = read('editor-foreground', background, isDark ? white : black);
  // Themes may have pale text; labels sit on fills and need all the contrast there is.
  const strongText = isDark ? white : contrast(foreground, background) < 10 ? black : foreground;
  const orange = read('charts-orange', background, oklch(0.7, 0.15, 60));
  const blue = read('charts-blue', background, oklch(0.65, 0.13, 250));
  const slate = mix(foreground, blue, 0.4);
  const red = read('charts-red', background, oklch(0.65, 0.18, 25));
  const yellow = read('charts-yellow', background, oklch(0.75, 0.15, 90));
  const border = isHighContrast
    ? read('contrastBorder', background, foreground)
    : read('panel-border', background, mix(background, foreground, 0.2));
  const focus = read('focusBorder', background, blue);

  const fills: string[] = new Array<string>(fillCount);
  const strong: string[] = [];
  for (let hue = 0; hue <= nativeHue; hue++) {
    const { fill, bar } = boxColours(hue, isDark, isHighContrast, background);
    strong.push(cssColour(bar));
    for (let shade = 0; shade < shades; shade++) {
      const shaded = mix(background, fill, shadeShare[shade] ?? 1);
      fills[fillIndex(hue, shade, false)] = cssColour(shaded);
      fills[fillIndex(hue, shade, true)] = cssColour(mix(background, shaded, 0.35));
    }
  }
  return {
    isDark,
    isHighContrast,
    background: cssColour(background),
    text: cssColour(strongText),
    faintText: cssColour(mix(background, foreground, 0.65)),
    line: cssColour(border),
    track: cssColour(mix(background, foreground, isHighContrast ? 0 : 0.035)),
    focus: cssColour(focus),
    match: cssColour(read('charts-yellow', background, yellow)),
    range: cssColour(focus, 0.12),
    activity: cssColour(mix(background, blue, isHighContrast ? 1 : 0.75)),
    waiting: cssColour(mix(background, foreground, isHighContrast ? 0.8 : 0.3)),
    blocked: cssColour(mix(background, red, isDark ? 0.28 : 0.18)),
    blockedStripe: cssColour(mix(background, red, isHighContrast ? 1 : 0.55)),
    resting: cssColour(mix(background, slate, isDark ? 0.16 : 0.1)),
    restingStripe: cssColour(mix(background, slate, isHighContrast ? 0.9 : 0.32)),
    gap: cssColour(mix(background, foreground, isHighContrast ? 0.6 : 0.22)),
    link: cssColour(orange),
    missedFrame: cssColour(yellow),
    counter: cssColour(mix(background, read('charts-green', background, oklch(0.65, 0.13, 150)), 0.8)),
    fills,
    strong,
    fontFamily: style.getPropertyValue('--vscode-font-family').trim() || 'system-ui, sans-serif',
  };
}

/** Red is for waits: hues go the rest of the way round, from yellow over green and blue to pink. */
const firstHue = 65;
const hueStep = 22;
const tintStep = 6;

export function boxColours(
  hue: number,
  isDark: boolean,
  isHighContrast: boolean,
  background: Rgb,
): { fill: Rgb; bar: Rgb } {
  const tint = hue % classTints;
  const own = firstHue + Math.floor(hue / classTints) * hueStep + (tint - 1) * tintStep;
  const degrees = hue === nativeHue ? 255 : own;
  const isMuted = hue >= libraryHue;
  const chroma = hue === libraryHue ? 0 : hue === nativeHue ? 0.025 : isDark ? 0.09 : 0.085;
  const lightness = isDark ? (isMuted ? 0.42 : 0.515 - tint * 0.03) : isMuted ? 0.87 : 0.84 + tint * 0.025;
  const fill = oklch(lightness, chroma, degrees);
  const bar = isDark
    ? oklch(isMuted ? 0.6 : 0.82, isMuted ? chroma : 0.125, degrees)
    : oklch(isMuted ? 0.62 : 0.58, isMuted ? chroma : 0.14, degrees);
  // Labels have 7 to 1 in high contrast, and boxes as much of their hue as that leaves.
  return isHighContrast && isDark ? { fill: mix(background, fill, 0.8), bar } : { fill, bar };
}

/** The hues as custom properties, for what is drawn by style sheets. */
export function hueVariables(palette: Palette): [string, string][] {
  const variables: [string, string][] = [
    ['--hue-root', palette.track],
    ['--wait-blocked', palette.blockedStripe],
    ['--wait-resting', palette.restingStripe],
    ['--state-waiting', palette.waiting],
    ['--state-gap', palette.faintText],
    ['--missed-frame', palette.missedFrame],
  ];
  for (let hue = 0; hue <= nativeHue; hue++) {
    variables.push([`--hue-${hue}`, palette.fills[fillIndex(hue, shades - 1, false)] ?? '']);
    variables.push([`--hue-${hue}-dim`, palette.fills[fillIndex(hue, shades - 1, true)] ?? '']);
    variables.push([`--hue-${hue}-strong`, palette.strong[hue] ?? '']);
  }
  return variables;
}
