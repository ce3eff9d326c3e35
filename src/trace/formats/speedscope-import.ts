import { callBytes, intervalBytes } from '../assemble/budget.js';
import { EventBuilder } from '../assemble/event-builder.js';
import { EventColumns } from '../assemble/event-columns.js';
import { idIn, isTime } from '../assemble/number-gate.js';
import { SampledRows } from '../assemble/sampled-rows.js';
import { counted } from '../model/counted.js';
import type { Trace } from '../model/trace.js';
import type { ImportOptions, TraceImporter } from './importer.js';
import { JsonDocument, readItem, skipValue, type JsonVisitor } from './json-document.js';
import { eachMember, eachNumber, shortKey, type JsonReader } from './json-reader.js';
import { NamedMethods } from './named-methods.js';
import { NameTable } from './names.js';
import { Numbers } from './numbers.js';

const Role = {
  root: 1,
  shared: 2,
  frames: 3,
  profiles: 4,
  profile: 5,
  events: 6,
  samples: 7,
  weights: 8,
} as const;
/** Members of frames and events that are read. */
const Key = {
  name: shortKey('name'),
  file: shortKey('file'),
  line: shortKey('line'),
  type: shortKey('type'),
  at: shortKey('at'),
} as const;
const maxFrames = 1 << 24;
const unitNs: ReadonlyMap<string, number> = new Map(
  Object.entries({
    nanoseconds: 1,
    microseconds: 1e3,
    milliseconds: 1e6,
    seconds: 1e9,
  }),
);

/** A profile while the file is read: its frames and its unit may be told after its events. */
class Profile {
  name = '';
  unit = 'none';
  start = 0;
  end = NaN;
  readonly events = new EventColumns();
  /** Stacks one after the other, outermost frame first; `stackEnds` is where each ends. */
  readonly stacks = new Numbers();
  readonly stackEnds = new Numbers();
  readonly weights = new Numbers();
  /** That the stacks make, one after the other. */
  #calls = 0;

  /** With what will be made of it. */
  get memoryBytes(): number {
    const numbers = 8 * (this.stacks.count + this.stackEnds.count + this.weights.count);
    const { events, stackEnds } = this;
    return (
      events.memoryBytes +
      12 * events.count +
      numbers +
      intervalBytes * stackEnds.count +
      callBytes * this.#calls
    );
  }

  /** The numbers from `from` on are a stack. */
  endStack(from: number): void {
    const { stacks, stackEnds } = this;
    const before = stackEnds.count > 1 ? (stackEnds.values[stackEnds.count - 2] ?? 0) : 0;
    let same = 0;
    while (
      before + same < from &&
      from + same < stacks.count &&
      stacks.values[before + same] === stacks.values[from + same]
    )
      same++;
    this.#calls += stacks.count - from - same;
    stackEnds.push(stacks.count);
  }
}

/** Reads speedscope's format, evented and sampled profiles: each profile is a thread. */
export class SpeedscopeImporter implements TraceImporter, JsonVisitor {
  readonly #builder = new EventBuilder();
  readonly #names = new NameTable();
  readonly #methods = new NamedMethods(this.#names);
  readonly #document = new JsonDocument(this);
  readonly #signal: AbortSignal | undefined;
  readonly #countNs: number;
  readonly #profiles: Profile[] = [];
  #profile = new Profile();
  /** Method of each frame. */
  readonly #frames: number[] = [];
  #key = '';
  #name = '';
  /** Why values are no times, in words. */
  #untimed = '';

  constructor(options: ImportOptions = {}) {
    this.#signal = options.signal;
    this.#builder.mostBytes = options.mostBytes ?? Infinity;
    this.#countNs = options.countNs ?? 1e6;
  }

