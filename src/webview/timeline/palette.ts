/**
 * All colours of the chart, made from VS Code's theme. Boxes are told apart by hue of their package; library code has
 * no hue and slanted labels; the share of CPU is a bar's length as well as a shade: never colour alone.
 */
import { classTints, libraryHue, nativeHue } from '../names.js';
import { contrast, cssColour, mix, oklch, parseColour } from './colour.js';
import type { Rgb } from './colour.js';

/** Shades of a hue: how much of a density box is covered, or how much of a call was on the CPU. */
export const shades = 4;

export interface Palette {
  readonly isDark: boolean;
  readonly isHighContrast: boolean;
  readonly background: string;
  /** Words on the background and on waits. */
  readonly text: string;
  /** Words on boxes that are not dimmed. */
  readonly onFill: string;
  readonly onMatch: string;
  readonly faintText: string;
  readonly line: string;
  readonly track: string;
  /** Frames of a flame graph that are no method's, and what a bar stands on. */
  readonly root: string;
  readonly focus: string;
  readonly match: string;
  readonly range: string;
  readonly activity: string;
  readonly waiting: string;
  /** Waits that somebody else is to blame for. */
  readonly heldUp: string;
  readonly heldUpEdge: string;
  /** Waits that are meant: sleeping, parked, for the next task. */
  readonly resting: string;
  readonly restingEdge: string;
  readonly gap: string;
  readonly link: string;
  /** Messages that missed a frame. */
  readonly missedFrame: string;
  readonly counter: string;
  /** What the kernel's scheduler did with a thread. */
  readonly running: string;
  readonly waitsForCore: string;
  readonly waitsForDevice: string;
  readonly sleeping: string;
  /** On a core: threads of other programs, and labels on those of this one. */
  readonly otherProgram: string;
  readonly onRunning: string;
  /** By `fillIndex`. */
  readonly fills: readonly string[];
  /** By hue: the bar on a box that shows its share of CPU. */
  readonly strong: readonly string[];
  readonly fontFamily: string;
}

export function fillIndex(hue: number, shade: number, isDim: boolean): number {
  return (hue * shades + shade) * 2 + (isDim ? 1 : 0);
}

export const fillCount = (nativeHue + 1) * shades * 2;

/** What the palette is made from. Colours that a theme does not set are undefined. */
export interface ThemeColours {
  readonly isHighContrast: boolean;
  readonly fontFamily: string;
  /** The value of `--vscode-NAME`, as written; empty where it is not set. */
  readonly value: (name: string) => string;
}

export function readPalette(root: HTMLElement): Palette {
  const style = getComputedStyle(root);
  const kind = document.body.dataset['vscodeThemeKind'] ?? '';
  return paletteOf({
    isHighContrast: kind.includes('high-contrast') || matchMedia('(forced-colors: active)').matches,
    fontFamily: style.getPropertyValue('--vscode-font-family').trim() || 'system-ui, sans-serif',
    value: (name) => style.getPropertyValue(`--vscode-${name}`),
  });
}

const black: Rgb = { r: 0, g: 0, b: 0 };
const white: Rgb = { r: 255, g: 255, b: 255 };

