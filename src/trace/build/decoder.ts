/**
 * Bytes of a recording → the engine's model, as they come.
 *
 *   const decoder = new RecordingDecoder();
 *   decoder.append(bytes);            // any cut; costs what the bytes cost
 *   decoder.trace();                  // what is known so far; columns go on growing with the next append
 *   decoder.finish();                 // no more bytes: a torn end is looked through and listed
 *
 * The Trace's columns are the decoder's own and longer than their `count`: copy before handing them away.
 */
import { counted } from '../model/counted.js';
import { formatMajor, formatMinor } from '../model/kinds.js';
import {
  type CounterTrack,
  type Hook,
  type Loss,
  type Problem,
  type Trace,
  type TraceStatus,
} from '../model/trace.js';
import {
  type Chunk,
  ChunkKind,
  chunkName,
  ChunkParser,
  chunkPayload,
  type ParserOptions,
} from '../recording/chunk.js';
import { LinkReader } from '../recording/links.js';
import { Counters, Footer, Header, Hooks, Losses, Status, Text, Threads } from '../recording/messages.js';
import { NodeReader } from '../recording/nodes.js';
import { blockSize, eachSampleBlock } from '../recording/sample-blocks.js';
import { SampleBlockReader } from '../recording/samples.js';
import { VirtualWaitReader } from '../recording/virtual-waits.js';
import { DamageError } from '../recording/wire.js';
import { CounterTable } from './counters.js';
import {
  counterValueBytes,
  linkBytes,
  nameByteBytes,
  nodeBytes,
  symbolByteBytes,
  threadBytes,
  virtualWaitBytes,
} from './budget.js';
import { Entries } from './entries.js';
import { LinkTable } from './links.js';
import { cut, RecordedMethods } from './methods.js';
import { NodeTable } from './nodes.js';
import { type PartOptions, SamplesPart } from './part.js';
import { PathTable } from './paths.js';
import { sampleProblems } from './sample-problems.js';
import { SampledThread } from './sampled-thread.js';
import { type Sampling } from './stack-diff.js';
import { traceInfo } from './trace-info.js';
import { VirtualWaitTable } from './virtual-waits.js';

/** Losses and counters are few; a file that says otherwise is cut short here. */
const mostLosses = 100_000;
const mostCounters = 1000;
const mostThreads = 2 ** 24;

export type DecoderOptions = ParserOptions & PartOptions;

export class RecordingDecoder {
  private readonly parser: ChunkParser;
  private readonly methods = new RecordedMethods();
  private readonly paths = new PathTable();
  private readonly nodes = new NodeTable(this.paths, this.methods);
  private readonly texts = new Entries(Text);
  private readonly threads = new Map<number, SampledThread>();
  private readonly links = new LinkTable();
  private readonly virtualWaits = new VirtualWaitTable();
  private readonly counters = new Map<string, CounterTable>();
  private readonly losses: Loss[] = [];
  private hooks: readonly Hook[] = [];
  private status: TraceStatus | undefined;
  private header: Header | undefined;
  private footer: Footer | undefined;
  private refusal = '';

  private readonly nodeReader = new NodeReader();
  private readonly linkReader = new LinkReader();
  private readonly virtualWaitReader = new VirtualWaitReader();
  private readonly blockReader = new SampleBlockReader('stacks');
  private readonly sampling: Sampling = { vouchNs: 0, interruptNs: 0 };
  /** By thread, samples that came together and are not taken in yet. */
  private readonly toCome = new Map<number, number>();
  private linksAttached = 0;
  private readonly part: SamplesPart;

  constructor(options: DecoderOptions = { magic: true }) {
    this.parser = new ChunkParser(options);
    this.part = new SamplesPart(options);
  }

  /** Why nothing can be shown, in words: not a recording, or a major version that is newer. Empty when all is well. */
  get refused(): string {
    if (this.parser.notRecording)
      return 'These bytes are not a BTrace recording: they do not begin with BTRACE.';
    return this.refusal;
  }

