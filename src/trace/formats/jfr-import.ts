import { EventBuilder } from '../assemble/event-builder.js';
import type { EventCounter } from '../assemble/event-counter.js';
import { idOr0, isTime, numberIn, numberOf } from '../assemble/number-gate.js';
import { counted } from '../model/counted.js';
import { SampleKind } from '../model/kinds.js';
import type { Trace } from '../model/trace.js';
import { ByteWindow } from './byte-window.js';
import type { ImportOptions, TraceImporter } from './importer.js';
import {
  chunkHead,
  type ChunkHead,
  chunkHeadBytes,
  type Described,
  eventSize,
  openChunk,
} from './jfr/jfr-chunk.js';
import { JfrEvents } from './jfr/jfr-events.js';
import { JfrPauses } from './jfr/jfr-pauses.js';
import type { JfrPools } from './jfr/jfr-pools.js';
import { JfrStacks } from './jfr/jfr-stacks.js';
import { commandName, javaName, jvmRelease, periodNs } from './jfr/jfr-texts.js';
import { type JfrThread, JfrThreads } from './jfr/jfr-threads.js';
import { JfrValues } from './jfr/jfr-values.js';
import { LinedMethods, LinedStacks } from './lined-stacks.js';
import { NameTable } from './names.js';
import { rowsByEnd, Stretch, Stretches, stretchSamples, usualInterval } from './stretches.js';

/** Events after which the importer asks again whether there is room. */
const eventsBetweenChecks = 1024;
/** Of a longer chunk there is none: what is behind it is looked at when the file ends. */
const maxChunkBytes = 2 ** 30;
/** A JVM's own sampling interval where the recording does not say it. */
const fallbackNs = 20e6;

const waitKinds: ReadonlyMap<string, number> = new Map(
  Object.entries({
    'jdk.JavaMonitorEnter': SampleKind.Monitor,
    'jdk.JavaMonitorWait': SampleKind.Wait,
    'jdk.ThreadPark': SampleKind.Park,
    'jdk.ThreadSleep': SampleKind.Sleep,
    'jdk.SocketRead': SampleKind.Io,
    'jdk.SocketWrite': SampleKind.Io,
    'jdk.SocketConnect': SampleKind.Io,
    'jdk.SocketAccept': SampleKind.Io,
    'jdk.FileRead': SampleKind.Io,
    'jdk.FileWrite': SampleKind.Io,
    'jdk.FileForce': SampleKind.SyncToDisk,
  }),
);
const cpuSamples = ['jdk.ExecutionSample', 'jdk.CPUTimeSample'];
const wallClock = 'profiler.WallClockSample';
const otherSamples = ['jdk.NativeMethodSample', wallClock];

/** What constants of a chunk stand for, by id: each is looked at once, however many events name it. */
class Known {
  readonly threads = new Map<number, JfrThread | undefined>();
  /** Rows of classes; 0 for one without a name. */
  readonly classes = new Map<number, number>();
  readonly states = new Map<number, { readonly isIdle: boolean; readonly isRunnable: boolean }>();
}

/**
 * Reads recordings of Java Flight Recorder (JDK 11 and newer) and of async-profiler: samples of stacks, allocations, waits,
 * garbage collections, threads and CPU load. Each chunk describes its own events: unknown ones, and unknown fields, are
 * passed over.
 *
 * Memory: a chunk (12 MB, as JVMs cut them), and 57 bytes an event that is shown.
 */
export class JfrImporter implements TraceImporter {
  readonly #builder = new EventBuilder();
  readonly #names = new NameTable();
  readonly #methods = new LinedMethods(this.#names, 'signature');
  readonly #stacks = new LinedStacks(this.#builder.paths);
  readonly #classes = new NameTable();
  readonly #stretches = new Stretches();
  readonly #signal: AbortSignal | undefined;
  readonly #window = new ByteWindow();
  readonly #values = new JfrValues();
  /** Asked not to be asked for each piece of a chunk that is not there yet. */
  #needed = chunkHeadBytes;
  #before: Described | undefined;
  #chunks = 0;
  #firstNs: bigint | undefined;

