/** Colours as numbers: OKLCH for even lightness over hues, mixing, contrast. */
export interface Rgb {
  readonly r: number;
  readonly g: number;
  readonly b: number;
}

/** Lightness 0–1, chroma 0–0.37, hue in degrees; clipped to sRGB. Matrices: Ottosson, "A perceptual color space". */
export function oklch(lightness: number, chroma: number, hueDegrees: number): Rgb {
  const hue = (hueDegrees * Math.PI) / 180;
  const a = chroma * Math.cos(hue);
  const b = chroma * Math.sin(hue);
  const l = (lightness + 0.3963377774 * a + 0.2158037573 * b) ** 3;
  const m = (lightness - 0.1055613458 * a - 0.0638541728 * b) ** 3;
  const s = (lightness - 0.0894841775 * a - 1.291485548 * b) ** 3;
  return {
    r: encode(4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s),
    g: encode(-1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s),
    b: encode(-0.0041960863 * l - 0.7034186147 * m + 1.707614701 * s),
  };
}

function encode(linear: number): number {
  const clipped = Math.min(1, Math.max(0, linear));
  const value = clipped <= 0.0031308 ? 12.92 * clipped : 1.055 * clipped ** (1 / 2.4) - 0.055;
  return Math.round(value * 255);
}

/** `share` of `over` on `under`. */
export function mix(under: Rgb, over: Rgb, share: number): Rgb {
  const blend = (from: number, to: number): number => Math.round(from + (to - from) * share);
  return { r: blend(under.r, over.r), g: blend(under.g, over.g), b: blend(under.b, over.b) };
}

export function cssColour({ r, g, b }: Rgb, alpha = 1): string {
  return alpha >= 1 ? `rgb(${r},${g},${b})` : `rgba(${r},${g},${b},${alpha})`;
}

/** WCAG relative luminance. */
export function luminance({ r, g, b }: Rgb): number {
  const linear = (channel: number): number => {
    const value = channel / 255;
    return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
  };
  return 0.2126 * linear(r) + 0.7152 * linear(g) + 0.0722 * linear(b);
}

export function contrast(one: Rgb, other: Rgb): number {
  const [dark, light] = [luminance(one), luminance(other)].sort((x, y) => x - y) as [number, number];
  return (light + 0.05) / (dark + 0.05);
}

/** "#rgb", "#rrggbb", "#rrggbbaa", "rgb(…)", "rgba(…)": what themes use. Alpha is blended over `under`. */
export function parseColour(css: string, under: Rgb): Rgb | undefined {
  const colour = css.trim();
  const hex = /^#([0-9a-f]{3,8})$/i.exec(colour)?.[1];
  if (hex !== undefined) {
    const wide = hex.length <= 4 ? hex.replace(/./g, '$&$&') : hex;
    const at = (start: number): number => Number.parseInt(wide.slice(start, start + 2), 16);
    const alpha = wide.length >= 8 ? at(6) / 255 : 1;
    return mix(under, { r: at(0), g: at(2), b: at(4) }, alpha);
  }
  const parts = /^rgba?\(([^)]*)\)$/i
    .exec(colour)?.[1]
    ?.split(/[\s,/]+/)
    .filter((part) => part !== '');
  if (parts === undefined || parts.length < 3) return undefined;
  const [r, g, b, a] = parts.map((part) =>
    part.endsWith('%') ? Number.parseFloat(part) / 100 : Number(part),
  );
  if (r === undefined || g === undefined || b === undefined || Number.isNaN(r + g + b)) return undefined;
  return mix(under, { r, g, b }, a ?? 1);
}
