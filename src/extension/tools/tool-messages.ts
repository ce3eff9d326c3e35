/** What the host and the tools' worker thread say to each other. Either side asks; an answer has the id of its question. */
import type { ToolInput } from '../../tools/tool.js';
import type { KnownRetraceMappings } from '../engine/engine-messages.js';

/** Where and how the worker reads recordings: the same for all questions of one client, but for the mappings. */
export interface ToolPlace {
  /** Paths that are not absolute begin here; empty: no folder is open. */
  readonly folder: string;
  readonly dist: string;
  readonly memoryBytes: number;
  /** Whether names of a trace's code are looked up in the files that it tells of. */
  readonly namesCode: boolean;
  readonly mapping: KnownRetraceMappings;
}

/** What the worker asks the host for. */
export type HostCall =
  | { readonly name: 'listTargets' }
  | { readonly name: 'record'; readonly target: string; readonly seconds: number }
  | { readonly name: 'source'; readonly file: string };

/** The worker → the host. */
export type ToHost =
  | { readonly type: 'answered'; readonly id: number; readonly text: string; readonly isError: boolean }
  | { readonly type: 'call'; readonly id: number; readonly call: HostCall }
  | { readonly type: 'ending' };

/** The host → the worker. */
export type ToWorker =
  | {
      readonly type: 'ask';
      readonly id: number;
      readonly tool: string;
      readonly input: ToolInput;
      readonly place: ToolPlace;
    }
  | { readonly type: 'done'; readonly id: number; readonly value: unknown }
  | { readonly type: 'failed'; readonly id: number; readonly message: string }
  | { readonly type: 'end' };
