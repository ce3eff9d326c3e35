/** Recordings of a program that starts a thread for each task, as the agent writes them. */
import { CounterBit } from '../../../src/trace/model/kinds.js';
import { ChunkKind, encodeChunk, fileMagic } from '../../../src/trace/recording/chunk.js';
import { Header, Status, Threads } from '../../../src/trace/recording/messages.js';
import { encodeNodes } from '../../../src/trace/recording/nodes.js';
import { encodeSamples, type SampleRows } from '../../../src/trace/recording/samples.js';

/** Threads in a chunk of either kind. */
const inAChunk = 1000;
/** Frames of each stack; there are as many stacks as that, too. */
const depth = 24;
const tickNs = 1e6;

/** So many threads of two samples each. Chunks are packed as the agent packs them. */
export function manyThreads(count: number): Uint8Array {
  const parts: Uint8Array[] = [fileMagic];
  const put = (kind: ChunkKind, payload: Uint8Array): void =>
    void parts.push(encodeChunk(kind, payload, parts.length - 1, { deflate: true }));
  put(ChunkKind.Header, Header.encode({ major: 1, minor: 0, config: { syncIntervalNs: tickNs } }));
  put(ChunkKind.Nodes, stacks());
  for (let first = 0; first < count; first += inAChunk) {
    const numbers = Array.from({ length: Math.min(inAChunk, count - first) }, (_, at) => first + at + 1);
    put(
      ChunkKind.Threads,
      Threads.encode({
        threads: numbers.map((index) => ({
          index,
          tid: 4000 + index,
          javaId: 30 + index,
          name: `storm-${index}`,
          beginNs: index * tickNs,
          endNs: (index + 4) * tickNs,
        })),
      }),
    );
    put(ChunkKind.Samples, encodeSamples(numbers.map(samplesOf)));
  }
  put(ChunkKind.Status, Status.encode({ samples: 2 * count }));
  return new Uint8Array(Buffer.concat(parts));
}

/** Each stack is one more leaf below the same frames. */
function stacks(): Uint8Array {
  const rows = Array.from({ length: 2 * depth }, (_, at) => at + 1);
  return encodeNodes({
    id: rows,
    parent: rows.map((id) => Math.min(id, depth) - 1),
    frame: rows.map((id) => 4 * (1 + (id % 16))),
    position: rows.map((id) => id % 40),
  });
}

function samplesOf(index: number): SampleRows {
  const begin = index * tickNs + ((index * 7919) % 100_000);
  const leaf = depth + (index % depth);
  return {
    thread: index,
    counters: CounterBit.Cpu,
    time: [begin, begin + tickNs + index],
    cpu: [20_000, 20_000 + tickNs],
    stack: [leaf, leaf + 1],
  };
}
