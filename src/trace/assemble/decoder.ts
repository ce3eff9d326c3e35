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
import { type CounterTrack, type Hook, type Loss, type Problem, type Trace } from '../model/trace.js';
import {
  type Chunk,
  ChunkKind,
  chunkHeaderBytes,
  chunkName,
  ChunkParser,
  chunkPayload,
  flagDeflated,
  type ParserOptions,
} from '../recording/chunk.js';
import { Footer, Header, Hooks, Losses, Status, Text, Threads } from '../recording/messages.js';
import { NodeReader } from '../recording/nodes.js';
import { System } from '../recording/scheduling.js';
import { DamageError } from '../recording/wire.js';
import { CounterTables, mostCounters } from './counters.js';
import { ownCounters } from './own-counters.js';
import {
  counterValueBytes,
  linkBytes,
  nameByteBytes,
  nodeBytes,
  pathFigureBytes,
  symbolByteBytes,
  switchBytes,
  sectionBytes,
  systemEventBytes,
  virtualThreadBytes,
  heldMemoryBytes,
  offCarrierWaitBytes,
} from './budget.js';
import { Entries } from './entries.js';
import { BoundError, FileBounds } from './file-bounds.js';
import { LinkTable } from './links.js';
import { cut, RecordedMethods } from './methods.js';
import { NodeTable } from './nodes.js';
import { type PartOptions, SamplesPart } from './part.js';
import { PathTable } from './paths.js';
import { longestIntervalNs, RecordedStatus } from './recorded-status.js';
import { chunksOfRing, type Ring } from './ring-chunks.js';
import { sampleProblems } from './sample-problems.js';
import { type SampledThread } from './sampled-thread.js';
import { SampledThreads } from './sampled-threads.js';
import { SystemTable } from './system-table.js';
import { traceInfo } from './trace-info.js';
import { HeldMemoryTable } from './held-memory.js';
import { OffCarrierWaitTable } from './off-carrier-waits.js';

/** They are few; a file that says otherwise is cut short here. */
const mostLosses = 100_000;

/** Two bytes of these may become an object. */
const madeOfEntries = new Set<number>([
  ChunkKind.Header,
  ChunkKind.Hooks,
  ChunkKind.Threads,
  ChunkKind.Symbols,
  ChunkKind.Counters,
  ChunkKind.Losses,
  ChunkKind.Status,
  ChunkKind.Footer,
  ChunkKind.System,
]);

/** Rows that cannot be true: one, and many. */
const refusedWords = {
  offCarrierWaits: ['wait of a virtual thread', 'waits of virtual threads'],
  heldMemory: ['allocation that is still held', 'allocations that are still held'],
  system: ['figure of the system’s trace', 'figures of the system’s trace'],
} as const;

/** What a system's trace has beside a recording. */
const systemEventKinds = new Set<number>([
  ChunkKind.Switches,
  ChunkKind.Wakes,
  ChunkKind.SystemEvents,
  ChunkKind.ProgramSwitches,
]);

export type DecoderOptions = ParserOptions & PartOptions;

export class RecordingDecoder {
  readonly #parser: ChunkParser;
  readonly #methods = new RecordedMethods();
  readonly #paths = new PathTable();
  readonly #nodes = new NodeTable(this.#paths, this.#methods);
  readonly #texts = new Entries(Text);
  readonly #threads: SampledThreads;
  readonly #links = new LinkTable();
  readonly #virtualWaits = new OffCarrierWaitTable();
  readonly #heldMemory = new HeldMemoryTable();
  #system: SystemTable | undefined;
  readonly #counters = new CounterTables();
  readonly #losses: Loss[] = [];
  #hooks: readonly Hook[] = [];
  readonly #status = new RecordedStatus();
  #header: Header | undefined;
  #footer: Footer | undefined;
  #refusal = '';
  /** Read at the end: what its samples name stands behind it in the file. */
  #ring: Ring | undefined;

  readonly #nodeReader = new NodeReader();
  #linksAttached = 0;
  readonly #part: SamplesPart;
  readonly #bounds = new FileBounds();

  readonly #systemLater: boolean;

