/** Colours by numbers, in each kind of theme: what must be told apart is, and words can be read. */
import assert from 'node:assert/strict';
import { classTints, nativeHue, packageHues } from '../../../src/webview/names.js';
import { contrast, parseColour } from '../../../src/webview/timeline/colour.js';
import type { Rgb } from '../../../src/webview/timeline/colour.js';
import { fillIndex, hueVariables, paletteOf, shades } from '../../../src/webview/timeline/palette.js';
import { themeColours } from '../../page/themes.js';
import type { ThemeName } from '../../page/themes.js';

const themes: readonly ThemeName[] = ['dark', 'light', 'highContrast', 'highContrastLight'];
/** Distances in OKLab: 0.02 is what an eye just sees side by side. */
const least = { classes: 0.05, waits: 0.05, match: 0.15, root: 0.025 };

function rgb(css: string): Rgb {
  const colour = parseColour(css, { r: 0, g: 0, b: 0 });
  assert.ok(colour !== undefined, css);
  return colour;
}

/** Ottosson, "A perceptual color space for image processing". */
function oklab({ r, g, b }: Rgb): [number, number, number] {
  const [red, green, blue] = [r, g, b].map((channel) => {
    const value = channel / 255;
    return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
  }) as [number, number, number];
  const l = Math.cbrt(0.4122214708 * red + 0.5363325363 * green + 0.0514459929 * blue);
  const m = Math.cbrt(0.2119034982 * red + 0.6806995451 * green + 0.1073969566 * blue);
  const s = Math.cbrt(0.0883024619 * red + 0.2817188376 * green + 0.6299787005 * blue);
  return [
    0.2104542553 * l + 0.793617785 * m - 0.0040720468 * s,
    1.9779984951 * l - 2.428592205 * m + 0.4505937099 * s,
    0.0259040371 * l + 0.7827717662 * m - 0.808675766 * s,
  ];
}

function distance(one: string, other: string): number {
  const [a, b] = [oklab(rgb(one)), oklab(rgb(other))];
  return Math.hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]);
}

const ratio = (one: string, other: string): number => contrast(rgb(one), rgb(other));

for (const theme of themes) {
  describe(`the palette of ${theme}`, () => {
    const palette = paletteOf({ ...themeColours(theme), fontFamily: 'sans-serif' });
    const { isHighContrast } = palette;
    const fill = (hue: number, shade = shades - 1): string => palette.fills[fillIndex(hue, shade, false)]!;
    const dim = (hue: number): string => palette.fills[fillIndex(hue, shades - 1, true)]!;
    const all = Array.from({ length: nativeHue + 1 }, (_, hue) => hue);
    /** Tints of one package may be near each other. */
    const group = (hue: number): number =>
      hue < packageHues * classTints ? Math.floor(hue / classTints) : hue;

    it('tells packages, libraries and native code apart', () => {
      for (const one of all)
        for (const other of all) {
          if (group(one) >= group(other)) continue;
          const is = distance(fill(one), fill(other));
          assert.ok(is >= least.classes, `hues ${one} and ${other}: ${is.toFixed(3)}`);
        }
    });

    it('has boxes that stand out, from the background and from waits', () => {
      const visible = isHighContrast ? 4.5 : 1.45;
      for (const hue of all) {
        const is = ratio(fill(hue), palette.background);
        assert.ok(is >= visible, `hue ${hue}: ${is.toFixed(2)} to the background`);
        for (const wait of [palette.heldUp, palette.resting])
          assert.ok(
            distance(fill(hue), wait) >= least.waits,
            `hue ${hue} and ${wait}: ${distance(fill(hue), wait)}`,
          );
      }
    });

    it('has frames of no method, and bars on the overview, that stand out from the background', () => {
      const variables = new Map(hueVariables(palette));
      const root = variables.get('--hue-root')!;
      assert.ok(distance(root, palette.background) >= least.root, `${distance(root, palette.background)}`);
      for (const hue of all) {
        const is = ratio(variables.get(`--hue-${hue}-bar`)!, palette.background);
        assert.ok(is >= 3, `bar of hue ${hue}: ${is.toFixed(2)} to the background`);
      }
    });

    it('draws waits quieter than work, and apart from each other and the background', () => {
      const quietest = Math.min(...all.map((hue) => ratio(fill(hue), palette.background)));
      for (const wait of [palette.heldUp, palette.resting]) {
        const is = ratio(wait, palette.background);
        assert.ok(is < quietest, `${wait}: ${is.toFixed(2)}, work from ${quietest.toFixed(2)}`);
        assert.ok(distance(wait, palette.background) >= least.waits, `${wait} on the background`);
      }
      assert.ok(distance(palette.heldUp, palette.resting) >= least.waits);
      assert.ok(distance(palette.heldUp, palette.heldUpEdge) >= least.waits);
    });

    it('has words that can be read on all of them', () => {
      const readable = isHighContrast ? 7 : 4.5;
      const check = (words: string, on: string, what: string): void =>
        assert.ok(ratio(words, on) >= readable, `${what}: ${ratio(words, on).toFixed(2)}`);
      for (const hue of all) {
        for (let shade = 1; shade < shades; shade++)
          check(palette.onFill, fill(hue, shade), `hue ${hue}, shade ${shade}`);
        check(palette.text, dim(hue), `hue ${hue}, dimmed`);
      }
      for (const wait of [palette.heldUp, palette.resting]) check(palette.text, wait, wait);
      check(palette.onMatch, palette.match, 'match');
    });

    it('shows what a search found beside what it did not', () => {
      for (const hue of all) {
        assert.ok(
          distance(palette.match, dim(hue)) >= least.match,
          `hue ${hue}: ${distance(palette.match, dim(hue)).toFixed(3)}`,
        );
        assert.ok(distance(palette.strong[hue]!, fill(hue)) >= 0.1, `bar of hue ${hue}`);
      }
    });
  });
}
