/** The methods of a retraced trace, numbered from 0 in the order in which its stacks mention them. */
import type { Methods } from '../../trace/model/trace.js';
import { qualifiedWritten, type WrittenName, writtenName } from '../../trace/model/written-name.js';
import type { Frame } from '../wanted-source.js';

interface Retraced {
  readonly frame: Frame;
  firstLine: number;
}

const noHash = new Uint8Array(0);

export class RetracedMethods implements Methods {
  /** By number: the recording's own method, which tells the kind of retraced ones too. */
  readonly #recordedOf: number[] = [];
  readonly #retracedAt: (Retraced | undefined)[] = [];
  readonly #numbers = new Map<number | string, number>();
  readonly #before: Methods;

  constructor(before: Methods) {
    this.#before = before;
  }

  get count(): number {
    return this.#recordedOf.length;
  }

  /** The number of a method that stays as it was recorded. */
  recorded(method: number): number {
    return this.#number(method, method, undefined);
  }

  /** The number of what the recorded `method` was; at this frame's line it was seen. */
  retraced(method: number, frame: Frame): number {
    const { className, method: name, signature, line } = frame;
    const number = this.#number(`${className}.${name}${signature}`, method, { frame, firstLine: line });
    const known = this.#retracedAt[number];
    if (known !== undefined && line > 0 && (known.firstLine === 0 || line < known.firstLine))
      known.firstLine = line;
    return number;
  }

  #number(key: number | string, method: number, retraced: Retraced | undefined): number {
    let number = this.#numbers.get(key);
    if (number === undefined) {
      number = this.#recordedOf.length;
      this.#numbers.set(key, number);
      this.#recordedOf.push(method);
      this.#retracedAt.push(retraced);
    }
    return number;
  }

  #frame(method: number): Frame | undefined {
    return this.#retracedAt[method]?.frame;
  }

  #own(method: number): number {
    return this.#recordedOf[method] ?? 0;
  }

  className(method: number): string {
    return this.#frame(method)?.className ?? this.#before.className(this.#own(method));
  }

  name(method: number): string {
    return this.#frame(method)?.method ?? this.#before.name(this.#own(method));
  }

  qualifiedName(method: number): string {
    const frame = this.#frame(method);
    if (frame === undefined) return this.#before.qualifiedName(this.#own(method));
    const written = this.written(method);
    return written === undefined ? `${frame.className}.${frame.method}` : qualifiedWritten(written);
  }

  written(method: number): WrittenName | undefined {
    const frame = this.#frame(method);
    if (frame === undefined) return this.#before.written?.(this.#own(method));
    return writtenName(frame.className, frame.method, () => frame.file);
  }

  signature(method: number): string {
    return this.#frame(method)?.signature ?? this.#before.signature(this.#own(method));
  }

  file(method: number): string {
    return this.#frame(method)?.file ?? this.#before.file(this.#own(method));
  }

  kind(method: number): number {
    return this.#before.kind(this.#own(method));
  }

  /** Of a retraced method the first that was seen: a mapping does not tell where a method begins. */
  firstLine(method: number): number {
    return this.#retracedAt[method]?.firstLine ?? this.#before.firstLine(this.#own(method));
  }

  sourceHash(method: number): Uint8Array {
    return this.#frame(method) === undefined
      ? (this.#before.sourceHash?.(this.#own(method)) ?? noHash)
      : noHash;
  }

  /** Positions of retraced frames are their lines. */
  lineAt(method: number, position: number): number {
    return this.#frame(method) === undefined ? this.#before.lineAt(this.#own(method), position) : position;
  }
}