  /** Whether not all samples had room, so far. */
  get isPart(): boolean {
    return this.part.isPart;
  }

  /**
   * Bytes of a file in order, cut anywhere. They are kept views of: they must not change afterwards. `offset` is their
   * place in the file where some before them were left out.
   */
  append(bytes: Uint8Array, offset?: number): void {
    this.parser.push(bytes, offset);
    this.drain();
  }

  /** No more bytes: looks through what is left for intact chunks. */
  finish(): void {
    this.parser.finish();
    this.drain();
  }

  /** One chunk that somebody else has parsed, as a session does. */
  appendChunk(chunk: Chunk): void {
    const payload = this.payloadOf(chunk);
    if (payload !== undefined) this.takeChunk(chunk, payload);
  }

  /** What is known so far. Costs a little for each thread, not for what is in them. */
  trace(): Trace {
    const threads = [...this.threads.values()].sort((a, b) => a.index - b.index);
    let beginNs = this.virtualWaits.firstNs;
    const part = this.part.described(this.footer?.endNs);
    let endNs = Math.max(part?.next === undefined ? (this.footer?.endNs ?? 0) : 0, this.virtualWaits.lastNs);
    let [counters, flags] = [0, 0];
    for (const thread of threads) {
      counters |= thread.counters;
      flags |= thread.flags;
      if (thread.intervals.count > 0) beginNs = Math.min(beginNs, thread.intervals.begin[0] as number);
      endNs = Math.max(endNs, thread.diff.lastNs);
    }
    this.links.attach(this.linksAttached, this.threads);
    this.linksAttached = this.links.count;
    const { methods, texts } = this;
    return {
      info: traceInfo(this.header ?? Header.empty(), counters, flags),
      beginNs: Math.min(beginNs, endNs),
      endNs,
      complete: this.footer !== undefined,
      endReason: this.footer?.reason ?? 0,
      part,
      threads,
      methods,
      paths: this.paths,
      nodes: this.nodes,
      links: this.links,
      virtualWaits: this.virtualWaits,
      counters: [...this.counters.values()] satisfies CounterTrack[],
      images: methods.imageList(),
      hooks: this.hooks,
      losses: this.losses,
      status: this.status,
      problems: this.problems(threads),
      className: (id) => methods.classNameById(id),
      text: (id) => cut(texts.get(id)?.value ?? ''),
    };
  }

  private drain(): void {
    const chunks: Chunk[] = [];
    const payloads: Uint8Array[] = [];
    let nodeBytes = 0;
    for (let chunk = this.parser.next(); chunk !== undefined; chunk = this.parser.next()) {
      const payload = this.payloadOf(chunk);
      if (payload === undefined) continue;
      chunks.push(chunk);
      payloads.push(payload);
      if (chunk.kind === ChunkKind.Samples) this.expect(payload);
      else if (chunk.kind === ChunkKind.Nodes) nodeBytes += payload.length;
    }
    this.nodes.reserve(nodeBytes);
    chunks.forEach((chunk, at) => this.takeChunk(chunk, payloads[at] as Uint8Array));
    this.toCome.clear();
  }

  private expect(payload: Uint8Array): void {
    const { toCome } = this;
    try {
      eachSampleBlock(payload, (begin, end) => {
        const { thread, rows } = blockSize(payload, begin, end);
        toCome.set(thread, (toCome.get(thread) ?? 0) + rows);
      });
    } catch (error) {
      // Told when it is taken in.
      if (!(error instanceof DamageError)) throw error;
    }
  }

  private payloadOf(chunk: Chunk): Uint8Array | undefined {
    try {
      return chunkPayload(chunk);
    } catch (error) {
      this.reportDamage(chunk, error);
      return undefined;
    }
  }

  private takeChunk(chunk: Chunk, payload: Uint8Array): void {
    if (this.refusal !== '') return;
    try {
      this.take(chunk, payload);
    } catch (error) {
      this.reportDamage(chunk, error);
    }
  }

