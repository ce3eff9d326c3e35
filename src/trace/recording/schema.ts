/**
 * Messages declared, not sliced by offset: a declaration gives encoder, decoder and TypeScript type at once. For the
 * cold messages of a recording only; columns.ts reads the hot ones. No code is made at run time, so a strict content
 * security policy has nothing to object to.
 */
import { DamageError, WireReader, WireWriter } from './wire.js';

interface Codec<T> {
  readonly wireType: 0 | 2 | 5;
  readonly absent: () => T;
  /** Whether it is left out when written: proto3's default. */
  readonly isDefault: (value: T) => boolean;
  readonly write: (out: WireWriter, value: T) => void;
  /** `before` is the field's value so far: lists grow, others are replaced. */
  readonly read: (reader: WireReader, before: T) => T;
}

interface Field<T> extends Codec<T> {
  readonly number: number;
  /** A list of messages or strings: each element has a tag of its own. */
  readonly each?: (value: T) => readonly unknown[];
}

// oxlint-disable-next-line typescript/no-explicit-any -- the one place where fields of all types meet
type Fields = Readonly<Record<string, Field<any>>>;
type Values<F extends Fields> = { -readonly [K in keyof F]: F[K] extends Field<infer T> ? T : never };

/** What encoding takes: any field may be left out, at any depth. */
export type Input<T> = T extends Uint8Array | string | number | boolean | bigint
  ? T
  : T extends readonly (infer E)[]
    ? readonly Input<E>[]
    : { readonly [K in keyof T]?: Input<T[K]> };

export interface Message<T> {
  /** Fields that are left out have their defaults. */
  encode(value: Input<T>): Uint8Array;
  /** Throws a DamageError; unknown fields are skipped. */
  decode(bytes: Uint8Array): T;
  write(out: WireWriter, value: Input<T>): void;
  read(reader: WireReader): T;
  /** A message in which nothing is set. */
  empty(): T;
}

/** The TypeScript type of a declared message. */
export type Of<M> = M extends Message<infer T> ? T : never;

export function message<F extends Fields>(fields: F): Message<Values<F>> {
  type T = Values<F>;
  const names = Object.keys(fields) as (keyof F & string)[];
  const byNumber: (string | undefined)[] = [];
  for (const name of names) byNumber[(fields[name] as Field<unknown>).number] = name;

  const empty = (): T => {
    const value: Record<string, unknown> = {};
    for (const name of names) value[name] = (fields[name] as Field<unknown>).absent();
    return value as T;
  };
  const write = (out: WireWriter, value: Input<T>): void => {
    const given = value as Readonly<Record<string, unknown>>;
    for (const name of names) {
      const field = fields[name] as Field<unknown>;
      const content = given[name];
      if (content === undefined || field.isDefault(content)) continue;
      for (const element of field.each?.(content) ?? [content]) {
        out.tag(field.number, field.wireType);
        field.write(out, element);
      }
    }
  };
  const read = (reader: WireReader): T => {
    const value = empty() as Record<string, unknown>;
    while (reader.more) {
      const tag = reader.varint();
      const wireType = tag % 8;
      const name = byNumber[Math.floor(tag / 8)];
      const field = name === undefined ? undefined : (fields[name] as Field<unknown>);
      if (name === undefined || field === undefined) {
        reader.skip(wireType);
      } else if (field.wireType !== wireType) {
        throw new DamageError(`the field ${name} has the wrong wire type`);
      } else {
        value[name] = field.read(reader, value[name]);
      }
    }
    return value as T;
  };
  const encode = (value: Input<T>): Uint8Array => {
    const out = new WireWriter();
    write(out, value);
    return out.finish();
  };
  return { encode, decode: (bytes) => read(new WireReader(bytes)), write, read, empty };
}

const number = (read: (reader: WireReader) => number, write: (out: WireWriter, value: number) => void) => {
  return (field: number): Field<number> => ({
    number: field,
    wireType: 0,
    absent: () => 0,
    isDefault: (value) => value === 0,
    write,
    read,
  });
};

export const uint32 = number(
  (reader) => reader.uint32(),
  (out, value) => out.varint(value),
);
/** As float64: exact to 2^53. */
export const uint64 = number(
  (reader) => reader.varint(),
  (out, value) => out.varint(value),
);
export const sint64 = number(
  (reader) => reader.sint(),
  (out, value) => out.sint(value),
);

export function fixed32(field: number): Field<number> {
  return {
    number: field,
    wireType: 5,
    absent: () => 0,
    isDefault: (value) => value === 0,
    write: (out, value) => out.fixed32(value),
    read: (reader) => reader.fixed32(),
  };
}

/** For wall clocks, which are beyond 2^53 ns. */
export function wideUint64(field: number): Field<bigint> {
  return {
    number: field,
    wireType: 0,
    absent: () => 0n,
    isDefault: (value) => value === 0n,
    write: (out, value) => out.bigint(value),
    read: (reader) => reader.bigint(),
  };
}

export function bool(field: number): Field<boolean> {
  return {
    number: field,
    wireType: 0,
    absent: () => false,
    isDefault: (value) => !value,
    write: (out, value) => out.varint(value ? 1 : 0),
    read: (reader) => reader.varint() !== 0,
  };
}

export function string(field: number): Field<string> {
  return {
    number: field,
    wireType: 2,
    absent: () => '',
    isDefault: (value) => value === '',
    write: (out, value) => out.string(value),
    read: (reader) => reader.string(),
  };
}

export function bytes(field: number): Field<Uint8Array> {
  return {
    number: field,
    wireType: 2,
    absent: () => new Uint8Array(0),
    isDefault: (value) => value.length === 0,
    write: (out, value) => out.delimited(value),
    read: (reader) => reader.raw(),
  };
}

/** A packed list of numbers: uint, or sint where `zigzag`. */
function packed(zigzag: boolean) {
  return (field: number): Field<number[]> => ({
    number: field,
    wireType: 2,
    absent: () => [],
    isDefault: (values) => values.length === 0,
    write: (out, values) => {
      const content = new WireWriter(values.length + 16);
      for (const value of values) {
        if (zigzag) content.sint(value);
        else content.varint(value);
      }
      out.delimited(content.finish());
    },
    read: (reader, values) => {
      const end = reader.delimited();
      const list = new WireReader(reader.bytes, reader.pos, end);
      while (list.more) values.push(zigzag ? list.sint() : list.varint());
      reader.pos = end;
      return values;
    },
  });
}

export const packedUint = packed(false);
export const packedSint = packed(true);

export function nested<T>(field: number, type: Message<T>): Field<T> {
  return {
    number: field,
    wireType: 2,
    absent: () => type.empty(),
    isDefault: () => false,
    write: (out, value) => out.delimited(type.encode(value as Input<T>)),
    read: (reader) => type.decode(reader.raw()),
  };
}

/** In one message; two bytes make an object of a hundred. Agents send names in chunks of some thousands. */
const mostElements = 2 ** 17;

export function repeated<T>(field: number, type: Message<T>): Field<T[]> {
  return {
    number: field,
    wireType: 2,
    absent: () => [],
    isDefault: (values) => values.length === 0,
    each: (values) => values,
    write: (out, value) => out.delimited(type.encode(value as unknown as Input<T>)),
    read: (reader, values) => {
      if (values.length === mostElements)
        throw new DamageError(`there are more than ${mostElements} entries`);
      values.push(type.decode(reader.raw()));
      return values;
    },
  };
}