  constructor(options: DecoderOptions = { magic: true }) {
    this.#parser = new ChunkParser(options);
    this.#part = new SamplesPart(options);
    this.#threads = new SampledThreads({
      paths: this.#paths,
      nodes: this.#nodes,
      bounds: this.#bounds,
      part: this.#part,
      keep: (bytes, account) => this.#keep(bytes, account),
    });
    this.#systemLater = options.systemLater === true;
  }

  /** Why nothing can be shown, in words: not a recording, or a major version that is newer. Empty when all is well. */
  get refused(): string {
    if (this.#parser.notRecording)
      return 'These bytes are not a BTrace recording: they do not begin with BTRACE.';
    return this.#refusal;
  }

  /** Whether not all samples had room, so far. */
  get isPart(): boolean {
    return this.#part.isPart;
  }

  /**
   * Bytes of a file in order, cut anywhere. They are kept views of: they must not change afterwards. `offset` is their
   * place in the file where some before them were left out.
   */
  append(bytes: Uint8Array, offset?: number): void {
    this.#bounds.saw(bytes.length);
    this.#parser.push(bytes, offset);
    this.#drain();
  }

  /** No more bytes: looks through what is left for intact chunks. */
  finish(): void {
    this.#parser.finish();
    this.#drain();
    this.#takeRing();
  }

  /** One chunk that somebody else has parsed, as a session does. */
  appendChunk(chunk: Chunk): void {
    this.#bounds.saw(chunk.stored.length);
    const payload = this.#payloadOf(chunk);
    if (payload !== undefined) this.#takeChunk(chunk, payload);
  }

  /** What is known so far. Costs a little for each thread, not for what is in them. */
  trace(): Trace {
    const threads = this.#threads.inOrder;
    let beginNs = this.#virtualWaits.firstNs;
    const part = this.#part.described(this.#footer?.endNs);
    let endNs = Math.max(
      part?.next === undefined ? (this.#footer?.endNs ?? 0) : 0,
      this.#virtualWaits.lastNs,
    );
    let [counters, flags] = [0, 0];
    for (const thread of threads) {
      counters |= thread.counters;
      flags |= thread.flags;
      if (thread.intervals.count > 0) beginNs = Math.min(beginNs, thread.intervals.begin[0] as number);
      endNs = Math.max(endNs, thread.diff.lastNs);
    }
    this.#links.attach(this.#linksAttached, this.#threads.byIndex);
    this.#linksAttached = this.#links.count;
    const methods = this.#methods;
    const texts = this.#texts;
    const textOfId = (id: number): string => cut(texts.get(id)?.value ?? '');
    const counted = this.#counters.tracks;
    // A pass over all events: made when somebody asks.
    let own: CounterTrack[] | undefined;
    return {
      info: traceInfo(this.#header ?? Header.empty(), counters, flags),
      beginNs: Math.min(beginNs, endNs),
      endNs,
      complete: this.#footer !== undefined,
      endReason: this.#footer?.reason ?? 0,
      part,
      threads,
      methods,
      paths: this.#paths,
      nodes: this.#nodes,
      links: this.#links,
      offCarrierWaits: this.#virtualWaits,
      heldMemory: this.#heldMemory,
      system: this.#system,
      get counters() {
        return counted.concat((own ??= ownCounters(threads, textOfId, mostCounters)));
      },
      images: methods.imageList(),
      hooks: this.#hooks,
      losses: this.#losses,
      status: this.#status.last,
      problems: this.#problems(threads),
      className: (id) => methods.classNameById(id),
      text: textOfId,
    };
  }

  #drain(): void {
    const chunks: Chunk[] = [];
    const payloads: Uint8Array[] = [];
    let nodeBytes = 0;
    for (let chunk = this.#parser.next(); chunk !== undefined; chunk = this.#parser.next()) {
      if (this.#isForLater(chunk)) continue;
      const payload = this.#payloadOf(chunk);
      if (payload === undefined) continue;
      chunks.push(chunk);
      payloads.push(payload);
      if (chunk.kind === ChunkKind.Samples) this.#threads.expect(payload);
      else if (chunk.kind === ChunkKind.Nodes) nodeBytes += payload.length;
    }
    this.#nodes.reserve(nodeBytes);
    chunks.forEach((chunk, at) => this.#takeChunk(chunk, payloads[at] as Uint8Array));
    this.#threads.expectNothing();
  }

  /** Leaves a chunk of the system's trace as it is stored until somebody asks for them. */
  #isForLater(chunk: Chunk): boolean {
    const { kind } = chunk;
    if (!this.#systemLater || !systemEventKinds.has(kind)) return false;
    (this.#system ??= new SystemTable()).later(() => {
      const payload = this.#payloadOf(chunk);
      if (payload !== undefined) this.#takeChunk(chunk, payload);
    }, kind === ChunkKind.SystemEvents);
    return true;
  }

  #payloadOf(chunk: Chunk): Uint8Array | undefined {
    const { kind, flags, rawLength } = chunk;
    try {
      if ((flags & flagDeflated) !== 0) this.#bounds.spend('inflated', rawLength);
      if (madeOfEntries.has(kind)) this.#bounds.spend('entries', rawLength);
      return chunkPayload(chunk);
    } catch (error) {
      this.#reportDamage(chunk, error);
      return undefined;
    }
  }

  #takeChunk(chunk: Chunk, payload: Uint8Array): void {
    if (this.#refusal !== '') return;
    try {
      this.#take(chunk, payload);
    } catch (error) {
      this.#reportDamage(chunk, error);
    }
  }

  #reportDamage(chunk: Chunk, error: unknown): void {
    if (!(error instanceof DamageError)) throw error;
    const { kind, offset, rawLength } = chunk;
    if (error instanceof BoundError) this.#bounds.leaveOut(kind, rawLength);
    else
      this.#parser.report(offset, `${chunkName(kind)}: ${error.message}; the rest of the chunk was left out`);
  }

  #take(chunk: Chunk, payload: Uint8Array): void {
    switch (chunk.kind) {
      case ChunkKind.Header: {
        this.#takeHeader(chunk, payload);
        return;
      }
      case ChunkKind.Hooks:
        this.#hooks = Hooks.decode(payload).hooks;
        return;
      case ChunkKind.Threads:
        this.#threads.describe(Threads.decode(payload));
        return;
      case ChunkKind.Classes: {
        this.#keep(nameByteBytes * payload.length);
        this.#methods.addClasses(payload);
        return;
      }
      case ChunkKind.Methods: {
        this.#keep(nameByteBytes * payload.length);
        this.#methods.add(payload);
        return;
      }
      case ChunkKind.Images: {
        this.#keep(nameByteBytes * payload.length);
        this.#methods.addImages(payload);
        return;
      }
      case ChunkKind.Symbols: {
        this.#keep(symbolByteBytes * payload.length);
        this.#methods.addSymbols(payload);
        return;
      }
      case ChunkKind.Nodes: {
        this.#takeNodes(chunk, payload);
        return;
      }
      case ChunkKind.Samples: {
        this.#threads.take(chunk, payload, (damage) => this.#parser.report(chunk.offset, damage));
        return;
      }
      case ChunkKind.Links: {
        this.#takeLinks(chunk, payload);
        return;
      }
      case ChunkKind.OffCarrierWaits: {
        this.#takeOffCarrierWaits(chunk, payload);
        return;
      }
      case ChunkKind.HeldMemory: {
        this.#takeHeldMemory(chunk, payload);
        return;
      }
      case ChunkKind.Switches: {
        this.#takeOfSystem(chunk, (system) =>
          system.takeSwitches(payload, (rows) => this.#keep(switchBytes * rows)),
        );
        return;
      }
      case ChunkKind.Wakes: {
        this.#takeOfSystem(chunk, (system) =>
          system.takeWakes(payload, (rows) => this.#keep(switchBytes * rows)),
        );
        return;
      }
      case ChunkKind.ProgramSwitches: {
        this.#takeOfSystem(chunk, (system) =>
          system.takeProgramSwitches(payload, (rows) => this.#keep(switchBytes * rows)),
        );
        return;
      }
      case ChunkKind.SystemEvents: {
        this.#keep(nameByteBytes * payload.length);
        this.#takeOfSystem(chunk, (system) =>
          system.takeSystemEvents(payload, (rows) => this.#keepSystemEvents(rows)),
        );
        return;
      }
      case ChunkKind.System: {
        this.#keep(nameByteBytes * payload.length);
        this.#takeOfSystem(chunk, (system) => {
          system.describe(System.decode(payload));
          return '';
        });
        return;
      }
      case ChunkKind.Ring: {
        this.#ring ??= { offset: chunk.offset + chunkHeaderBytes, payload };
        return;
      }
      case ChunkKind.Texts: {
        this.#keep(nameByteBytes * payload.length);
        this.#texts.add(payload);
        return;
      }
      case ChunkKind.Counters: {
        this.#takeCounters(payload);
        return;
      }
      case ChunkKind.Losses:
        for (const loss of Losses.decode(payload).losses) {
          if (this.#losses.length >= mostLosses) throw new BoundError();
          this.#losses.push(loss);
        }
        return;
      case ChunkKind.Status:
        this.#takeStatus(Status.decode(payload));
        return;
      case ChunkKind.Footer:
        this.#footer = Footer.decode(payload);
        return;
      default:
        // A newer minor's kind: what is not known is left out.
        return;
    }
  }

  #takeRing(): void {
    const ring = this.#ring;
    if (ring === undefined) return;
    this.#ring = undefined;
    const { chunks, problems } = chunksOfRing(ring);
    for (const chunk of chunks) this.appendChunk(chunk);
    for (const { offset, what } of problems) this.#parser.report(offset ?? 0, what);
  }

  #takeHeader(chunk: Chunk, payload: Uint8Array): void {
    if (this.#header !== undefined) {
      this.#parser.report(chunk.offset, 'a second header was left out');
      return;
    }
    const header = Header.decode(payload);
    if (header.major > formatMajor) {
      this.#refusal =
        `This recording has format ${header.major}.${header.minor}; this BTrace reads up to ${formatMajor}.${formatMinor}. ` +
        'Update BTrace to open it.';
      this.#parser.report(chunk.offset, this.#refusal);
      return;
    }
    this.#header = header;
    const { syncIntervalNs, asyncIntervalNs } = header.config;
    this.#threads.widenVouch(Math.max(syncIntervalNs, asyncIntervalNs));
    this.#threads.interruptNs = asyncIntervalNs;
  }

  #takeNodes(chunk: Chunk, payload: Uint8Array): void {
    const nodes = this.#nodes;
    const nodeReader = this.#nodeReader;
    const refused = nodes.refused;
    nodeReader.open(payload);
    for (let rows = nodeReader.next(); rows > 0; rows = nodeReader.next()) {
      this.#keep(nodeBytes * rows);
      this.#bounds.spend('beside', pathFigureBytes * rows);
      nodes.take(nodeReader, rows, (more) => {
        this.#keep(nodeBytes * more);
        this.#bounds.spend('beside', pathFigureBytes * more);
      });
    }
    if (nodeReader.damage !== '') this.#parser.report(chunk.offset, nodeReader.damage);
    if (nodes.refused > refused) {
      const count = nodes.refused - refused;
      this.#parser.report(
        chunk.offset,
        `${count} stack nodes have no parent or an impossible id and were left out`,
      );
    }
  }

  #takeLinks(chunk: Chunk, payload: Uint8Array): void {
    const damage = this.#links.take(payload, (rows) => this.#keep(linkBytes * rows));
    this.#reportRows(chunk, damage);
  }

  #takeOffCarrierWaits(chunk: Chunk, payload: Uint8Array): void {
    const waits = this.#virtualWaits;
    if (!this.#part.takes(chunk.offset)) return;
    const { refused } = waits;
    const damage = waits.take(payload, this.#nodes, (rows) => {
      this.#bounds.spend('waits', rows * virtualThreadBytes);
      this.#part.addBytes(rows * offCarrierWaitBytes);
    });
    this.#reportRows(chunk, damage, waits.refused - refused, refusedWords.offCarrierWaits);
  }

  #takeHeldMemory(chunk: Chunk, payload: Uint8Array): void {
    const held = this.#heldMemory;
    const { refused } = held;
    const damage = held.take(payload, this.#nodes, (rows) => this.#keep(heldMemoryBytes * rows));
    this.#reportRows(chunk, damage, held.refused - refused, refusedWords.heldMemory);
  }

  /** `take` returns what is wrong with the chunk, or nothing. */
  #takeOfSystem(chunk: Chunk, take: (system: SystemTable) => string): void {
    const system = (this.#system ??= new SystemTable());
    const { refused } = system;
    const damage = take(system);
    this.#reportRows(chunk, damage, system.refused - refused, refusedWords.system);
  }

  #keepSystemEvents(rows: number): void {
    this.#bounds.spend('sections', rows * sectionBytes);
    if (!this.#part.takesBeside(rows * systemEventBytes))
      throw new DamageError('there is no memory for so many');
  }

  #reportRows(chunk: Chunk, damage: string, refused = 0, words: readonly [string, string] = ['', '']): void {
    if (damage !== '') this.#parser.report(chunk.offset, damage);
    const [one, many] = words;
    if (refused > 0)
      this.#parser.report(
        chunk.offset,
        `${counted(refused, `${one} cannot be true and was`, `${many} cannot be true and were`)} left out`,
      );
  }

  #takeCounters(payload: Uint8Array): void {
    // Each value takes a byte of each of two columns. Asked before they are made numbers.
    this.#keep((counterValueBytes * payload.length) / 2);
    if (!this.#counters.take(payload)) throw new BoundError();
  }

  #takeStatus(status: Status): void {
    this.#threads.widenVouch(longestIntervalNs(status));
    this.#status.take(status);
  }

  /** Beside samples, which have an account of their own. */
  #keep(bytes: number, account: 'beside' | 'threads' = 'beside'): void {
    this.#bounds.spend(account, bytes);
    if (!this.#part.takesBeside(bytes)) throw new DamageError('there is no memory for so many');
  }

  #problems(threads: readonly SampledThread[]): Problem[] {
    const problems: Problem[] = [...this.#parser.problems];
    const unlisted = this.#parser.problemCount - problems.length;
    const add = (what: string): void => void problems.push({ what });
    if (unlisted > 0) add(`${counted(unlisted, 'more problem is', 'more problems are')} not listed`);
    if (this.#header === undefined && this.refused === '')
      add('the header is missing: what was recorded is not known');
    for (const what of this.#bounds.problems()) add(what);
    for (const what of sampleProblems(threads)) add(what);
    if (this.#system !== undefined) for (const what of this.#system.problems()) add(what);
    return problems;
  }
}
