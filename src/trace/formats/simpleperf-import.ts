import { EventBuilder } from '../assemble/event-builder.js';
import { counted } from '../model/counted.js';
import type { Trace } from '../model/trace.js';
import { ByteWindow } from './byte-window.js';
import type { ImportOptions, TraceImporter } from './importer.js';
import { NamedMethods } from './named-methods.js';
import { NameTable } from './names.js';
import { Numbers } from './numbers.js';
import { ProtobufReader } from './protobuf-reader.js';
import { countsCpuTime, shownEvent, whatIsShown } from './sampled-events.js';
import { rowsByEnd, Stretch, Stretches, stretchSamples, usualInterval } from './stretches.js';

/** Fields of simpleperf's cmd_report_sample.proto. */
const Record = { sample: 1, lost: 2, file: 3, thread: 4, meta: 5 } as const;
const Sample = { time: 1, thread: 2, callchain: 3, eventType: 5 } as const;
const Entry = { address: 1, file: 2, symbol: 3 } as const;
const Lost = { samples: 1, lost: 2 } as const;
const File = { id: 1, path: 2, symbol: 3 } as const;
const Thread = { id: 1, process: 2, name: 3 } as const;
const Meta = { eventType: 1, package: 2 } as const;

/** "SIMPLEPERF" and two bytes of a version. */
const headBytes = 12;
const maxRecordBytes = 64 << 20;
const maxThreads = 1 << 14;
const fallbackNs = 1e6;
const entryBytes = 120;

interface NamedThread {
  readonly tid: number;
  pid: number;
  name: string;
}

/**
 * Reads what `simpleperf report-sample --protobuf` writes: samples with stacks, whose names come behind them. A sample stands
 * for the time since its thread's one before, as with perf.
 *
 * Memory: 24 bytes a frame of a sample, until `finish`.
 */
export class SimpleperfImporter implements TraceImporter {
  readonly #builder = new EventBuilder();
  readonly #names = new NameTable();
  readonly #methods = new NamedMethods(this.#names);
  readonly #stretches = new Stretches();
  readonly #window = new ByteWindow();
  readonly #signal: AbortSignal | undefined;
  readonly #record = new ProtobufReader();
  readonly #inner = new ProtobufReader();
  readonly #entry = new ProtobufReader();
  #hasHead = false;
  #isAtEnd = false;
  #broken = 0;
  /** Frames of the samples, innermost first: file, symbol, address; and where those of each sample end. */
  readonly #files = new Numbers();
  readonly #symbols = new Numbers();
  readonly #addresses = new Numbers();
  readonly #ends = new Numbers();
  readonly #eventTypes = new Numbers();
  readonly #fileOf = new Map<number, { path: string; readonly symbols: string[] }>();
  readonly #threads: NamedThread[] = [];
  readonly #rowOf = new Map<number, number>();
  readonly #events: string[] = [];
  #package = '';
  #entries = 0;
  #lost = 0;
  #all = 0;

  constructor(options: ImportOptions = {}) {
    this.#signal = options.signal;
    this.#builder.mostBytes = options.mostBytes ?? Infinity;
  }

  append(bytes: Uint8Array): void {
    this.#signal?.throwIfAborted();
    this.#window.add(bytes);
    this.#read();
    const names = this.#names.memoryBytes + entryBytes * (this.#entries + this.#threads.length);
    this.#builder.read(bytes.length, names + 24 * this.#files.count + this.#stretches.memoryBytes);
  }

  get isPart(): boolean {
    return this.#builder.isPart;
  }

  #read(): void {
    const window = this.#window;
    if (!this.#hasHead) {
      if (window.end - window.at < headBytes) return;
      window.at += headBytes;
      this.#hasHead = true;
    }
    while (!this.#isAtEnd && window.end - window.at >= 4) {
      const { bytes, at, end } = window;
      const size = new DataView(bytes.buffer, bytes.byteOffset + at, 4).getUint32(0, true);
      if (size === 0) {
        this.#isAtEnd = true;
        window.at += 4;
        break;
      }
      if (size > maxRecordBytes) {
        this.#builder.problem(window.offset, 'No record stands here; the rest was left out');
        this.#isAtEnd = true;
        break;
      }
      if (at + 4 + size > end) return;
      this.#one(bytes, at + 4, at + 4 + size);
      window.at = at + 4 + size;
    }
    if (this.#isAtEnd) window.at = window.end;
  }

