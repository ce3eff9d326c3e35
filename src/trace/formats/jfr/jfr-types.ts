import { numberIn } from '../../assemble/number-gate.js';
import type { JfrValues } from './jfr-values.js';

/** Containers within containers: real descriptions have four levels. */
const maxNesting = 16;
const maxTypes = 1 << 16;
/** Structures within structures. */
const maxStructures = 32;

const primitives = ['boolean', 'byte', 'char', 'short', 'int', 'long', 'float', 'double', 'java.lang.String'];

export interface JfrField {
  readonly name: string;
  readonly typeId: number;
  readonly isInPool: boolean;
  readonly isArray: boolean;
}

export interface JfrType {
  readonly id: number;
  readonly name: string;
  fields: JfrField[];
  /** One of `primitives`; undefined for a structure. */
  readonly primitive: string | undefined;
  /** Of a structure: no value takes fewer bytes. Infinite for one that holds itself. */
  leastBytes: number;
}

/** The types of events and constants, as the chunk describes them. */
export class JfrTypes {
  readonly #types = new Map<number, JfrType>();
  readonly #byName = new Map<string, JfrType>();

  get(id: number): JfrType | undefined {
    return this.#types.get(id);
  }

  named(name: string): JfrType | undefined {
    return this.#byName.get(name);
  }

  /** Reads a description from behind the head of its event. False: it does not hold together. */
  read(values: JfrValues): boolean {
    const strings: string[] = [];
    const count = values.count();
    for (let at = 0; at < count && !values.isBroken(); at++) {
      const text = values.text();
      strings.push(typeof text === 'string' ? text : '');
    }
    const textOfIndex = (): string => strings[values.count()] ?? '';
    /** The open elements: how many children each still has, and the class that its fields belong to. */
    const open: { left: number; type: JfrType | undefined }[] = [{ left: 1, type: undefined }];
    for (let top = open.at(-1); top !== undefined && !values.isBroken(); top = open.at(-1)) {
      if (top.left === 0) {
        open.pop();
        continue;
      }
      top.left--;
      const element = textOfIndex();
      const attributes = new Map<string, string>();
      const attributeCount = values.count();
      for (let at = 0; at < attributeCount && !values.isBroken(); at++)
        attributes.set(textOfIndex(), textOfIndex());
      const children = values.count();
      let type: JfrType | undefined;
      if (element === 'class') type = this.#class(attributes);
      else if (element === 'field' && top.type !== undefined) top.type.fields.push(fieldOf(attributes));
      if (children > 0) {
        if (open.length >= maxNesting) return false;
        open.push({ left: children, type });
      }
    }
    if (values.isBroken()) return false;
    for (const type of this.#types.values()) this.#measure(type, 0);
    // A field of no bytes says nothing, and takes its time in every value of its type.
    for (const type of this.#types.values())
      type.fields = type.fields.filter((field) => this.#leastOf(field) > 0);
    return true;
  }

  #class(attributes: ReadonlyMap<string, string>): JfrType | undefined {
    const id = numberIn(attributes.get('id') ?? '');
    const name = attributes.get('name') ?? '';
    if (!(id >= 0) || this.#types.size >= maxTypes) return undefined;
    const primitive = primitives.includes(name) ? name : undefined;
    const type: JfrType = { id, name, fields: [], primitive, leastBytes: -1 };
    this.#types.set(id, type);
    this.#byName.set(name, type);
    return type;
  }

  #measure(type: JfrType, depth: number): number {
    if (type.leastBytes >= 0) return type.leastBytes;
    if (type.primitive !== undefined) return (type.leastBytes = 1);
    if (depth > maxStructures) return Infinity;
    type.leastBytes = Infinity;
    let bytes = 0;
    for (const field of type.fields) bytes += this.#leastOf(field, depth + 1);
    return (type.leastBytes = bytes);
  }

  /** Of a type that is not described nobody knows how long it is: Infinity. */
  #leastOf(field: JfrField, depth = 0): number {
    const inner = this.#types.get(field.typeId);
    if (field.isArray || field.isInPool) return 1;
    return inner === undefined ? Infinity : this.#measure(inner, depth);
  }

  /** Passes over a field's value. */
  skip(values: JfrValues, field: JfrField, depth = 0): void {
    const count = field.isArray ? values.count() : 1;
    const type = this.#types.get(field.typeId);
    // Of a type that is not described nobody knows how long it is.
    if (type === undefined || (!field.isInPool && type.leastBytes === Infinity) || depth > maxStructures) {
      values.skip(Infinity);
      return;
    }
    if (!field.isInPool && type.leastBytes === 0) return;
    for (let at = 0; at < count && !values.isBroken(); at++) {
      if (field.isInPool) values.id();
      else this.#skipOne(values, type, depth);
    }
  }

  #skipOne(values: JfrValues, type: JfrType, depth: number): void {
    switch (type.primitive) {
      case undefined:
        for (const field of type.fields) {
          if (values.isBroken()) return;
          this.skip(values, field, depth + 1);
        }
        break;
      case 'boolean':
      case 'byte':
        values.skip(1);
        break;
      case 'float':
        values.skip(4);
        break;
      case 'double':
        values.skip(8);
        break;
      case 'java.lang.String':
        values.skipText();
        break;
      case 'char':
      case 'short':
        values.short();
        break;
      case 'int':
        values.int();
        break;
      default:
        values.long();
    }
  }

  /** Passes over a whole value of a type. */
  skipValue(values: JfrValues, type: JfrType): void {
    if (type.leastBytes === Infinity) values.skip(Infinity);
    else if (type.leastBytes > 0) this.#skipOne(values, type, 0);
  }

  /** A field's value as a number: of a constant its id, of a text where it stands. What is no number is passed over: NaN. */
  number(values: JfrValues, field: JfrField): number {
    const type = this.#types.get(field.typeId);
    if (field.isArray || type === undefined) {
      this.skip(values, field);
      return NaN;
    }
    if (field.isInPool) return values.id();
    switch (type.primitive) {
      case undefined:
        this.skip(values, field);
        return NaN;
      case 'boolean':
      case 'byte':
        return values.byte();
      case 'char':
      case 'short':
        return values.short();
      case 'int':
        return values.int();
      case 'long':
        return values.long();
      case 'float':
        return values.float();
      case 'double':
        return values.double();
      default: {
        const { at } = values;
        values.skipText();
        return at;
      }
    }
  }
}

function fieldOf(attributes: ReadonlyMap<string, string>): JfrField {
  return {
    name: attributes.get('name') ?? '',
    typeId: numberIn(attributes.get('class') ?? attributes.get('type') ?? ''),
    isInPool: attributes.get('constantPool') === 'true',
    isArray: (attributes.get('dimension') ?? '0') !== '0',
  };
}
