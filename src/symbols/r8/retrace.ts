/**
 * From frames of a minified program back to frames as written: names, overloads, inline frames, lines, outlines.
 * What a mapping does not know stays as it was.
 */
import type { RetraceMapping, MappedClass, MappedField, MappedMethod } from './retrace-mapping.js';
import type { LineRange } from './mapping-line.js';
import type { Frame } from '../wanted-source.js';

/** The frames one minified frame stands for, innermost first. */
export type Retraced = readonly Frame[];

export interface RetraceContext {
  /** Class of the exception that this stack belongs to, minified; profiles have none. */
  readonly thrown?: string;
}

/** Methods that share one line range of the minified program: inlined into each other, innermost first. */
export interface Group {
  readonly range: LineRange | undefined;
  readonly methods: MappedMethod[];
}

/**
 * All that the frame may have been: several where overloads share a name and nothing tells them apart. Never empty, unless the
 * whole frame was made up by the compiler.
 */
export function retraceFrame(mapping: RetraceMapping, frame: Frame): readonly Retraced[] {
  return alternatives(mapping, frame).map(({ frames }) => frames);
}

/**
 * A whole stack, innermost first, with outlines put back where they were called from. Where a frame is ambiguous the first
 * alternative is taken.
 */
export function retraceStack(
  mapping: RetraceMapping,
  stack: readonly Frame[],
  context: RetraceContext = {},
): Retraced {
  const result: Frame[] = [];
  /** Line inside an outline whose call site is further out. */
  let outlineLine: number | undefined;
  for (const [at, frame] of stack.entries()) {
    const line: number =
      outlineLine === undefined ? frame.line : (callsiteLine(mapping, frame, outlineLine) ?? frame.line);
    outlineLine = undefined;
    const [first] = alternatives(mapping, line === frame.line ? frame : { ...frame, line });
    if (first === undefined) continue;
    if (first.outline) {
      outlineLine = line;
      continue;
    }
    const remove = at === 0 ? innerFramesToRemove(mapping, first.group, context) : 0;
    result.push(...first.frames.slice(remove));
  }
  return result;
}

export interface RetracedField {
  readonly className: string;
  readonly name: string;
  readonly type: string;
}

/** `minifiedType` tells fields of one minified name apart, where given. */
export function retraceField(
  mapping: RetraceMapping,
  minifiedClass: string,
  minifiedName: string,
  minifiedType?: string,
): readonly RetracedField[] {
  const owner = mapping.class(minifiedClass);
  const known = owner?.fields.get(minifiedName) ?? [];
  const fitting = known.filter(
    (field) => minifiedType === undefined || fieldFits(mapping, field, minifiedType),
  );
  if (owner === undefined || fitting.length === 0) {
    return [{ className: mapping.originalName(minifiedClass), name: minifiedName, type: minifiedType ?? '' }];
  }
  return fitting.map((field) => ({
    className: field.holder === '' ? owner.original : field.holder,
    name: field.name,
    type: field.fieldType,
  }));
}

function fieldFits(mapping: RetraceMapping, field: MappedField, minifiedType: string): boolean {
  const residual = field.information.find((one) => one.id === 'residualSignature');
  const signature = residual?.signature ?? descriptor(mapping.minifiedName(field.fieldType));
  return signature === minifiedType || signature === descriptor(minifiedType);
}

/** What one frame may have been. */
export interface Alternative {
  readonly frames: Retraced;
  /** Code that the compiler took out of several methods: where it was is told by the frame that called it. */
  readonly outline: boolean;
  readonly group: Group | undefined;
}

export function alternatives(mapping: RetraceMapping, frame: Frame): readonly Alternative[] {
  const owner = mapping.class(frame.className);
  if (owner === undefined) {
    return [
      {
        frames: [{ ...frame, className: mapping.originalName(frame.className) }],
        outline: false,
        group: undefined,
      },
    ];
  }
  const groups = groupsFor(mapping, owner, frame);
  if (groups.length === 0) {
    const file = owner.sourceFile === '' ? frame.file : owner.sourceFile;
    return [{ frames: [{ ...frame, className: owner.original, file }], outline: false, group: undefined }];
  }
  return groups
    .map((group) => {
      const outline = group.methods.some((method) => has(method, 'outline'));
      // The outermost method of a group is the one that was made up, if any was: what was inlined into it is real.
      const last = group.methods[group.methods.length - 1];
      const real =
        last !== undefined && has(last, 'synthesized') ? group.methods.slice(0, -1) : group.methods;
      const frames = real.map((method) => originalFrame(mapping, owner, method, frame));
      return { frames, outline, group };
    })
    .filter(({ frames, outline }) => frames.length > 0 || outline);
}

/** Groups of this method that fit the frame's line and signature. */
function groupsFor(mapping: RetraceMapping, owner: MappedClass, frame: Frame): readonly Group[] {
  const all = group(owner.methods.get(frame.method) ?? []);
  const fitting = all.filter((one) => signatureFits(mapping, one, frame.signature));
  // A signature that fits nothing was minified in a way that the mapping does not tell: then it tells nothing.
  const methods = fitting.length > 0 ? fitting : all;
  // Also line 0: where a mapping counts in code units, that is the first.
  const inRange = methods.filter(({ range }) => range !== undefined && holds(range, frame.line));
  if (inRange.length > 0) return inRange;
  if (frame.line > 0) {
    const anywhere = methods.filter(({ range }) => range === undefined || isCatchAll(range));
    if (anywhere.length > 0) return anywhere;
  }
  return distinctOutermost(methods);
}

/** R8 marks a mapping for every line by 0:0, or (2.2) by 0:65535. */
function isCatchAll(range: LineRange): boolean {
  return range.from === 0 && (range.to === 0 || range.to === 65535);
}