  private reportDamage(chunk: Chunk, error: unknown): void {
    if (!(error instanceof DamageError)) throw error;
    const { kind, offset } = chunk;
    this.parser.report(offset, `${chunkName(kind)}: ${error.message}; the rest of the chunk was left out`);
  }

  private take(chunk: Chunk, payload: Uint8Array): void {
    switch (chunk.kind) {
      case ChunkKind.Header: {
        this.takeHeader(chunk, payload);
        return;
      }
      case ChunkKind.Hooks:
        this.hooks = Hooks.decode(payload).hooks;
        return;
      case ChunkKind.Threads:
        for (const thread of Threads.decode(payload).threads) this.thread(thread.index).describe(thread);
        return;
      case ChunkKind.Classes: {
        this.keep(nameByteBytes * payload.length);
        this.methods.addClasses(payload);
        return;
      }
      case ChunkKind.Methods: {
        this.keep(nameByteBytes * payload.length);
        this.methods.add(payload);
        return;
      }
      case ChunkKind.Images: {
        this.keep(nameByteBytes * payload.length);
        this.methods.addImages(payload);
        return;
      }
      case ChunkKind.Symbols: {
        this.keep(symbolByteBytes * payload.length);
        this.methods.addSymbols(payload);
        return;
      }
      case ChunkKind.Nodes: {
        this.takeNodes(chunk, payload);
        return;
      }
      case ChunkKind.Samples: {
        this.takeSamples(chunk, payload);
        return;
      }
      case ChunkKind.Links: {
        this.takeLinks(chunk, payload);
        return;
      }
      case ChunkKind.VirtualWaits: {
        this.takeVirtualWaits(chunk, payload);
        return;
      }
      case ChunkKind.Texts: {
        this.keep(nameByteBytes * payload.length);
        this.texts.add(payload);
        return;
      }
      case ChunkKind.Counters: {
        this.takeCounters(payload);
        return;
      }
      case ChunkKind.Losses:
        for (const loss of Losses.decode(payload).losses)
          if (this.losses.length < mostLosses) this.losses.push(loss);
        return;
      case ChunkKind.Status:
        this.takeStatus(Status.decode(payload));
        return;
      case ChunkKind.Footer:
        this.footer = Footer.decode(payload);
        return;
      default:
        // A newer minor's kind: what is not known is left out.
        return;
    }
  }

  private takeHeader(chunk: Chunk, payload: Uint8Array): void {
    if (this.header !== undefined) {
      this.parser.report(chunk.offset, 'a second header was left out');
      return;
    }
    const header = Header.decode(payload);
    if (header.major > formatMajor) {
      this.refusal =
        `This recording has format ${header.major}.${header.minor}; this BTrace reads up to ${formatMajor}.${formatMinor}. ` +
        'Update BTrace to open it.';
      this.parser.report(chunk.offset, this.refusal);
      return;
    }
    this.header = header;
    this.widenVouch(header.config.syncIntervalNs);
    this.widenVouch(header.config.asyncIntervalNs);
    this.sampling.interruptNs = header.config.asyncIntervalNs;
  }

  private takeNodes(chunk: Chunk, payload: Uint8Array): void {
    const { nodeReader, nodes } = this;
    const refused = nodes.refused;
    nodeReader.open(payload);
    for (let rows = nodeReader.next(); rows > 0; rows = nodeReader.next()) {
      this.keep(nodeBytes * rows);
      nodes.take(nodeReader, rows);
    }
    if (nodeReader.damage !== '') this.parser.report(chunk.offset, nodeReader.damage);
    if (nodes.refused > refused) {
      const count = nodes.refused - refused;
      this.parser.report(
        chunk.offset,
        `${count} stack nodes have no parent or an impossible id and were left out`,
      );
    }
  }

