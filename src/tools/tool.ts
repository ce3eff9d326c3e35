/** A tool for language models, and what it needs of the place that it runs in. */
import type { QueryResult } from '../query/query-engine.js';
import type { Target } from '../targets/target.js';
import type { Trace } from '../trace/index.js';

/** What a tool knows of a target. It may have come from another thread. */
export type ListedTarget = Pick<Target, 'id' | 'name' | 'runtime' | 'refusal'>;

/** The file of a recording, or why there is none. */
export type Recorded = { readonly file: string } | { readonly refusal: string };

/** Text of a source file, and its path within the folder that the person works in. */
export interface FoundSource {
  readonly path: string;
  readonly text: string;
}

export interface ToolHost {
  listTargets(): Promise<readonly ListedTarget[]>;
  /** Records the target with this id for so long, after a person has agreed. */
  record(id: string, seconds: number): Promise<Recorded>;
  open(file: string): Promise<Trace>;
  query(file: string, sql: string, rows: number): Promise<QueryResult>;
  /** Text of a source file below the folders that the person works in; undefined if there is none of this name. */
  source(file: string): Promise<FoundSource | undefined>;
}

export type ToolInput = Readonly<Record<string, unknown>>;

interface Property {
  readonly type: 'string' | 'number';
  readonly description: string;
}

export interface Tool {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  /** JSON Schema. */
  readonly inputSchema: {
    readonly type: 'object';
    readonly properties: Readonly<Record<string, Property>>;
    readonly required: string[];
  };
  /** It changes something or costs a running program something: a person is asked each time. */
  readonly needsConsent: boolean;
  run(host: ToolHost, input: ToolInput): Promise<string>;
}

/** The input does not fit: told to the model, which may try again. */
export class ToolInputError extends Error {
  override readonly name = 'ToolInputError';
}

export function textInput(input: ToolInput, name: string): string {
  const value = input[name];
  if (typeof value !== 'string' || value === '') throw new ToolInputError(`"${name}" has to be a text.`);
  return value;
}

export function optionalText(input: ToolInput, name: string): string | undefined {
  return input[name] === undefined ? undefined : textInput(input, name);
}

export function numberInput(input: ToolInput, name: string, usual: number): number {
  const value = input[name] ?? usual;
  if (typeof value !== 'number' || !Number.isFinite(value) || value < 0)
    throw new ToolInputError(`"${name}" has to be a number of 0 or more.`);
  return value;
}
