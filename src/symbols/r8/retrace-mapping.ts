/**
 * An R8 or ProGuard mapping by minified class. A mapping may be 100 MB and a recording touches a few thousand classes: one pass
 * notes where each class begins (about 60 bytes a class), and a class's members are read when it is asked for.
 */
import {
  atLeast,
  newestVersion,
  noVersion,
  parseInformation,
  versionLine,
  type MapVersion,
} from './mapping-information.js';
import type { MappingInformation } from './mapping-information.js';
import { parseClassLine, parseMemberLine, type FieldLine, type MethodLine } from './mapping-line.js';

export interface MappedMethod extends MethodLine {
  readonly information: readonly MappingInformation[];
}

export interface MappedField extends FieldLine {
  readonly information: readonly MappingInformation[];
}

export interface MappedClass {
  readonly original: string;
  readonly minified: string;
  /** As R8 says it, or empty. */
  readonly sourceFile: string;
  readonly synthesized: boolean;
  /** By minified name, each in the order of the file: neighbours of one line range are inline frames, innermost first. */
  readonly methods: ReadonlyMap<string, readonly MappedMethod[]>;
  readonly fields: ReadonlyMap<string, readonly MappedField[]>;
}

interface Place {
  readonly original: string;
  readonly begin: number;
  readonly end: number;
  readonly version: MapVersion;
}

export class RetraceMapping {
  readonly #places = new Map<string, Place>();
  readonly #minifiedOf = new Map<string, string>();
  readonly #read = new Map<string, MappedClass>();
  /** The newest of its versions that is newer than what is read here: what came with it is passed over. Empty: there is none. */
  newerVersion = '';
  readonly #text: string;

  /** Takes some 10 ms a megabyte: for a thread that nobody waits for. */
  constructor(text: string) {
    this.#text = text;

    this.#index();
  }

  get classCount(): number {
    return this.#places.size;
  }

  /** Name of a class as it was; one that is not in the mapping stays. Array brackets stay too. */
  originalName(minified: string): string {
    const base = baseName(minified);
    const place = this.#places.get(base);
    return place === undefined ? minified : place.original + minified.slice(base.length);
  }

  minifiedName(original: string): string {
    return this.#minifiedOf.get(original) ?? original;
  }

  class(minified: string): MappedClass | undefined {
    let found = this.#read.get(minified);
    const place = found === undefined ? this.#places.get(minified) : undefined;
    if (place !== undefined) {
      found = this.#readClass(minified, place);
      this.#read.set(minified, found);
    }
    return found;
  }

  /** Looked up by the name the class had in the source. */
  classByOriginal(original: string): MappedClass | undefined {
    const minified = this.#minifiedOf.get(original);
    return minified === undefined ? undefined : this.class(minified);
  }

  /**
   * The part of the mapping that retraces these classes' frames as all of it would: their members, and the names of
   * the classes that those speak of. A recording needs some thousandths of a large mapping.
   */
  excerpt(minified: Iterable<string>): string {
    const whole = new Set<string>();
    const named = new Set<string>();
    for (const name of minified) {
      const base = baseName(name);
      const mapped = this.class(base);
      if (mapped === undefined) continue;
      whole.add(base);
      for (const methods of mapped.methods.values()) {
        for (const { holder, returnType, parameters } of methods) {
          for (const original of [holder, returnType, ...parameters]) {
            const other = this.#minifiedOf.get(baseName(original));
            if (other !== undefined) named.add(other);
          }
        }
      }
    }
    const parts: string[] = [];
    let version = noVersion;
    // In the order of the file: versions hold for what follows them.
    for (const [name, place] of this.#places) {
      if (!whole.has(name) && !named.has(name)) continue;
      if (place.version.join('.') !== version.join('.')) {
        version = place.version;
        parts.push(versionLine(version));
      }
      parts.push(`${place.original} -> ${name}:\n`);
      const members = this.#text.slice(place.begin, place.end);
      parts.push(whole.has(name) ? members : (/^(?:[ \t]*#[^\n]*\n)*/.exec(members)?.[0] ?? ''));
      if (parts[parts.length - 1]?.endsWith('\n') === false) parts.push('\n');
    }
    return parts.join('');
  }

  #index(): void {
    const text = this.#text;
    let version = noVersion;
    let newest = newestVersion;
    let open: { minified: string; original: string; begin: number; version: MapVersion } | undefined;
    const close = (end: number): void => {
      if (open === undefined) return;
      this.#places.set(open.minified, {
        original: open.original,
        begin: open.begin,
        end,
        version: open.version,
      });
      this.#minifiedOf.set(open.original, open.minified);
      open = undefined;
    };
    for (let at = 0; at < text.length;) {
      const newline = text.indexOf('\n', at);
      const end = newline < 0 ? text.length : newline;
      const first = text.charCodeAt(at);
      const indented = first === 32 || first === 9;
      if (!indented && first === 35) {
        const information = parseInformation(text.slice(at, end), version);
        if (information?.id === 'version') {
          version = information.version;
          if (!atLeast(newest, version)) {
            newest = version;
            this.newerVersion = version.join('.');
          }
        }
      } else if (!indented && end > at) {
        const line = parseClassLine(text.slice(at, end));
        if (line !== undefined) {
          close(at);
          open = { ...line, begin: end + 1, version };
        }
      }
      at = end + 1;
    }
    close(text.length);
  }

  #readClass(minified: string, { original, begin, end, version }: Place): MappedClass {
    const methods = new Map<string, MappedMethod[]>();
    const fields = new Map<string, MappedField[]>();
    let sourceFile = '';
    let synthesized = false;
    /** What the next information belongs to; undefined: the class. */
    let member: MappingInformation[] | undefined;
    for (const raw of this.#text.slice(begin, end).split('\n')) {
      const line = raw.trim();
      if (line === '') continue;
      if (line.startsWith('#')) {
        const information = parseInformation(line, version);
        if (information === undefined) continue;
        if (member !== undefined) member.push(information);
        else if (information.id === 'sourceFile') sourceFile = information.fileName;
        else if (information.id === 'synthesized') synthesized = true;
        continue;
      }
      const parsed = parseMemberLine(line);
      if (parsed === undefined) continue;
      const information: MappingInformation[] = [];
      member = information;
      if (parsed.type === 'method') add(methods, parsed.minifiedName, { ...parsed, information });
      else add(fields, parsed.minifiedName, { ...parsed, information });
    }
    return { original, minified, sourceFile, synthesized, methods, fields };
  }
}

/** Without the brackets of an array. */
function baseName(type: string): string {
  const bracket = type.indexOf('[');
  return bracket < 0 ? type : type.slice(0, bracket);
}

function add<T>(to: Map<string, T[]>, key: string, value: T): void {
  const list = to.get(key);
  if (list === undefined) to.set(key, [value]);
  else list.push(value);
}
