/**
 * Checks every message between extension and page when it arrives. Types end where bytes arrive: a page may be of another version, or
 * framed by a stranger. A message that is not as `messages.ts` says is dropped.
 */
import {
  sourceOpenings,
  pageViews,
  type CodeFrame,
  type CodeNames,
  type HostMessage,
  type PageCommand,
  type PageRetraceMapping,
  type PageMessage,
  type PageSettings,
  type SourceKey,
} from './messages.js';

type Check<T> = (value: unknown) => value is T;
/** One check for each field: a field that is added to a message does not compile until it has one here. */
type Fields<T> = { readonly [K in keyof T]-?: Check<T[K]> };
type Message = { readonly type: string };
type Table<M extends Message> = {
  readonly [T in M['type']]: Fields<Omit<Extract<M, { readonly type: T }>, 'type'>>;
};

/** Of UTF-16 units: 64 times the longest name that a class file can hold, for traces of other tools. */
const longestName = 2 ** 24;
/** A copied table, or the part of a mapping that a large app needs. */
const longestText = 2 ** 28;
/** Classes, prefixes, files, texts. */
const mostItems = 2 ** 20;
/** Hosts cut files into pieces of 8 MiB at most. */
const mostPieceBytes = 2 ** 31;

const text =
  (longest: number): Check<string> =>
  (value): value is string =>
    typeof value === 'string' && value.length <= longest;
const isName = text(longestName);
const isText = text(longestText);
const isBoolean: Check<boolean> = (value): value is boolean => typeof value === 'boolean';
const isInteger: Check<number> = (value): value is number => Number.isSafeInteger(value);
const isCount: Check<number> = (value): value is number => isInteger(value) && value >= 0;
const isPiece: Check<ArrayBuffer> = (value): value is ArrayBuffer =>
  value instanceof ArrayBuffer && value.byteLength <= mostPieceBytes;

const optional =
  <T>(check: Check<T>): Check<T | undefined> =>
  (value): value is T | undefined =>
    value === undefined || check(value);
const oneOf =
  <T extends string>(known: readonly T[]): Check<T> =>
  (value): value is T =>
    known.some((one) => one === value);
const list =
  <T>(check: Check<T>): Check<readonly T[]> =>
  (value): value is readonly T[] =>
    Array.isArray(value) && value.length <= mostItems && value.every((item) => check(item));

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const record =
  <T>(check: Check<T>): Check<Readonly<Record<string, T>>> =>
  (value): value is Readonly<Record<string, T>> => {
    if (!isObject(value)) return false;
    const entries = Object.entries(value);
    return entries.length <= mostItems && entries.every(([key, item]) => isName(key) && check(item));
  };

/** The first field of `value` that is missing or wrong. What only a prototype has is missing. */
function wrongField<T>(value: Readonly<Record<string, unknown>>, fields: Fields<T>): string | undefined {
  const checks = Object.entries<Check<unknown>>(fields);
  return checks.find(([name, check]) => !check(Object.hasOwn(value, name) ? value[name] : undefined))?.[0];
}

const object =
  <T>(fields: Fields<T>): Check<T> =>
  (value): value is T & Readonly<Record<string, unknown>> =>
    isObject(value) && wrongField(value, fields) === undefined;

const sourceKey: Fields<SourceKey> = {
  className: isName,
  method: isName,
  signature: isName,
  file: isName,
  line: isInteger,
};

const settings: Fields<PageSettings> = {
  myPackages: list(isName),
  mapping: optional(object<PageRetraceMapping>({ chosen: isName })),
  keys: optional(record(list(isName))),
  clickSelectsOnly: optional(isBoolean),
  memoryBytes: optional(isCount),
  texts: record(isName),
};

const codeFrame: Fields<CodeFrame> = { name: isName, file: isName, line: isInteger };
const codeNames: Fields<CodeNames> = {
  path: isName,
  buildId: isName,
  pid: isInteger,
  offsets: list(isCount),
  frames: list(list(object(codeFrame))),
};

const commands: readonly PageCommand[] = [
  ...pageViews,
  ...(['find', 'help', 'zoomIn', 'zoomOut', 'zoomAll', 'copyName', 'exportHtml'] as const),
];

const hostMessages: Table<HostMessage> = {
  open: { name: isName, totalBytes: isCount, live: isBoolean, settings: object(settings) },
  bytes: { offset: isCount, data: isPiece },
  codeNames: { names: list(object(codeNames)) },
  end: {},
  settings: { settings: object(settings) },
  baseline: { name: isName, totalBytes: isCount },
  baselineBytes: { data: isPiece },
  baselineCodeNames: { names: list(object(codeNames)) },
  baselineEnd: {},
  noBaseline: { name: isName, why: isName },
  changedSources: { files: list(isName) },
  reveal: { key: object(sourceKey) },
  revealStretch: { thread: isCount, beginNs: isInteger, endNs: isInteger },
  problem: { message: isName },
  retraceMapping: { file: isName, text: isText, isOther: optional(isBoolean) },
  command: { command: oneOf(commands) },
};

const pageMessages: Table<PageMessage> = {
  ready: {},
  openSource: {
    key: object(sourceKey),
    how: oneOf(sourceOpenings),
    line: isCount,
    isRecorded: isBoolean,
  },
  wantRetraceMapping: { classes: list(isName), mapId: isName },
  compareWith: { another: isBoolean },
  copy: { text: isText },
  opened: { threads: isCount, samples: isCount, problems: isCount },
  compared: { problem: isName },
  notTrace: { what: isName },
  failed: { message: isName },
  kept: { state: isText },
  exportHtml: {},
};

/** Why `value` is no message, in words that hold nothing of it. */
function whyNot<M extends Message>(value: unknown, table: Table<M>): string | undefined {
  if (!isObject(value)) return 'A message is no object';
  const { type } = value;
  if (typeof type !== 'string' || !Object.hasOwn(value, 'type')) return 'A message has no type';
  if (!Object.hasOwn(table, type)) return 'A message has an unknown type';
  const field = wrongField(value, table[type as M['type']]);
  return field === undefined ? undefined : `A message ${type} has no or a wrong ${field}`;
}

/** Gives the message, or nothing where it is none. */
export type Checker<M> = (value: unknown) => M | undefined;

/** Tells each reason once: a host that is wrong may be so for each of many messages. */
function checker<M extends Message>(table: Table<M>, tell: (why: string) => void): Checker<M> {
  const told = new Set<string>();
  return (value) => {
    let why: string | undefined;
    try {
      why = whyNot(value, table);
    } catch {
      // Only what was not sent at all, but made here, has fields that throw.
      why = 'A message cannot be read';
    }
    if (why === undefined) return value as M;
    if (!told.has(why)) tell(`${why}; it was dropped.`);
    told.add(why);
    return undefined;
  };
}

/** For what the extension gets. */
export const pageMessageChecker = (tell: (why: string) => void): Checker<PageMessage> =>
  checker(pageMessages, tell);

/** For what the page gets. */
export const hostMessageChecker = (tell: (why: string) => void): Checker<HostMessage> =>
  checker(hostMessages, tell);