  append(bytes: Uint8Array): void {
    this.#signal?.throwIfAborted();
    this.#document.append(bytes);
    let held = this.#names.memoryBytes;
    for (const profile of this.#profiles) held += profile.memoryBytes;
    this.#builder.read(bytes.length, held);
  }

  get isPart(): boolean {
    return this.#builder.isPart;
  }

  finish(): Trace {
    const isWhole = this.#document.finish();
    if (!isWhole) {
      this.#builder.problem(
        this.#document.offset,
        'The file ends in the middle; what was read before is kept',
      );
    }
    let sampled = false;
    let missing = 0;
    for (const profile of this.#profiles) {
      missing += this.#place(profile, isWhole && !this.#builder.isFull);
      sampled ||= profile.stackEnds.count > 0;
    }
    if (missing > 0)
      this.#builder.remark(
        `${counted(missing, 'event names', 'events name')} a frame that the file does not hold`,
      );
    return this.#builder.finish(this.#methods, {
      format: 'speedscope',
      targetName: this.#name,
      exact: !sampled,
      modeReason: this.#untimed === '' ? '' : `${this.#untimed}: 1 is drawn as 1 ms`,
    });
  }

  wants(role: number, key: JsonReader | undefined, first: number): number {
    switch (role) {
      case 0:
        return Role.root;
      case Role.root: {
        const name = key?.text() ?? '';
        this.#key = name;
        if (name === 'shared') return Role.shared;
        if (name === 'profiles') return Role.profiles;
        return name === 'name' && first === 0x22 ? readItem : skipValue;
      }
      case Role.shared:
        return key?.text() === 'frames' ? Role.frames : skipValue;
      case Role.profiles:
        if (first !== 0x7b) return skipValue;
        this.#profile = new Profile();
        this.#profiles.push(this.#profile);
        return Role.profile;
      case Role.profile: {
        const name = key?.text() ?? '';
        this.#key = name;
        if (name === 'events') return Role.events;
        if (name === 'samples') return Role.samples;
        if (name === 'weights') return Role.weights;
        return ['name', 'unit', 'startValue', 'endValue'].includes(name) ? readItem : skipValue;
      }
      case Role.events:
      case Role.samples:
        return this.#builder.isFull ? skipValue : readItem;
      case Role.weights:
        // Those of the samples that were taken in come after them.
        return this.#builder.isFull && this.#hasWeights ? skipValue : readItem;
      default:
        return readItem;
    }
  }

  get #hasWeights(): boolean {
    return this.#profile.weights.count >= this.#profile.stackEnds.count;
  }

  item(role: number, reader: JsonReader): boolean {
    switch (role) {
      case Role.frames:
        return this.#frame(reader);
      case Role.events:
        return this.#event(reader);
      case Role.samples:
        return this.#sample(reader);
      case Role.weights:
        if (!reader.number()) return false;
        this.#profile.weights.push(reader.value);
        return true;
      default:
        return this.#scalar(role, reader);
    }
  }

  leave(): void {
    // Everything is put in its place at the end: frames may come last.
  }

  problem(offset: number, what: string): void {
    this.#builder.problem(offset, what);
  }

  #scalar(role: number, reader: JsonReader): boolean {
    if (reader.peek() === 0x22) {
      if (!reader.string()) return false;
      if (role === Role.root) this.#name = reader.text();
      else if (this.#key === 'name') this.#profile.name = reader.text();
      else if (this.#key === 'unit') this.#profile.unit = reader.text();
      return true;
    }
    const isNumber = reader.peek() !== 0x6e && (this.#key === 'startValue' || this.#key === 'endValue');
    if (!isNumber) return reader.skip();
    if (!reader.number()) return false;
    if (this.#key === 'startValue') this.#profile.start = reader.value;
    else this.#profile.end = reader.value;
    return true;
  }

  #frame(reader: JsonReader): boolean {
    let name = -1;
    let file = '';
    let line = 0;
    const whole = eachMember(reader, (key) => {
      if (key === Key.name && reader.peek() === 0x22) {
        if (!reader.string()) return false;
        name = reader.escaped
          ? this.#names.internText(reader.text())
          : this.#names.intern(reader.bytes, reader.from, reader.to);
        return true;
      }
      if (key === Key.file && reader.peek() === 0x22) {
        if (!reader.string()) return false;
        file = reader.text();
        return true;
      }
      if (key === Key.line && reader.peek() !== 0x6e) {
        if (!reader.number()) return false;
        line = reader.whole;
        return true;
      }
      return reader.skip();
    });
    if (!whole || this.#frames.length >= maxFrames) return whole;
    if (name < 0) name = this.#names.internText('(no name)');
    this.#methods.setSource(name, file, line);
    this.#frames.push(name);
    return true;
  }

  #event(reader: JsonReader): boolean {
    // 'O' opens, 'C' closes.
    let kind = 0x4f;
    let frame = -1;
    let at = NaN;
    const whole = eachMember(reader, (key) => {
      switch (key) {
        case Key.type:
          if (reader.peek() !== 0x22) return reader.skip();
          if (!reader.string()) return false;
          kind = reader.bytes[reader.from] ?? 0;
          return true;
        case Key.at:
          if (!reader.number()) return false;
          at = reader.value;
          return true;
        default:
          if (!reader.is('frame')) return reader.skip();
          if (!reader.number()) return false;
          frame = reader.value;
          return true;
      }
    });
    if (!whole) return false;
    if (at === at && frame >= 0 && frame < maxFrames)
      this.#profile.events.push(at, kind === 0x4f ? frame : -2 - frame);
    return true;
  }

  #sample(reader: JsonReader): boolean {
    const { stacks } = this.#profile;
    const before = stacks.count;
    if (!eachNumber(reader, (frame) => stacks.push(frame))) {
      stacks.count = before;
      return false;
    }
    this.#profile.endStack(before);
    return true;
  }

  /** Makes a thread of a profile; returns how often it names a frame that is not there. `hasEnd`: all of its events are known. */
  #place(profile: Profile, hasEnd: boolean): number {
    const scale = unitNs.get(profile.unit) ?? this.#countNs;
    if (!unitNs.has(profile.unit))
      this.#untimed =
        profile.unit === 'none'
          ? 'The file does not say what its values are'
          : `The values of the file are ${profile.unit}`;
    const [, name = profile.name, tid = '0'] = /^(.*) \(tid (\d+)\)$/s.exec(profile.name) ?? [];
    const thread = this.#builder.thread(idIn(tid), 0, name);
    let missing = 0;
    const methodOf = (frame: number): number => {
      const method = this.#frames[frame];
      if (method !== undefined) return method;
      missing++;
      return this.#names.internText(`(frame ${frame} is missing)`);
    };
    const { events, stacks, stackEnds, weights } = profile;
    for (let row = 0; row < events.count; row++) {
      const what = events.what[row] ?? 0;
      const method = methodOf(what >= 0 ? what : -2 - what);
      thread.events.push(Math.round((events.time[row] ?? 0) * scale), what >= 0 ? method : -2 - method);
    }
    const end = Math.round(profile.end * scale);
    for (let n = events.refused; n > 0; n--) this.#builder.refuseNumber();
    if (hasEnd && events.count > 0 && isTime(end)) thread.endNs = end;
    if (stackEnds.count > 0) {
      const rows = (thread.sampled = new SampledRows(this.#builder.paths));
      let time = isTime(profile.start * scale) ? profile.start * scale : 0;
      let at = 0;
      for (let sample = 0; sample < stackEnds.count; sample++) {
        let path = 0;
        for (const end = stackEnds.values[sample] ?? at; at < end; at++) {
          path = this.#builder.paths.child(path, methodOf(stacks.values[at] ?? 0));
        }
        const stated = sample < weights.count ? (weights.values[sample] ?? 0) : 1;
        if (stated < 0) this.#builder.tellNegative();
        const next = time + Math.max(0, stated) * scale;
        if (!isTime(next)) this.#builder.refuseNumber();
        else {
          if (path !== 0) rows.push(Math.round(time), Math.round(next), path, 1);
          time = next;
        }
      }
    }
    return missing;
  }
}