function holds(range: LineRange, line: number): boolean {
  return !isCatchAll(range) && range.from <= line && line <= range.to;
}

function group(methods: readonly MappedMethod[]): Group[] {
  const groups: Group[] = [];
  for (const method of methods) {
    const last = groups[groups.length - 1];
    const same = last !== undefined && last.range !== undefined && sameRange(last.range, method.minified);
    if (same) last.methods.push(method);
    else groups.push({ range: method.minified, methods: [method] });
  }
  return groups;
}

function sameRange(a: LineRange, b: LineRange | undefined): boolean {
  return b !== undefined && a.from === b.from && a.to === b.to;
}

/**
 * Without a line only the method itself is known, not what was inlined where, unless that is the same at every line: one group a method as
 * it was written.
 */
function distinctOutermost(groups: readonly Group[]): readonly Group[] {
  const seen = new Map<string, Group>();
  for (const one of groups) {
    const outermost = one.methods[one.methods.length - 1];
    if (outermost === undefined) continue;
    const { holder, name, parameters, returnType } = outermost;
    const key = `${holder}.${name}(${parameters.join()})${returnType}`;
    if (seen.has(key)) continue;
    const isEverywhere = one.range !== undefined && isCatchAll(one.range);
    seen.set(key, isEverywhere ? one : { range: undefined, methods: [outermost] });
  }
  return [...seen.values()];
}

function originalFrame(
  mapping: RetraceMapping,
  owner: MappedClass,
  method: MappedMethod,
  frame: Frame,
): Frame {
  const className = method.holder === '' ? owner.original : method.holder;
  const holder = method.holder === '' ? owner : mapping.classByOriginal(method.holder);
  const known = holder?.sourceFile ?? '';
  // R8 writes a name of its own where the class is one of its own.
  const file = known !== '' && !known.startsWith('R8$$') ? known : guessFile(className, frame.file);
  return {
    className,
    method: method.name,
    signature: `(${method.parameters.map(descriptor).join('')})${descriptor(method.returnType)}`,
    file,
    line: originalLine(method, frame.line),
  };
}

export function originalLine(method: Pick<MappedMethod, 'minified' | 'original'>, line: number): number {
  const { minified, original } = method;
  if (original === undefined) return line;
  if (original.from === original.to) return original.from;
  if (minified === undefined || isCatchAll(minified)) {
    // The range of the whole method: its line is kept where it lies within.
    return line >= original.from && line <= original.to ? line : line === 0 ? 0 : original.from;
  }
  if (!holds(minified, line)) return 0;
  return Math.min(original.from + (line - minified.from), original.to);
}

/** "com.example.Shop$Cart" → "Shop.java", or .kt where the minified program says so. */
function guessFile(className: string, minifiedFile: string): string {
  const outer = className.slice(className.lastIndexOf('.') + 1).split('$')[0] ?? '';
  const extension = /\.kt$/.test(minifiedFile) || /Kt$/.test(outer) ? 'kt' : 'java';
  return outer === '' ? '' : `${extension === 'kt' ? outer.replace(/Kt$/, '') : outer}.${extension}`;
}

function has(method: MappedMethod, id: 'synthesized' | 'outline'): boolean {
  return method.information.some((information) => information.id === id);
}

/** Where a line of an outline was, in the caller. */
export function callsiteLine(mapping: RetraceMapping, frame: Frame, line: number): number | undefined {
  const methods = mapping.class(frame.className)?.methods.get(frame.method) ?? [];
  for (const method of methods) {
    const callsite = method.information.find((information) => information.id === 'outlineCallsite');
    const { minified } = method;
    const here = minified === undefined || isCatchAll(minified) || holds(minified, frame.line);
    if (callsite !== undefined && here) return callsite.positions.get(line);
  }
  return undefined;
}

/** A null check that was inlined: its frame is not there in the original when it is the one that throws. */
function innerFramesToRemove(
  mapping: RetraceMapping,
  inlined: Group | undefined,
  { thrown }: RetraceContext,
): number {
  if (thrown === undefined || inlined === undefined) return 0;
  const names = [thrown, mapping.originalName(thrown), mapping.minifiedName(thrown)];
  let remove = 0;
  for (const { information } of inlined.methods) {
    for (const one of information) {
      if (one.id === 'rewriteFrame' && one.throws.every((type) => names.includes(type)))
        remove += one.removeInner;
    }
  }
  return remove;
}

function signatureFits(mapping: RetraceMapping, { methods }: Group, signature: string): boolean {
  const outermost = methods[methods.length - 1];
  if (signature === '' || outermost === undefined) return true;
  const residual = outermost.information.find((one) => one.id === 'residualSignature');
  return signature === (residual?.signature ?? minifiedSignature(mapping, outermost));
}

function minifiedSignature(mapping: RetraceMapping, method: MappedMethod): string {
  const minified = (type: string): string => {
    const base = /^[^[\]]*/.exec(type)?.[0] ?? type;
    return descriptor(mapping.minifiedName(base) + type.slice(base.length));
  };
  return `(${method.parameters.map(minified).join('')})${minified(method.returnType)}`;
}

const primitives: Readonly<Record<string, string>> = {
  void: 'V',
  boolean: 'Z',
  byte: 'B',
  char: 'C',
  short: 'S',
  int: 'I',
  long: 'J',
  float: 'F',
  double: 'D',
};

/** "int[]" → "[I", "com.example.Shop" → "Lcom/example/Shop;" */
function descriptor(type: string): string {
  const base = /^[^[\]]*/.exec(type)?.[0] ?? type;
  const dimensions = (type.length - base.length) / 2;
  return '['.repeat(Math.max(0, dimensions)) + (primitives[base] ?? `L${base.replaceAll('.', '/')};`);
}