export function paletteOf({ isHighContrast, fontFamily, value }: ThemeColours): Palette {
  const read = (name: string, under: Rgb, fallback: Rgb): Rgb => parseColour(value(name), under) ?? fallback;

  const background = read('editor-background', white, { r: 31, g: 31, b: 31 });
  const isDark = contrast(background, white) > contrast(background, black);
  const foreground = read('editor-foreground', background, isDark ? white : black);
  // Themes may have pale text; labels need all the contrast there is.
  const strongText = isDark ? white : black;
  const orange = read('charts-orange', background, oklch(0.7, 0.15, 60));
  const blue = read('charts-blue', background, oklch(0.65, 0.13, 250));
  const slate = mix(foreground, blue, 0.4);
  const red = read('charts-red', background, oklch(0.65, 0.18, 25));
  const yellow = read('charts-yellow', background, oklch(0.75, 0.15, 90));
  const green = read('charts-green', background, oklch(0.65, 0.13, 150));
  const running = mix(background, green, isHighContrast ? 1 : isDark ? 0.6 : 0.7);
  const border = isHighContrast
    ? read('contrastBorder', background, foreground)
    : read('panel-border', background, mix(background, foreground, 0.2));
  const focus = read('focusBorder', background, blue);

  const dimShare = isHighContrast ? 0.2 : isDark ? 0.35 : 0.25;
  const look = boxLooks[`${isHighContrast ? 'highContrast' : 'plain'}${isDark ? 'Dark' : 'Light'}`];
  const fills: string[] = new Array<string>(fillCount);
  const strong: string[] = [];
  for (let hue = 0; hue <= nativeHue; hue++) {
    const { fill, bar } = boxColours(hue, look);
    strong.push(cssColour(bar));
    for (let shade = 0; shade < shades; shade++) {
      const shaded = mix(background, fill, look.shades[shade] ?? 1);
      fills[fillIndex(hue, shade, false)] = cssColour(shaded);
      // A box that a search did not find.
      fills[fillIndex(hue, shade, true)] = cssColour(mix(background, shaded, dimShare));
    }
  }
  // In a light theme yellow is too dark for black words.
  const match = isDark ? yellow : mix(yellow, white, 0.2);
  return {
    isDark,
    isHighContrast,
    background: cssColour(background),
    text: cssColour(strongText),
    onFill: isHighContrast ? cssColour(isDark ? black : white) : cssColour(strongText),
    onMatch: cssColour(black),
    faintText: cssColour(mix(background, foreground, 0.65)),
    line: cssColour(border),
    track: cssColour(mix(background, foreground, isHighContrast ? 0 : 0.035)),
    root: cssColour(mix(background, foreground, isHighContrast ? 0.2 : 0.06)),
    focus: cssColour(focus),
    match: cssColour(match),
    range: cssColour(focus, 0.12),
    activity: cssColour(mix(background, blue, isHighContrast ? 1 : 0.75)),
    waiting: cssColour(mix(background, foreground, isHighContrast ? 0.8 : 0.3)),
    heldUp: cssColour(mix(background, red, isHighContrast ? 0.5 : isDark ? 0.36 : 0.2)),
    heldUpEdge: cssColour(mix(background, red, isHighContrast ? 1 : 0.85)),
    resting: cssColour(mix(background, slate, isHighContrast ? 0.3 : isDark ? 0.17 : 0.12)),
    restingEdge: cssColour(mix(background, slate, isHighContrast ? 0.7 : 0.4)),
    gap: cssColour(mix(background, foreground, isHighContrast ? 0.6 : 0.22)),
    link: cssColour(orange),
    missedFrame: cssColour(yellow),
    counter: cssColour(mix(background, green, 0.8)),
    running: cssColour(running),
    waitsForCore: cssColour(orange),
    waitsForDevice: cssColour(read('charts-purple', background, oklch(0.62, 0.16, 310))),
    sleeping: cssColour(mix(background, foreground, isHighContrast ? 0.7 : 0.3)),
    otherProgram: cssColour(mix(background, foreground, isHighContrast ? 0.5 : 0.25)),
    onRunning: contrast(running, black) > contrast(running, white) ? 'black' : 'white',
    fills,
    strong,
    fontFamily,
  };
}

/** Lightness and shades of boxes in one kind of theme. Neighbouring hues take turns in lightness, to be told apart. */
interface BoxLook {
  readonly lightness: readonly [number, number];
  readonly library: number;
  readonly native: number;
  readonly bar: number;
  readonly barChroma: number;
  /** Shares of the fill on the background. */
  readonly shades: readonly number[];
}