  readonly #threads = new JfrThreads(this.#builder);
  readonly #periods = new Map<number, number>();
  readonly #counters = new Map<string, EventCounter>();
  readonly #pauses = new JfrPauses();
  /** Rows of allocations by how the recorder chose them: a recording may have both. */
  readonly #sampledAllocations: number[] = [];
  readonly #tlabAllocations: number[] = [];
  #targetName = '';
  #runtime = '';
  #os = '';
  #pid = 0;
  #broken = 0;
  #noStack = 0;
  #noThread = 0;
  #truncated = 0;
  #isDamaged = false;

  constructor(options: ImportOptions = {}) {
    this.#signal = options.signal;
    this.#builder.mostBytes = options.mostBytes ?? Infinity;
  }

  append(bytes: Uint8Array): void {
    this.#signal?.throwIfAborted();
    this.#window.add(bytes);
    this.#read(false);
  }

  get isPart(): boolean {
    return this.#builder.isPart;
  }

  #heldBytes(): number {
    const others = this.#names.memoryBytes + this.#classes.memoryBytes + this.#pauses.memoryBytes;
    return others + this.#threads.memoryBytes + this.#stacks.memoryBytes + this.#stretches.memoryBytes;
  }

  #read(isFinal: boolean): void {
    const window = this.#window;
    while (!this.#isDamaged && window.end - window.at >= (isFinal ? chunkHeadBytes : this.#needed)) {
      const { bytes, at, end } = window;
      const head = chunkHead(bytes, at);
      if (head === undefined) {
        this.#builder.problem(window.offset, 'No chunk of a recording begins here; the rest was left out');
        this.#isDamaged = true;
        break;
      }
      const isWhole = head.size > 0 && head.size <= maxChunkBytes;
      const size = isWhole ? head.size : Infinity;
      if (size > end - at && !isFinal) {
        this.#needed = size;
        return;
      }
      const to = Math.min(at + size, end);
      if (at + size > end)
        this.#builder.problem(
          window.offset,
          'The last chunk was not finished; its events are shown as far as they go',
        );
      this.#chunk(bytes, at, to, head);
      window.at = to;
      this.#needed = chunkHeadBytes;
    }
    if (this.#isDamaged) {
      this.#builder.read(window.end - window.at, this.#heldBytes());
      window.at = window.end;
    }
  }

  #chunk(bytes: Uint8Array, from: number, to: number, head: ChunkHead): void {
    const builder = this.#builder;
    const { offset } = this.#window;
    if (builder.isFull) {
      builder.read(to - from, 0);
      return;
    }
    const chunk = openChunk(bytes, from, to, head, this.#before);
    if (chunk === undefined) {
      builder.problem(offset, 'A chunk does not describe its events; it was left out');
      builder.read(to - from, this.#heldBytes());
      return;
    }
    this.#chunks++;
    this.#before = chunk.described;
    this.#broken += chunk.broken;
    if (chunk.damagedAt !== undefined && head.size === to - from)
      builder.problem(
        offset + chunk.damagedAt - from,
        'No event stands here; the rest of the chunk was left out',
      );
    this.#firstNs ??= head.startNs;
    const { types } = chunk.described;
    const stacks = new JfrStacks(types, chunk.pools, this.#stacks, this.#names);
    const events = new JfrEvents(types, chunk.pools, stacks, head, numberOf(head.startNs - this.#firstNs));
    const seen = new Known();
    const values = this.#values;
    values.isCompressed = head.isCompressed;
    const first = from + chunkHeadBytes;
    builder.read(first - from, this.#heldBytes());
    let told = first;
    let count = 0;
    for (let at = first; at < chunk.end && !this.#builder.isFull;) {
      const size = eventSize(values, bytes, at, chunk.end);
      if (size === 0) break;
      const type = types.get(values.long());
      values.end = at + size;
      if (type !== undefined && !values.isBroken() && events.read(values, type)) {
        if (values.isBroken()) this.#broken++;
        else this.#event(type.name, type.id, events, chunk.pools, seen);
      }
      at += size;
      if (++count % eventsBetweenChecks === 0) {
        builder.read(at - told, this.#heldBytes());
        told = at;
      }
    }
    builder.read(to - told, this.#heldBytes());
    this.#truncated += stacks.truncated;
  }

  #event(
    name: string,
    typeId: number,
    events: JfrEvents,
    pools: JfrPools,
    { threads, classes, states }: Known,
  ): void {
    const time = events.time;
    const threadOf = (
      field: 'eventThread' | 'sampledThread' | 'thread' | 'parentThread' | 'previousOwner',
    ) => {
      const id = events.number(field);
      if (!(id > 0)) return undefined;
      if (!threads.has(id)) threads.set(id, this.#threads.of(pools, events.typeOf(field), id));
      return threads.get(id);
    };
    const wait = waitKinds.get(name);
    if (wait !== undefined) {
      const row = this.#push(threadOf('eventThread'), time, time + events.duration, Stretch.Wait, events);
      if (row < 0) return;
      this.#stretches.kind[row] = wait;
      const field = name === 'jdk.ThreadPark' ? 'parkedClass' : 'monitorClass';
      this.#stretches.type[row] = this.#classOf(pools, events, field, classes);
      const address = events.number('address');
      this.#stretches.amount[row] = field === 'monitorClass' || address > 0 ? idOr0(address) : 0;
      this.#stretches.owner[row] = threadOf('previousOwner')?.row ?? -1;
      return;
    }
    if (cpuSamples.includes(name) || otherSamples.includes(name)) {
      const id = events.number('state');
      let state = states.get(id);
      if (state === undefined) states.set(id, (state = stateOf(pools.text(events.typeOf('state'), id))));
      const { isIdle, isRunnable } = state;
      // A thread in native code may wait there: only async-profiler's wall clock tells both apart.
      const isCpu = cpuSamples.includes(name) || (name === wallClock && isRunnable);
      const what = isIdle ? Stretch.Idle : isCpu ? Stretch.Cpu : Stretch.There;
      const thread = threadOf('sampledThread') ?? threadOf('eventThread');
      const row = this.#push(thread, time, time, what, events);
      const times = events.number('samples');
      if (row >= 0 && times > 1) this.#stretches.samples[row] = Math.min(times, 2 ** 31);
      const period = events.number('samplingPeriod');
      if (period > 0 && !this.#periods.has(Stretch.Cpu)) this.#periods.set(Stretch.Cpu, events.ticks(period));
      return;
    }
    switch (name) {
      case 'jdk.ObjectAllocationSample':
        this.#allocation(this.#sampledAllocations, events.number('weight'), threadOf('eventThread'), events);
        break;
      case 'jdk.ObjectAllocationInNewTLAB':
        this.#allocation(this.#tlabAllocations, events.number('tlabSize'), threadOf('eventThread'), events);
        break;
      case 'jdk.ObjectAllocationOutsideTLAB':
        this.#allocation(
          this.#tlabAllocations,
          events.number('allocationSize'),
          threadOf('eventThread'),
          events,
        );
        break;
      case 'jdk.GCPhasePause':
        this.#pauses.add({
          begin: time,
          end: time + events.duration,
          id: events.number('gcId'),
          name: events.text('name'),
        });
        break;
      case 'jdk.GarbageCollection':
        this.#pauses.addCollection(events.number('gcId'), events.text('name'), events.text('cause'));
        break;
      case 'jdk.ThreadStart': {
        const thread = threadOf('thread') ?? threadOf('eventThread');
        if (thread === undefined) break;
        thread.track.bornNs ??= time;
        const parent = threadOf('parentThread')?.track;
        if (parent !== thread.track) thread.track.creator ??= parent;
        break;
      }
      case 'jdk.ThreadEnd': {
        const thread = threadOf('thread') ?? threadOf('eventThread');
        if (thread !== undefined) thread.track.diedNs = time;
        break;
      }
      case 'jdk.CPULoad':
        this.#counter('CPU load: JVM, own code', '%', time, 100 * events.number('jvmUser'));
        this.#counter('CPU load: JVM, in the kernel', '%', time, 100 * events.number('jvmSystem'));
        this.#counter('CPU load: machine', '%', time, 100 * events.number('machineTotal'));
        break;
      case 'jdk.GCHeapSummary':
        this.#counter('heap used', 'bytes', time, events.number('heapUsed'));
        break;
      case 'jdk.JVMInformation':
        this.#targetName ||= commandName(events.text('javaArguments'));
        this.#runtime ||= `${events.text('jvmName')} ${jvmRelease(events.text('jvmVersion'))}`.trim();
        this.#pid ||= idOr0(events.number('pid'));
        break;
      case 'jdk.OSInformation':
        this.#os ||= (events.text('osVersion').split('\n')[0] ?? '').slice(0, 200);
        break;
      case 'jdk.ActiveSetting':
        this.#setting(events, typeId);
    }
  }

  #setting(events: JfrEvents, own: number): void {
    const setting = events.text('name');
    if (setting !== 'period' && setting !== 'interval' && setting !== 'wall') return;
    const subject = events.typeNamed(events.number('id'));
    if (subject === undefined || subject.id === own) return;
    const value = events.text('value');
    const ns = setting === 'period' ? periodNs(value) : numberIn(value);
    if (!(ns > 0)) return;
    if (cpuSamples.includes(subject.name)) this.#periods.set(Stretch.Cpu, ns);
    else if (subject.name === 'jdk.NativeMethodSample') this.#periods.set(Stretch.There, ns);
    else if (subject.name === wallClock) this.#periods.set(Stretch.Idle, ns);
  }

  #push(thread: JfrThread | undefined, begin: number, end: number, what: Stretch, events: JfrEvents): number {
    if (thread === undefined) {
      this.#noThread++;
      return -1;
    }
    const node = events.stack();
    if (node === 0 && what !== Stretch.Wait) {
      this.#noStack++;
      return -1;
    }
    const path = this.#stacks.nodes.path[node] ?? 0;
    return this.#stretches.push(thread.row, begin, end, what, path, node);
  }

  #allocation(rows: number[], bytes: number, thread: JfrThread | undefined, events: JfrEvents): void {
    if (!(bytes >= 0) || !isTime(bytes)) {
      this.#builder.refuseNumber();
      return;
    }
    const row = this.#push(thread, events.time, events.time, Stretch.Allocation, events);
    if (row < 0) return;
    this.#stretches.amount[row] = bytes;
    rows.push(row);
  }

  #counter(name: string, unit: string, time: number, value: number): void {
    let counter = this.#counters.get(name);
    if (counter === undefined) this.#counters.set(name, (counter = this.#builder.counter(name, unit)));
    counter.push(time, value);
  }

  #classOf(
    pools: JfrPools,
    events: JfrEvents,
    field: 'parkedClass' | 'monitorClass',
    classes: Map<number, number>,
  ): number {
    const id = events.number(field);
    if (!(id > 0)) return 0;
    let row = classes.get(id);
    if (row === undefined) {
      const name = javaName(pools.text(events.typeOf(field), id));
      classes.set(id, (row = name === '' ? 0 : this.#classes.internText(name) + 1));
    }
    return row;
  }

  finish(): Trace {
    this.#read(true);
    const builder = this.#builder;
    const rest = this.#window.end - this.#window.at;
    if (rest > 0) {
      builder.problem(this.#window.offset, 'The file ends in the head of a chunk');
      builder.read(rest, this.#heldBytes());
    }
    this.#remark();
    const usedTlab = this.#chooseAllocations();
    const shown = this.#stretchSamples();
    const owners = new Map(builder.threads.map((thread, at) => [thread, at + 1]));
    this.#stretches.eachThread((row, rows) => {
      const thread = this.#threads.list[row];
      if (thread === undefined) return;
      thread.track.sampled = this.#stretches.layOut(rows, builder.paths, (owner) => {
        const track = this.#threads.list[owner]?.track;
        return track === undefined ? 0 : (owners.get(track) ?? 0);
      });
    });
    for (let refused = this.#stretches.refused; refused > 0; refused--) builder.refuseNumber();
    this.#pauses.show(builder, this.#pid, this.#stacks, this.#names);
    for (const { track } of this.#threads.list) if (track.pid === 0) track.pid = this.#pid;
    const hasAllocations = this.#sampledAllocations.length + this.#tlabAllocations.length > 0;
    const trace = builder.finish(
      this.#methods,
      {
        format: 'jfr',
        pid: this.#pid,
        targetName: this.#targetName,
        runtime: this.#runtime,
        os: this.#os,
        exact: false,
        hasCpu: shown.hasCpu,
        hasAllocations,
        allocationsEstimated: hasAllocations,
        modeReason: [
          shown.text,
          hasAllocations
            ? `Allocated bytes are estimates by ${usedTlab ? 'allocation buffers' : 'samples'}`
            : '',
        ]
          .filter((reason) => reason !== '')
          .join('. '),
      },
      { realtimeNs: this.#firstNs ?? 0n },
    );
    return {
      ...trace,
      nodes: this.#stacks.nodes,
      className: (id) => (id > 0 ? this.#classes.text(id - 1) : ''),
    };
  }

  #remark(): void {
    const builder = this.#builder;
    const tell = (count: number, one: string, many: string): void => {
      if (count > 0) builder.remark(counted(count, one, many));
    };
    if (this.#chunks === 0) builder.remark('There is no chunk in this recording that can be read');
    tell(
      this.#broken,
      'event or constant pool does not hold together; it was left out',
      'events or constant pools do not hold together; they were left out',
    );
    tell(
      this.#noStack,
      'sample has no stack that the recorder kept; it was left out',
      'samples have no stack that the recorder kept; they were left out',
    );
    tell(
      this.#noThread,
      'event is of a thread that the file does not hold; it was left out',
      'events are of threads that the file does not hold; they were left out',
    );
    tell(
      this.#truncated,
      'stack was cut by the recorder: its outermost frames are missing ("stackdepth" keeps more)',
      'stacks were cut by the recorder: their outermost frames are missing ("stackdepth" keeps more)',
    );
  }

  /** Of both kinds, only one may count: allocation buffers, which see all, before samples. True: those are shown. */
  #chooseAllocations(): boolean {
    const usesTlab = this.#tlabAllocations.length > 0;
    if (usesTlab) for (const row of this.#sampledAllocations) this.#stretches.amount[row] = 0;
    return usesTlab;
  }

  #stretchSamples(): { readonly text: string; readonly hasCpu: boolean } {
    const stretches = this.#stretches;
    const usual = new Map<number, number>();
    const counts = new Map<number, number>();
    for (const what of [Stretch.Cpu, Stretch.There, Stretch.Idle]) {
      const rows = rowsByEnd(stretches, [what]);
      counts.set(what, rows.length);
      // async-profiler's wall clock has one interval for threads that run and threads that wait.
      const said = this.#periods.get(what) ?? this.#periods.get(Stretch.Idle);
      usual.set(what, said ?? usualInterval(stretches, rows, fallbackNs));
    }
    const all = rowsByEnd(stretches, [Stretch.Cpu, Stretch.There, Stretch.Idle]);
    stretchSamples(stretches, all, (what) => usual.get(what) ?? fallbackNs);
    const hasCpu = (counts.get(Stretch.Cpu) ?? 0) > 0;
    if (all.length === 0) return { text: '', hasCpu };
    const ms = numberIn(
      ((usual.get(hasCpu ? Stretch.Cpu : Stretch.There) ?? fallbackNs) / 1e6).toPrecision(3),
    );
    return { text: `A sample stands for the time before it, ${ms} ms as a rule`, hasCpu };
  }
}

const stateOf = (state: string): { readonly isIdle: boolean; readonly isRunnable: boolean } => ({
  isIdle: state === 'STATE_SLEEPING' || /WAITING|PARKED|BLOCKED/.test(state),
  isRunnable: state === 'STATE_RUNNABLE',
});
