/** Recordings of threads whose work is listed piece by piece: for rules that have to tell of it, or must not. */
import { CounterBit, EndReason, MethodKind, SampleKind } from '../../../src/trace/model/kinds.js';
import type { Trace } from '../../../src/trace/model/trace.js';
import { ChunkKind, encodeChunk, fileMagic } from '../../../src/trace/recording/chunk.js';
import { Classes, Footer, Header, Methods, Texts, Threads } from '../../../src/trace/recording/messages.js';
import { encodeNodes } from '../../../src/trace/recording/nodes.js';
import { encodeSamples, type SampleRows } from '../../../src/trace/recording/samples.js';
import { KernelEvents } from '../../../src/trace/system/kernel-events.js';
import { layBeside } from '../../../src/trace/system/lay-beside.js';
import { decoded } from './recordings.js';

export interface Piece {
  /** "Shop.run > Shop.price", the outermost call first. */
  readonly in: string;
  readonly ms: number;
  /** CPU time by wall time, 1 if absent. */
  readonly cpu?: number;
  /** A SampleKind: the whole piece is one wait. */
  readonly wait?: number;
  /** Of a wait for a lock: index of the thread that owns it. */
  readonly owner?: number;
  readonly bytesPerMs?: number;
  readonly switchesPerMs?: number;
  /** At its begin it says that this counter of the program has this value; without one, that it is a marker. */
  readonly says?: { readonly text: string; readonly value?: number };
  /** Major page faults. */
  readonly faultsPerMs?: number;
}

export interface Worker {
  readonly name: string;
  readonly kind?: number;
  readonly isMain?: boolean;
  /** Absent: it was there before the recording. */
  readonly beginMs?: number;
  readonly creator?: number;
  readonly pieces: readonly Piece[];
}

/** A switch of core 0 from one thread to another; `state` is what the first one is left in. */
export interface Switch {
  readonly atMs: number;
  readonly from: number;
  readonly state: number;
  readonly to: number;
}

const ms = 1e6;
/** The first piece of evidence. Not 0: a begin of 0 means that a thread was there before. */
const firstNs = 1000 * ms;

/** Numbers of methods and stacks, from 1 on, as they are first used. */
class Stacks {
  readonly #methods = new Map<string, number>();
  readonly #nodes = new Map<string, { readonly parent: number; readonly method: number }>();
  readonly #ids = new Map<string, number>();
  readonly #texts = new Map<string, number>();

  text(value: string): number {
    const known = this.#texts.get(value) ?? this.#texts.size + 1;
    this.#texts.set(value, known);
    return known;
  }

  of(stack: string): number {
    let parent = 0;
    let path = '';
    for (const name of stack.split(' > ')) {
      path = `${path} > ${name}`;
      let id = this.#ids.get(path);
      if (id === undefined) {
        const method = this.#methods.get(name) ?? this.#methods.size + 1;
        this.#methods.set(name, method);
        this.#ids.set(path, (id = this.#ids.size + 1));
        this.#nodes.set(path, { parent, method });
      }
      parent = id;
    }
    return parent;
  }

