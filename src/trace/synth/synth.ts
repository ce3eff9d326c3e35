/**
 * Recordings of a made-up program whose true times are known: for tests, benches, and for trying things out.
 *
 * The program is a tree of contexts. Each thread walks it: it returns some frames, calls some others, and stays in the
 * innermost one for a while, working or waiting, until it goes on. A sampler looks at it now and then, as an agent would:
 * the samples go into the recording, the times that really passed into the truth. The same options give the same bytes.
 */
import { EndReason, formatMajor, formatMinor, Mode, ThreadKind } from '../model/kinds.js';
import { ChunkKind } from '../recording/chunk.js';
import { Classes, Header, Hooks, Methods, Status, Threads } from '../recording/messages.js';
import { encodeNodes } from '../recording/nodes.js';
import { encodeSamples, type SampleRows } from '../recording/samples.js';
import { encodeOffCarrierWaits } from '../recording/off-carrier-waits.js';
import { type ByteSink, RecordingWriter } from '../recording/writer.js';
import type { PathTable } from '../assemble/paths.js';
import { Random } from './random.js';
import { synthDefaults, type SynthOptions } from './synth-options.js';
import { SynthProgram } from './synth-program.js';
import { SynthThread, TruthByPath } from './synth-thread.js';

/** What really happened, by method (numbered as in the program) in ns; recursion counted once in totals. */
export interface SynthTruth {
  readonly names: readonly string[];
  readonly selfWall: Float64Array;
  readonly totalWall: Float64Array;
  readonly selfCpu: Float64Array;
  readonly totalCpu: Float64Array;
  readonly selfBytes: Float64Array;
  /** Wall ns of each thread, in the order of thread indexes from 1. */
  readonly threadWall: Float64Array;
  readonly captures: number;
  readonly virtualThreads: readonly SynthVirtualTruth[];
}

export interface SynthVirtualTruth {
  readonly id: number;
  /** On its carrier. */
  readonly wall: number;
  readonly cpu: number;
  /** Off it. */
  readonly waited: number;
  readonly waits: number;
}

const rowsPerBlock = 512;
/** As many blocks fit into a chunk, each of them full. */
const threadsPerChunk = 256;

/** Writes the recording into `sink` and gives the truth. `onProgress` hears what share of it is done. */
export async function synthesize(
  sink: ByteSink,
  given: Partial<SynthOptions> = {},
  onProgress: (share: number) => void = () => undefined,
): Promise<SynthTruth> {
  const options = { ...synthDefaults, ...given };
  const writer = new RecordingWriter(sink, { deflate: options.deflate });
  const program = new SynthProgram(options);
  const truth = new TruthByPath(program.paths.count);
  const threads = Array.from(
    { length: options.threads },
    (_, at) => new SynthThread(program, options, at + 1, new Random(options.seed * 1000 + at + 1), truth),
  );
  await writer.add(ChunkKind.Header, header(options));
  await writer.add(ChunkKind.Hooks, Hooks.encode({ hooks: [{ name: 'synthetic', state: 0 }] }));
  for (const some of pieces(threadsOf(threads), 2000))
    await writer.add(ChunkKind.Threads, Threads.encode({ threads: some }));
  for (const classes of pieces(program.classes, 2000))
    await writer.add(ChunkKind.Classes, Classes.encode({ classes }));
  for (const methods of pieces(program.methods, 2000))
    await writer.add(ChunkKind.Methods, Methods.encode({ methods }));

  const share = Math.ceil(options.samples / options.threads);
  let captured = 0;
  while (threads.some((thread) => thread.captures < share)) {
    for (const some of pieces(threads, threadsPerChunk)) {
      // As an agent drains: the new nodes of all threads, then a block of samples of each.
      const blocks: SampleRows[] = [];
      for (const thread of some) {
        if (thread.captures >= share) continue;
        thread.run(Math.min(rowsPerBlock, share - thread.captures));
        blocks.push(thread.takeRows());
      }
      const nodes = program.takeNewNodes();
      if (nodes.id.length > 0) await writer.add(ChunkKind.Nodes, encodeNodes(nodes));
      await writer.add(ChunkKind.Samples, encodeSamples(blocks));
      await addWaits(writer, some);
    }
    onProgress(threads.reduce((sum, thread) => sum + thread.captures, 0) / (share * threads.length));
  }
  let endNs = 0;
  for (const thread of threads) {
    captured += thread.captures;
    endNs = Math.max(endNs, thread.now);
  }
  for (const { carried } of threads) carried?.end(endNs);
  await addWaits(writer, threads);
  await writer.add(
    ChunkKind.Status,
    Status.encode({ timeNs: endNs, samples: captured, captureNs: captured * 3000 }),
  );
  await writer.finish(EndReason.Stopped, '', endNs);
  return truthOf(program, threads, truth);
}

async function addWaits(writer: RecordingWriter, threads: readonly SynthThread[]): Promise<void> {
  for (const { carried } of threads) {
    const rows = carried?.takeRows();
    if (rows !== undefined && rows.id.length > 0)
      await writer.add(ChunkKind.OffCarrierWaits, encodeOffCarrierWaits(rows));
  }
}

function header(options: SynthOptions): Uint8Array {
  return Header.encode({
    major: formatMajor,
    minor: formatMinor,
    target: { name: 'synthetic', cpus: options.threads },
    clock: {
      monotonicNs: 1_000_000_000_000n,
      boottimeNs: 1_500_000_000_000n,
      realtimeNs: 1_750_000_000_000_000_000n,
    },
    config: { syncIntervalNs: options.intervalNs },
    mode: Mode.Synthetic,
    modeReason: `a made-up program, seed ${options.seed}`,
  });
}

function threadsOf(threads: readonly SynthThread[]) {
  return threads.map(({ index, carried }) => ({
    index,
    tid: 3999 + index,
    name: index === 1 ? 'main' : `worker-${index - 1}`,
    isMain: index === 1,
    kind: carried === undefined ? ThreadKind.Platform : ThreadKind.Carrier,
  }));
}

function truthOf(
  program: SynthProgram,
  threads: readonly SynthThread[],
  { wall, cpu, bytes }: TruthByPath,
): SynthTruth {
  const { paths, methods } = program;
  const [selfWall, totalWall] = byMethod(paths, wall, methods.length);
  const [selfCpu, totalCpu] = byMethod(paths, cpu, methods.length);
  const [selfBytes] = byMethod(paths, bytes, methods.length);
  return {
    names: methods.map((_, method) => program.qualifiedName(method)),
    selfWall,
    totalWall,
    selfCpu,
    totalCpu,
    selfBytes,
    threadWall: Float64Array.from(threads, (thread) => thread.now),
    captures: threads.reduce((sum, thread) => sum + thread.captures, 0),
    virtualThreads: threads.flatMap(({ carried }) => carried?.threads ?? []),
  };
}

function byMethod(paths: PathTable, selfByPath: Float64Array, methods: number): [Float64Array, Float64Array] {
  const self = new Float64Array(methods);
  const total = new Float64Array(methods);
  const below = selfByPath.slice();
  const { parent, method, recursive } = paths;
  for (let path = paths.count - 1; path > 0; path--) {
    const own = method[path] as number;
    self[own] = (self[own] as number) + (selfByPath[path] as number);
    if (recursive[path] === 0) total[own] = (total[own] as number) + (below[path] as number);
    const above = parent[path] as number;
    below[above] = (below[above] as number) + (below[path] as number);
  }
  return [self, total];
}

function* pieces<T>(all: readonly T[], size: number): Generator<T[]> {
  for (let at = 0; at < all.length; at += size) yield all.slice(at, at + size);
}
