/**
 * Protobuf's text format, as Perfetto's configurations are written in it, → a tree, and by a schema → bytes. Devices read the
 * text themselves only from Android 10 on, and then refuse fields that they do not know; in bytes they pass over them.
 */
import { WireWriter } from '../../trace/recording/wire.js';

export interface TextField {
  readonly name: string;
  readonly line: number;
  /** A message's fields, or a scalar as it is written; a string without its quotes. */
  readonly value: readonly TextField[] | string;
  readonly isString: boolean;
}

/** What is wrong with a text, and in which line. */
export class TextProtoError extends Error {
  override readonly name = 'TextProtoError';
  constructor(
    readonly line: number,
    readonly what: string,
  ) {
    super(`line ${line}: ${what}`);
  }
}

/** By name: the field's number, and what it holds. */
export type Schema = { readonly [name: string]: readonly [number, Kind] };
export type Kind =
  | 'number'
  | 'bool'
  | 'string'
  | Schema
  | { readonly values: Readonly<Record<string, number>> };

interface Token {
  readonly kind: 'word' | 'string' | 'mark' | 'end';
  readonly text: string;
  readonly line: number;
}

/** Deeper than any configuration, and no danger to the stack. */
const mostDepth = 50;
const tokenShape = /[ \t\r]+|#[^\n]*|\n|"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|[\w.+-]+|[{}<>[\]:,;]/gy;
const escapes: Readonly<Record<string, string>> = { n: '\n', t: '\t', r: '\r' };

export function parseTextProto(text: string): TextField[] {
  const tokens = tokensOf(text);
  let at = 0;
  const peek = (): Token => tokens[at] as Token;
  const next = (): Token => {
    const token = peek();
    if (token.kind !== 'end') at++;
    return token;
  };
  const isMark = (text: string): boolean => peek().kind === 'mark' && peek().text === text;

  const fieldsUntil = (close: string, depth: number): TextField[] => {
    if (depth > mostDepth) throw new TextProtoError(peek().line, 'messages lie too deep in each other');
    const fields: TextField[] = [];
    for (;;) {
      while (isMark(',') || isMark(';')) next();
      const token = next();
      if (token.kind === 'mark' && token.text === close) return fields;
      if (token.kind === 'end') {
        if (close === '') return fields;
        throw new TextProtoError(token.line, `"${close}" is missing`);
      }
      if (token.kind !== 'word')
        throw new TextProtoError(token.line, `a field's name is missing before ${token.text}`);
      const hasColon = isMark(':');
      if (hasColon) next();
      if (isMark('[')) {
        next();
        while (!isMark(']')) {
          fields.push(valueOf(token, true, depth));
          if (isMark(',')) next();
          else if (!isMark(']')) throw new TextProtoError(peek().line, '"]" is missing');
        }
        next();
      } else fields.push(valueOf(token, hasColon, depth));
    }
  };

  const valueOf = ({ text: name, line }: Token, hasColon: boolean, depth: number): TextField => {
    const token = next();
    if (token.kind === 'mark' && (token.text === '{' || token.text === '<'))
      return { name, line, value: fieldsUntil(token.text === '{' ? '}' : '>', depth + 1), isString: false };
    if (!hasColon || token.kind === 'mark' || token.kind === 'end')
      throw new TextProtoError(token.line, `the value of ${name} is missing`);
    if (token.kind === 'word') return { name, line, value: token.text, isString: false };
    let value = unquoted(token.text);
    while (peek().kind === 'string') value += unquoted(next().text);
    return { name, line, value, isString: true };
  };

  return fieldsUntil('', 0);
}

function tokensOf(text: string): Token[] {
  const tokens: Token[] = [];
  let line = 1;
  tokenShape.lastIndex = 0;
  while (tokenShape.lastIndex < text.length) {
    const from = tokenShape.lastIndex;
    const [found] = tokenShape.exec(text) ?? [];
    if (found === undefined) throw new TextProtoError(line, `"${text.charAt(from)}" does not belong there`);
    const first = found.charAt(0);
    if (first === '\n') line++;
    else if (first === '"' || first === "'") tokens.push({ kind: 'string', text: found, line });
    else if (/[\w.+-]/.test(first)) tokens.push({ kind: 'word', text: found, line });
    else if (!/[ \t\r#]/.test(first)) tokens.push({ kind: 'mark', text: found, line });
  }
  tokens.push({ kind: 'end', text: 'the end', line });
  return tokens;
}

const unquoted = (text: string): string =>
  text.slice(1, -1).replaceAll(/\\(.)/g, (_, one: string) => escapes[one] ?? one);

/** Throws a TextProtoError for what the schema does not have. */
export function encodeTextProto(fields: readonly TextField[], schema: Schema): Uint8Array {
  const out = new WireWriter();
  for (const { name, line, value, isString } of fields) {
    const known = Object.hasOwn(schema, name) ? schema[name] : undefined;
    if (known === undefined) throw new TextProtoError(line, `there is no field ${name}`);
    const [number, kind] = known;
    const wrong = (): never => {
      throw new TextProtoError(line, `${name} has a value of another kind`);
    };
    if (typeof value !== 'string') {
      if (typeof kind === 'string' || 'values' in kind) wrong();
      out.tag(number, 2);
      out.delimited(encodeTextProto(value, kind as Schema));
    } else if (kind === 'string') {
      if (!isString) wrong();
      out.tag(number, 2);
      out.string(value);
    } else {
      const scalar = isString ? undefined : scalarOf(value, kind);
      out.tag(number, 0);
      out.bigint(scalar ?? wrong());
    }
  }
  return out.finish();
}

function scalarOf(value: string, kind: Kind): bigint | undefined {
  if (kind === 'bool') return truths.get(value);
  const isEnum = typeof kind !== 'string' && 'values' in kind;
  if (kind !== 'number' && !isEnum) return undefined;
  if (/^(?:\d{1,19}|0x[\da-f]{1,15})$/i.test(value)) return BigInt(value);
  if (!isEnum) return undefined;
  const { values } = kind as { readonly values: Readonly<Record<string, number>> };
  return Object.hasOwn(values, value) ? BigInt(values[value] as number) : undefined;
}

const truths: ReadonlyMap<string, bigint> = new Map([
  ['true', 1n],
  ['1', 1n],
  ['false', 0n],
  ['0', 0n],
]);