  chunks(): [number, Uint8Array][] {
    const methods = [...this.#methods.keys()].map((name) => name.split(/\.(?=[^.]*$)/));
    const nodes = [...this.#nodes.values()];
    return [
      [ChunkKind.Texts, Texts.encode({ texts: [...this.#texts].map(([value, id]) => ({ id, value })) })],
      [
        ChunkKind.Classes,
        Classes.encode({
          classes: methods.map(([name = ''], at) => ({ id: at + 1, name, file: `${name}.java` })),
        }),
      ],
      [
        ChunkKind.Methods,
        Methods.encode({
          methods: methods.map(([first = '', name], at) =>
            name === undefined
              ? { id: at + 1, name: first, kind: MethodKind.Stub }
              : { id: at + 1, classId: at + 1, name },
          ),
        }),
      ],
      [
        ChunkKind.Nodes,
        encodeNodes({
          id: nodes.map((_, at) => at + 1),
          parent: nodes.map(({ parent }) => parent),
          frame: nodes.map(({ method }) => method),
          position: nodes.map(() => -1),
        }),
      ],
    ];
  }
}

/** A sample a millisecond of work, and one for each wait. */
function rowsOf({ pieces, beginMs = 0 }: Worker, thread: number, stacks: Stacks): SampleRows {
  const rows: number[][] = [];
  let [now, cpu, bytes, switches, faults] = [firstNs + beginMs * ms, 0, 0, 0, 0];
  const add = (stack: number, kind: number, duration: number, owner = 0, text = 0, object = 0): void =>
    void rows.push([now, cpu, bytes, switches, stack, kind, duration, owner, faults, text, object]);
  for (const piece of pieces) {
    const stack = stacks.of(piece.in);
    if (piece.says !== undefined) {
      const { text, value = -1 } = piece.says;
      add(stack, SampleKind.Marker, 0, 0, stacks.text(text), value + 1);
    }
    if (piece.wait !== undefined) {
      add(stack, piece.wait, piece.ms * ms, piece.owner);
      now += piece.ms * ms;
      continue;
    }
    for (let left = piece.ms; left > 0; left--) {
      add(stack, SampleKind.Allocation, 0);
      now += ms;
      cpu += ms * (piece.cpu ?? 1);
      bytes += piece.bytesPerMs ?? 0;
      switches += piece.switchesPerMs ?? 0;
      faults += piece.faultsPerMs ?? 0;
    }
    add(stack, SampleKind.Allocation, 0);
  }
  const column = (at: number): number[] => rows.map((row) => row[at] ?? 0);
  return {
    thread,
    counters: CounterBit.Cpu | CounterBit.AllocatedBytes | CounterBit.Switches | CounterBit.Faults,
    time: column(0),
    cpu: column(1),
    allocatedBytes: column(2),
    voluntarySwitches: column(3),
    stack: column(4),
    kind: column(5),
    duration: column(6),
    peer: column(7),
    majorFaults: column(8),
    text: column(9),
    object: column(10),
  };
}

/** The threads have the indexes 1, 2 and so on, and the numbers (tid) 101, 102 and so on. */
export function workedBytes(
  workers: readonly Worker[],
  lengthMs: number,
  switches: readonly Switch[] = [],
  header: Parameters<typeof Header.encode>[0] = {},
  reason: number = EndReason.Stopped,
  source = 'ftrace',
): Uint8Array {
  const stacks = new Stacks();
  const samples = workers.map((worker, at) => rowsOf(worker, at + 1, stacks));
  const endNs = firstNs + lengthMs * ms;
  const chunks: (readonly [number, Uint8Array])[] = [
    [ChunkKind.Header, Header.encode({ major: 1, config: { syncIntervalNs: ms }, ...header })],
    [
      ChunkKind.Threads,
      Threads.encode({
        threads: workers.map(({ name, kind = 0, isMain = false, beginMs, creator = 0 }, at) => ({
          ...{ index: at + 1, tid: at + 101, name, kind, isMain, creator },
          ...(beginMs !== undefined && { beginNs: firstNs + beginMs * ms }),
        })),
      }),
    ],
    ...stacks.chunks(),
    [ChunkKind.Samples, encodeSamples(samples)],
    ...scheduler(switches, endNs, source),
    [ChunkKind.Footer, Footer.encode({ endNs, reason })],
  ];
  return Buffer.concat([fileMagic, ...chunks.map(([kind, payload], at) => encodeChunk(kind, payload, at))]);
}

function scheduler(
  switches: readonly Switch[],
  endNs: number,
  source: string,
): (readonly [number, Uint8Array])[] {
  if (switches.length === 0) return [];
  const events = new KernelEvents();
  for (const { atMs, from, state, to } of switches) events.switched(firstNs + atMs * ms, from, state, to, 0);
  const shift = { ns: 0, clock: 'monotonic', isMeasured: true } as const;
  return [...layBeside(events, shift, source, { beginNs: firstNs, endNs }).chunks];
}

export const workedTrace = (
  workers: readonly Worker[],
  lengthMs: number,
  switches: readonly Switch[] = [],
  source?: string,
): Trace => decoded(workedBytes(workers, lengthMs, switches, {}, EndReason.Stopped, source));
