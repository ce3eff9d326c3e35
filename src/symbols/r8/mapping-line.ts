/** The lines of an R8 or ProGuard mapping, one at a time. What is not understood is undefined, and costs that line only. */

export interface LineRange {
  readonly from: number;
  readonly to: number;
}

export interface MethodLine {
  readonly type: 'method';
  /** Lines in the minified program; undefined: all of them. */
  readonly minified: LineRange | undefined;
  readonly returnType: string;
  /** Class as it was, given where it is not the class around (inlined or moved methods); else empty. */
  readonly holder: string;
  readonly name: string;
  readonly parameters: readonly string[];
  /** Lines as they were; undefined: the same numbers. */
  readonly original: LineRange | undefined;
  readonly minifiedName: string;
}

export interface FieldLine {
  readonly type: 'field';
  readonly fieldType: string;
  readonly holder: string;
  readonly name: string;
  readonly minifiedName: string;
}

export interface ClassLine {
  readonly original: string;
  readonly minified: string;
}

/** `com.example.Shop -> a.b:` */
export function parseClassLine(line: string): ClassLine | undefined {
  const arrow = line.indexOf(' -> ');
  const end = line.trimEnd();
  if (arrow <= 0 || !end.endsWith(':')) return undefined;
  const original = line.slice(0, arrow).trim();
  const minified = end.slice(arrow + 4, -1).trim();
  return original === '' || minified === '' ? undefined : { original, minified };
}

const number = '(\\d+)';
/** `1:3:void com.example.Shop.add(int,java.lang.String):10:12 -> a`, of which every number may be left out. */
const method = new RegExp(
  `^(?:${number}:(?:${number}:)?)?(\\S+) ([^\\s(]+)\\(([^)]*)\\)(?::${number}(?::${number})?)? -> (\\S+)$`,
);
const field = /^(\S+) ([^\s(]+) -> (\S+)$/;

export function parseMemberLine(line: string): MethodLine | FieldLine | undefined {
  const text = line.trim();
  const m = method.exec(text);
  if (m !== null) {
    const [, from, to, returnType = '', qualified = '', parameters = '', begin, end, minifiedName = ''] = m;
    return {
      type: 'method',
      minified: range(from, to),
      returnType,
      ...split(qualified),
      parameters: parameters === '' ? [] : parameters.split(',').map((type) => type.trim()),
      original: range(begin, end),
      minifiedName,
    };
  }
  const f = field.exec(text);
  if (f === null) return undefined;
  const [, fieldType = '', qualified = '', minifiedName = ''] = f;
  return { type: 'field', fieldType, ...split(qualified), minifiedName };
}

function range(from: string | undefined, to: string | undefined): LineRange | undefined {
  if (from === undefined) return undefined;
  const first = Number(from);
  return { from: first, to: Math.max(first, to === undefined ? first : Number(to)) };
}

function split(qualified: string): { holder: string; name: string } {
  const dot = qualified.lastIndexOf('.');
  return { holder: dot < 0 ? '' : qualified.slice(0, dot), name: qualified.slice(dot + 1) };
}
