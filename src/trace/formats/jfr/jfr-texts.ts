import { numberIn } from '../../assemble/number-gate.js';

/** "20 ms", as settings have it; NaN for "everyChunk". */
export function periodNs(value: string): number {
  const [, number = '', unit = ''] = /^(\d{1,12}) ?(ns|us|ms|s|m|h|d)$/.exec(value.trim()) ?? [];
  const units: Readonly<Record<string, number>> = {
    ...{ ns: 1, us: 1e3, ms: 1e6, s: 1e9, m: 60e9, h: 3600e9, d: 86_400e9 },
  };
  return numberIn(number) * (units[unit] ?? NaN);
}

/** "com.example.Shop -v" → "com.example.Shop". */
export const commandName = (line: string): string =>
  (line.trim().split(/\s/, 1)[0] ?? '').replace(/^.*\//, '');

/** "OpenJDK 64-Bit Server VM (17.0.9+9) for …" → "17.0.9+9". */
export const jvmRelease = (version: string): string => /\((\d[^)\s]{0,40})\)/.exec(version)?.[1] ?? '';

const primitiveNames: ReadonlyMap<string, string> = new Map(
  Object.entries({
    B: 'byte',
    C: 'char',
    D: 'double',
    F: 'float',
    I: 'int',
    J: 'long',
    S: 'short',
    Z: 'boolean',
  }),
);

/** "[Ljava/lang/String;" → "java.lang.String[]". Hidden classes keep the address behind their last slash. */
export function javaName(name: string): string {
  const dimensions = /^\[{0,255}/.exec(name)?.[0].length ?? 0;
  const element = name.slice(dimensions);
  const plain =
    dimensions === 0
      ? element
      : (primitiveNames.get(element) ??
        (element.startsWith('L') ? element.slice(1).replace(/;$/, '') : element));
  return plain.replace(/\/(?!0x)/g, '.') + '[]'.repeat(dimensions);
}