/** In high contrast boxes stand out from the background as text does, and have words in the background's colour. */
const boxLooks: Readonly<Record<`${'plain' | 'highContrast'}${'Dark' | 'Light'}`, BoxLook>> = {
  plainDark: {
    lightness: [0.53, 0.43],
    library: 0.42,
    native: 0.5,
    bar: 0.82,
    barChroma: 0.125,
    shades: [0.4, 0.6, 0.8, 1],
  },
  plainLight: {
    lightness: [0.845, 0.73],
    library: 0.84,
    native: 0.76,
    bar: 0.55,
    barChroma: 0.14,
    shades: [0.4, 0.6, 0.8, 1],
  },
  highContrastDark: {
    lightness: [0.88, 0.76],
    library: 0.85,
    native: 0.77,
    bar: 0.5,
    barChroma: 0.14,
    shades: [0.6, 0.9, 0.95, 1],
  },
  highContrastLight: {
    lightness: [0.39, 0.29],
    library: 0.41,
    native: 0.34,
    bar: 0.7,
    barChroma: 0.14,
    shades: [0.7, 0.95, 0.97, 1],
  },
};

/** Red is for waits: hues go the rest of the way round, from orange over green and blue to pink. */
const boxChroma = 0.12;
const firstHue = 60;
const hueStep = 25;
/** Classes of a package differ less than packages. */
const tintStep = 4;
const tintLightness = 0.015;
const nativeDegrees = 255;
const nativeChroma = 0.03;

function boxColours(hue: number, look: BoxLook): { fill: Rgb; bar: Rgb } {
  if (hue === libraryHue) return { fill: oklch(look.library, 0, 0), bar: oklch(look.bar, 0, 0) };
  if (hue === nativeHue)
    return {
      fill: oklch(look.native, nativeChroma, nativeDegrees),
      bar: oklch(look.bar, nativeChroma, nativeDegrees),
    };
  const group = Math.floor(hue / classTints);
  const tint = (hue % classTints) - 1;
  const degrees = firstHue + group * hueStep + tint * tintStep;
  const lightness = look.lightness[group % 2 === 0 ? 0 : 1] - tint * tintLightness;
  return {
    fill: oklch(lightness, boxChroma, degrees),
    bar: oklch(look.bar, look.barChroma, degrees),
  };
}

/** The hues as custom properties, for what is drawn by style sheets. */
export function hueVariables(palette: Palette): [string, string][] {
  const variables: [string, string][] = [
    ['--hue-root', palette.root],
    ['--on-fill', palette.onFill],
    ['--on-match', palette.onMatch],
    ['--match', palette.match],
    ['--wait-held-up', palette.heldUpEdge],
    ['--wait-held-up-fill', palette.heldUp],
    ['--wait-resting', palette.restingEdge],
    ['--wait-resting-fill', palette.resting],
    ['--state-waiting', palette.waiting],
    ['--state-gap', palette.faintText],
    ['--missed-frame', palette.missedFrame],
    ['--sched-running', palette.running],
    ['--sched-waits-for-core', palette.waitsForCore],
    ['--sched-waits-for-device', palette.waitsForDevice],
    ['--sched-sleeping', palette.sleeping],
    ['--sched-other', palette.otherProgram],
  ];
  for (let hue = 0; hue <= nativeHue; hue++) {
    variables.push([`--hue-${hue}`, palette.fills[fillIndex(hue, shades - 1, false)] ?? '']);
    variables.push([`--hue-${hue}-dim`, palette.fills[fillIndex(hue, shades - 1, true)] ?? '']);
    // On the background. In high contrast bars of boxes are as dark as it: there the fill itself stands out.
    const bar = palette.isHighContrast
      ? palette.fills[fillIndex(hue, shades - 1, false)]
      : palette.strong[hue];
    variables.push([`--hue-${hue}-bar`, bar ?? '']);
  }
  return variables;
}