  private takeSamples(chunk: Chunk, payload: Uint8Array): void {
    const { blockReader, toCome } = this;
    const isTaken = this.part.takes(chunk.offset);
    eachSampleBlock(payload, (begin, end) => {
      blockReader.open(payload, begin, end);
      if (!isTaken) {
        this.part.leaveOut(blockReader.beginNs);
        return;
      }
      const thread = this.thread(blockReader.thread);
      // A row takes a byte of the time column at least.
      const rows = Math.min(blockReader.count, end - begin);
      const expected = Math.max(toCome.get(thread.index) ?? 0, rows);
      const before = thread.intervals.count;
      thread.take(blockReader, payload, begin, end, expected, this.nodes, this.sampling);
      this.part.add(end - begin, thread.intervals, before, this.paths);
      toCome.set(thread.index, expected - rows);
      if (blockReader.damage !== '') this.parser.report(chunk.offset, blockReader.damage);
    });
  }

  private takeLinks(chunk: Chunk, payload: Uint8Array): void {
    const { linkReader, links } = this;
    linkReader.open(payload);
    for (let rows = linkReader.next(); rows > 0; rows = linkReader.next()) {
      this.keep(linkBytes * rows);
      links.take(linkReader, rows);
    }
    if (linkReader.damage !== '') this.parser.report(chunk.offset, linkReader.damage);
  }

  private takeVirtualWaits(chunk: Chunk, payload: Uint8Array): void {
    const { virtualWaitReader: reader, virtualWaits } = this;
    if (!this.part.takes(chunk.offset)) return;
    const refused = virtualWaits.refused;
    reader.open(payload);
    for (let rows = reader.next(); rows > 0; rows = reader.next()) {
      virtualWaits.take(reader, rows, this.nodes);
      this.part.addBytes(rows * virtualWaitBytes);
    }
    if (reader.damage !== '') this.parser.report(chunk.offset, reader.damage);
    if (virtualWaits.refused > refused)
      this.parser.report(
        chunk.offset,
        `of the waits of virtual threads ${virtualWaits.refused - refused} cannot be true and were left out`,
      );
  }

  private takeCounters(payload: Uint8Array): void {
    for (const block of Counters.decode(payload).blocks) {
      let track = this.counters.get(block.name);
      if (track === undefined) {
        if (this.counters.size >= mostCounters) continue;
        track = new CounterTable(cut(block.name), cut(block.unit));
        this.counters.set(block.name, track);
      }
      this.keep(counterValueBytes * block.time.length);
      track.add(block.time, block.value);
    }
  }

  private takeStatus(status: Status): void {
    this.widenVouch(status.effectiveIntervalNs);
    this.status = {
      samples: status.samples,
      dropped: status.dropped,
      captureNs: status.captureNs,
      drainNs: status.drainNs,
      processCpuNs: status.cpuNs,
      memoryBytes: status.memoryBytes,
      effectiveIntervalNs: status.effectiveIntervalNs,
      costs: status.costs,
    };
  }

  /** Beside samples, which have an account of their own. */
  private keep(bytes: number): void {
    if (!this.part.takesBeside(bytes)) throw new DamageError('there is no memory for so many');
  }

  private widenVouch(intervalNs: number): void {
    this.sampling.vouchNs = Math.max(this.sampling.vouchNs, intervalNs);
  }

  private thread(index: number): SampledThread {
    let thread = this.threads.get(index);
    if (thread === undefined) {
      if (index > mostThreads) throw new DamageError(`there is a thread number ${index}`);
      this.keep(threadBytes);
      thread = new SampledThread(index, this.paths);
      this.threads.set(index, thread);
    }
    return thread;
  }

  private problems(threads: readonly SampledThread[]): Problem[] {
    const problems: Problem[] = [...this.parser.problems];
    const unlisted = this.parser.problemCount - problems.length;
    const add = (what: string): void => void problems.push({ what });
    if (unlisted > 0) add(`${counted(unlisted, 'more problem is', 'more problems are')} not listed`);
    if (this.header === undefined && this.refused === '')
      add('the header is missing: what was recorded is not known');
    for (const what of sampleProblems(threads)) add(what);
    return problems;
  }
}
