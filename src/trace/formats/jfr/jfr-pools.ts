import type { JfrField, JfrType, JfrTypes } from './jfr-types.js';
import { JfrValues } from './jfr-values.js';

/** Constants within constants, as the name of the class of a method. */
const maxChain = 8;

/**
 * The constants of one chunk: where each stands, by type and id. They are read when they are asked for.
 *
 * Memory: a place in a map for each constant.
 */
export class JfrPools {
  readonly #types: JfrTypes;
  readonly #values = new JfrValues();
  readonly #places = new Map<number, Map<number, number>>();
  readonly #bytes: Uint8Array;
  readonly #end: number;
  count = 0;

  constructor(types: JfrTypes, bytes: Uint8Array, end: number, isCompressed: boolean) {
    this.#types = types;
    this.#bytes = bytes;
    this.#end = end;
    this.#values.isCompressed = isCompressed;
  }

  /** Reads a checkpoint from behind the head of its event. False: it does not hold together. */
  read(values: JfrValues): boolean {
    values.long(); // when
    values.long(); // how long
    values.long(); // where the one before is
    values.byte(); // what kind
    const pools = values.count();
    for (let pool = 0; pool < pools && !values.isBroken(); pool++) {
      const typeId = values.long();
      const type = this.#types.get(typeId);
      if (type === undefined) return false;
      let places = this.#places.get(typeId);
      if (places === undefined) this.#places.set(typeId, (places = new Map<number, number>()));
      const count = values.count();
      for (let at = 0; at < count && !values.isBroken(); at++) {
        const id = values.id();
        if (values.isBroken()) break;
        places.set(id, values.at);
        this.count++;
        this.#types.skipValue(values, type);
      }
    }
    return !values.isBroken();
  }

  /**
   * Reads a constant: `visit` stands before the value of each field and answers whether it took it. False where there is no
   * such constant.
   */
  entry(typeId: number, id: number, visit: (field: JfrField, values: JfrValues) => boolean): boolean {
    const type = this.#types.get(typeId);
    const place = this.#places.get(typeId)?.get(id);
    if (type === undefined || place === undefined) return false;
    this.#values.open(this.#bytes, place, this.#end);
    return this.fields(this.#values, type, visit);
  }

  /** Reads a structure field by field. False where it does not hold together. */
  fields(values: JfrValues, type: JfrType, visit: (field: JfrField, values: JfrValues) => boolean): boolean {
    for (const field of type.fields) {
      if (!visit(field, values)) this.#types.skip(values, field);
      if (values.isBroken()) return false;
    }
    return true;
  }

  /** The numbers of a constant's fields with these names; NaN for one that is not there. */
  numbers(typeId: number, id: number, names: readonly string[]): number[] {
    const numbers = names.map(() => NaN);
    this.entry(typeId, id, (field, values) => {
      const at = names.indexOf(field.name);
      if (at < 0) return false;
      numbers[at] = this.#types.number(values, field);
      return true;
    });
    return numbers;
  }

  /** The text of a constant: of a string, or of a structure's first field that has one. */
  text(typeId: number, id: number, depth = 0): string {
    const type = this.#types.get(typeId);
    if (type?.primitive === 'java.lang.String') {
      const place = this.#places.get(typeId)?.get(id);
      return place === undefined ? '' : this.textAt(place, depth);
    }
    let found = '';
    let poolOf = -1;
    let next = 0;
    this.entry(typeId, id, (field, values) => {
      const inner = this.#types.get(field.typeId);
      if (found !== '' || poolOf >= 0 || inner === undefined || field.isArray) return false;
      const isName =
        field.name === 'name' || field.name === 'string' || inner.primitive === 'java.lang.String';
      if (!isName || (inner.primitive !== undefined && inner.primitive !== 'java.lang.String')) return false;
      if (field.isInPool) {
        next = values.id();
        poolOf = field.typeId;
      } else {
        const text = values.text();
        if (typeof text === 'string') found = text;
        else {
          next = text;
          poolOf = field.typeId;
        }
      }
      return true;
    });
    return poolOf >= 0 && depth < maxChain ? this.text(poolOf, next, depth + 1) : found;
  }

  /** The text of a constant's field, itself a constant or a text. */
  textOf(typeId: number, id: number, name: string): string {
    let place = -1;
    let pool = -1;
    let inPool = 0;
    this.entry(typeId, id, (field, values) => {
      if (field.name !== name || field.isArray) return false;
      if (field.isInPool) {
        pool = field.typeId;
        inPool = values.id();
      } else {
        place = values.at;
        this.#types.skip(values, field);
        if (this.#types.get(field.typeId)?.primitive !== 'java.lang.String') place = -1;
      }
      return true;
    });
    if (pool >= 0) return this.text(pool, inPool);
    return place < 0 ? '' : this.textAt(place);
  }

  /** A text that stands at a place of the chunk. */
  textAt(place: number, depth = 0): string {
    this.#values.open(this.#bytes, place, this.#end);
    const text = this.#values.text();
    if (typeof text === 'string') return text;
    const strings = this.#types.named('java.lang.String');
    return strings === undefined || depth >= maxChain ? '' : this.text(strings.id, text, depth + 1);
  }
}