  #one(bytes: Uint8Array, from: number, to: number): void {
    const record = this.#record.open(bytes, from, to);
    while (record.next()) {
      if (record.wireType !== 2) continue;
      const inner = this.#inner.open(bytes, record.from, record.to);
      if (record.field === Record.sample) this.#sample(inner);
      else if (record.field === Record.file) this.#file(inner);
      else if (record.field === Record.thread) this.#thread(inner);
      else if (record.field === Record.meta) this.#meta(inner);
      else if (record.field === Record.lost)
        while (inner.next()) {
          if (inner.field === Lost.samples) this.#all = inner.unsigned;
          else if (inner.field === Lost.lost) this.#lost = inner.unsigned;
        }
      if (inner.broken) this.#broken++;
    }
    if (record.broken) this.#broken++;
  }

  #sample(sample: ProtobufReader): void {
    if (this.#builder.isFull) return;
    let time = NaN;
    let tid = 0;
    let event = 0;
    const before = this.#files.count;
    while (sample.next()) {
      if (sample.field === Sample.time) time = sample.unsigned;
      else if (sample.field === Sample.thread) tid = sample.low;
      else if (sample.field === Sample.eventType) event = sample.low;
      else if (sample.field === Sample.callchain && sample.wireType === 2) {
        const entry = this.#entry.open(sample.bytes, sample.from, sample.to);
        // A number that is not written is 0; a place without a symbol says −1.
        let [file, symbol, address] = [0, 0, 0];
        while (entry.next()) {
          if (entry.field === Entry.address) address = entry.unsigned;
          else if (entry.field === Entry.file) file = entry.low;
          else if (entry.field === Entry.symbol) symbol = entry.signed;
        }
        this.#files.push(file);
        this.#symbols.push(symbol);
        this.#addresses.push(address);
      }
    }
    // The path is known when the names are.
    const row = this.#stretches.push(this.#row(tid), time, time, Stretch.Cpu, 0, 0);
    if (row < 0) {
      this.#files.count = this.#symbols.count = this.#addresses.count = before;
      return;
    }
    this.#ends.push(this.#files.count);
    this.#eventTypes.push(event);
  }

  #row(tid: number): number {
    let row = this.#rowOf.get(tid);
    if (row === undefined) {
      row = this.#threads.length;
      // Those that are too many share the last row.
      if (row === maxThreads) return row - 1;
      this.#threads.push({ tid, pid: 0, name: '' });
      this.#rowOf.set(tid, row);
    }
    return row;
  }

  #file(message: ProtobufReader): void {
    let id = 0;
    let path = '';
    const symbols: string[] = [];
    while (message.next()) {
      if (message.field === File.id) id = message.low;
      else if (message.wireType !== 2) continue;
      else if (message.field === File.path) path = message.text();
      else if (message.field === File.symbol) symbols.push(message.text());
    }
    this.#entries += 1 + symbols.length;
    this.#fileOf.set(id, { path, symbols });
  }

  #thread(message: ProtobufReader): void {
    let [tid, pid, name] = [0, 0, ''];
    while (message.next()) {
      if (message.field === Thread.id) tid = message.low;
      else if (message.field === Thread.process) pid = message.low;
      else if (message.field === Thread.name && message.wireType === 2) name = message.text();
    }
    const thread = this.#threads[this.#row(tid)];
    if (thread?.tid !== tid) return;
    thread.pid = pid;
    thread.name = name;
  }

  #meta(message: ProtobufReader): void {
    while (message.next()) {
      if (message.wireType !== 2) continue;
      if (message.field === Meta.eventType && this.#events.length < 256) this.#events.push(message.text());
      else if (message.field === Meta.package) this.#package = message.text();
    }
  }

  finish(): Trace {
    const builder = this.#builder;
    const window = this.#window;
    if (window.at < window.end)
      builder.problem(window.offset, 'The file ends in the middle; what was read before is kept');
    if (this.#broken > 0)
      builder.remark(
        `${counted(this.#broken, 'record does', 'records do')} not hold together; what could be read is kept`,
      );
    if (this.#lost > 0)
      builder.loss(
        this.#lost,
        this.#all + this.#lost,
        `${counted(this.#lost, 'sample was', 'samples were')} lost while recording`,
      );
    const event = shownEvent(this.#events);
    for (let refused = this.#stretches.refused; refused > 0; refused--) builder.refuseNumber();
    const stretches = this.#shown(event);
    const rows = rowsByEnd(stretches, [Stretch.Cpu, Stretch.There]);
    const usual = usualInterval(stretches, rows, fallbackNs);
    stretchSamples(stretches, rows, () => usual);
    stretches.eachThread((row, ofThread) => {
      const { tid, pid, name } = this.#threads[row] ?? { tid: 0, pid: 0, name: '' };
      builder.thread(tid, pid, name).sampled = stretches.layOut(ofThread, builder.paths, () => 0);
    });
    const main = builder.threads.find(({ isMain }) => isMain) ?? builder.threads[0];
    const title = this.#events[event] ?? 'an event that the file does not name';
    const others = this.#events.filter((_, at) => at !== event);
    return builder.finish(this.#methods, {
      format: 'simpleperf',
      exact: false,
      hasCpu: countsCpuTime(title),
      pid: main?.pid ?? 0,
      targetName: this.#package === '' ? (main?.name ?? '') : this.#package,
      modeReason: whatIsShown(title, usual, others),
    });
  }

  /** The samples of the event, now that the names of their stacks are known. */
  #shown(event: number): Stretches {
    const { paths } = this.#builder;
    const { count, thread, end: times } = this.#stretches;
    const what = countsCpuTime(this.#events[event] ?? '') ? Stretch.Cpu : Stretch.There;
    const shown = new Stretches();
    let at = 0;
    for (let row = 0; row < count; row++) {
      const end = this.#ends.values[row] ?? at;
      const from = at;
      at = end;
      if ((this.#eventTypes.values[row] ?? 0) !== event) continue;
      let path = 0;
      for (let frame = end - 1; frame >= from; frame--)
        path = paths.child(path, this.#names.internText(this.#frame(frame)));
      if (path === 0) path = paths.child(0, this.#names.internText('[no stack]'));
      shown.push(thread[row] ?? 0, times[row] ?? 0, times[row] ?? 0, what, path, 0);
    }
    return shown;
  }

  #frame(frame: number): string {
    const file = this.#fileOf.get(this.#files.values[frame] ?? -1);
    const symbol = file?.symbols[this.#symbols.values[frame] ?? -1] ?? '';
    if (symbol !== '' && symbol !== 'unknown') return symbol;
    const base = file === undefined ? '' : file.path.slice(file.path.lastIndexOf('/') + 1);
    const address = this.#addresses.values[frame] ?? 0;
    return `${base === '' ? '' : `${base}+`}0x${address.toString(16)}`;
  }
}
