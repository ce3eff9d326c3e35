import { callBytes, intervalBytes } from '../assemble/budget.js';
import { EventBuilder } from '../assemble/event-builder.js';
import { idIn, idOr0, isLength } from '../assemble/number-gate.js';
import { counted } from '../model/counted.js';
import type { Trace } from '../model/trace.js';
import type { ImportOptions, TraceImporter } from './importer.js';
import { NamedMethods } from './named-methods.js';
import { NameTable } from './names.js';
import { PprofProfile } from './pprof-profile.js';
import { threadIdKeys, threadNameKeys } from './pprof-fields.js';
import { childrenOf, laySideBySide, type WeighedTree } from './side-by-side.js';

/**
 * Functions inlined at one place repeat with each sample that stands there: so many frames in all, by the bytes of the file.
 * Real profiles have less than one.
 */
const framesPerByte = 4;
const framesAlways = 1 << 16;
/** An estimate: a path with its stretch and its call. */
const placeBytes = 150 + intervalBytes + callBytes;
/** What one of these is drawn as, in ns. */
const timeUnits: ReadonlyMap<string, number> = new Map(
  Object.entries({
    nanoseconds: 1,
    ns: 1,
    microseconds: 1e3,
    us: 1e3,
    milliseconds: 1e6,
    ms: 1e6,
    seconds: 1e9,
    s: 1e9,
  }),
);
const byteNs = 1000;

/**
 * Reads pprof's profiles (Go, gperftools, many others), which come within gzip or bare: stacks with one value or several, and
 * no times. Stacks are laid side by side by name, by the value that the file calls its default, else its last.
 *
 * Memory: the profile's, until `finish`.
 */
export class PprofImporter implements TraceImporter {
  readonly #builder = new EventBuilder();
  readonly #profile = new PprofProfile();
  readonly #names = new NameTable();
  readonly #methods = new NamedMethods(this.#names, 'place');
  readonly #signal: AbortSignal | undefined;
  readonly #countNs: number;
  #bytes = 0;

  constructor(options: ImportOptions = {}) {
    this.#signal = options.signal;
    this.#builder.mostBytes = options.mostBytes ?? Infinity;
    this.#countNs = options.countNs ?? 1e6;
  }

  append(bytes: Uint8Array): void {
    this.#signal?.throwIfAborted();
    const profile = this.#profile;
    this.#bytes += bytes.length;
    profile.append(bytes);
    this.#builder.read(bytes.length, profile.memoryBytes + placeBytes * profile.stackEnds.count);
    profile.takesSamples = !this.#builder.isFull;
  }

  get isPart(): boolean {
    return this.#builder.isPart;
  }

  finish(): Trace {
    const builder = this.#builder;
    const { damagedAt, isCut, offset, brokenMessages } = this.#profile;
    if (damagedAt !== undefined)
      builder.problem(damagedAt, 'What stands here is no part of a profile; the rest was left out');
    if (isCut) builder.problem(offset, 'The profile ends in the middle; what was read before is kept');
    if (brokenMessages > 0)
      builder.remark(
        `${counted(brokenMessages, 'message does', 'messages do')} not hold together; what could be read is kept`,
      );
    const shown = this.#shownType();
    this.#place(shown);
    const said = this.#profile.types.map(({ type }) => this.#profile.string(type));
    const name = said[shown] || 'the only value';
    const others = said.filter((other, at) => at !== shown && other !== '');
    return builder.finish(
      this.#methods,
      {
        format: 'pprof',
        targetName: baseName(this.#profile.string(this.#profile.mappingFile[0] ?? 0)),
        exact: false,
        modeReason: [
          `pprof's stacks have no times: laid out by name, by ${name}${this.#unitWords(shown)}`,
          others.length > 0 ? `The file also has ${others.join(', ')}` : '',
        ]
          .filter((reason) => reason !== '')
          .join('. '),
      },
      { monotonicNs: 0n, boottimeNs: 0n, realtimeNs: this.#profile.timeNs },
    );
  }

  #shownType(): number {
    const last = Math.max(0, this.#profile.types.length - 1);
    const at = this.#profile.types.findIndex(({ type }) => type === this.#profile.defaultType);
    return this.#profile.defaultType > 0 && at >= 0 ? at : last;
  }

  #unitOf(shown: number): string {
    return this.#profile.string(this.#profile.types[shown]?.unit ?? 0);
  }

  #nsOf(shown: number): number {
    const unit = this.#unitOf(shown);
    return timeUnits.get(unit) ?? (unit === 'bytes' ? byteNs : this.#countNs);
  }

  #unitWords(shown: number): string {
    const unit = this.#unitOf(shown);
    if (timeUnits.has(unit)) return '';
    return unit === 'bytes' ? ', 1 kB as 1 ms' : `, one ${unit === '' ? 'count' : `"${unit}"`} as 1 ms`;
  }

  /** Calls `visit` with the methods of a location, the outermost one first. */
  #eachMethod(location: number, methodOf: readonly number[], visit: (method: number) => void): void {
    const count = this.#profile.lineCount[location] ?? 0;
    const from = this.#profile.lineFrom[location] ?? 0;
    for (let at = from + count - 1; at >= from; at--)
      visit(methodOf[this.#profile.lines.values[at] ?? 0] ?? 0);
    if (count === 0) visit(this.#names.internText(this.#placeOf(location)));
  }

  /** What stands for a function that the file does not name. */
  #placeOf(location: number): string {
    const address = this.#profile.locationAddress[location];
    if (address === undefined) return '(a location that the file does not hold)';
    const file = baseName(
      this.#profile.string(this.#profile.mappingFile[this.#profile.locationMapping[location] ?? -1] ?? 0),
    );
    return `${file === '' ? '' : `${file}+`}0x${address.toString(16)}`;
  }

  #methodsOfFunctions(): number[] {
    const methods: number[] = [];
    for (let row = 0; row < this.#profile.functionCount; row++) {
      const name =
        this.#profile.string(this.#profile.functionName[row] ?? 0).replaceAll('\t', ' ') || '(no name)';
      const file = this.#profile.string(this.#profile.functionFile[row] ?? 0);
      const method = this.#names.internText(file === '' ? name : `${name}\t${file}`);
      this.#methods.setSource(method, file, this.#profile.functionLine[row] ?? 0);
      methods.push(method);
    }
    return methods;
  }

  #place(shown: number): void {
    const builder = this.#builder;
    const { paths } = builder;
    const methodOf = this.#methodsOfFunctions();
    const scale = this.#nsOf(shown);
    const counts = this.#profile.types.findIndex(({ type, unit }) => {
      return this.#profile.string(type) === 'samples' && this.#profile.string(unit) === 'count';
    });
    const weights: number[] = [];
    const samples: number[] = [];
    const threads = this.#threads();
    let at = 0;
    let valueFrom = 0;
    let lacking = 0;
    let frames = framesAlways + framesPerByte * this.#bytes;
    let tooDeep = 0;
    for (let sample = 0; sample < this.#profile.stackEnds.count; sample++) {
      const end = this.#profile.stackEnds.values[sample] ?? at;
      const valueEnd = this.#profile.valueEnds.values[sample] ?? valueFrom;
      // Below its thread's frame, a stack is its thread's alone.
      let path = threads?.pathOf(sample) ?? 0;
      const root = path;
      for (let frame = at; frame < end; frame++)
        frames -= Math.max(1, this.#profile.lineCount[this.#profile.stacks.values[frame] ?? 0] ?? 1);
      if (frames < 0) tooDeep++;
      for (let frame = end - 1; frame >= at && frames >= 0; frame--)
        this.#eachMethod(this.#profile.stacks.values[frame] ?? 0, methodOf, (method) => {
          path = paths.child(path, method);
        });
      const value =
        valueFrom + shown < valueEnd ? (this.#profile.values.values[valueFrom + shown] ?? 0) : NaN;
      if (value !== value) lacking++;
      else if (value < 0) builder.tellNegative();
      else if (!isLength(value * scale)) builder.refuseNumber();
      else if (path > root) {
        weights[path] = (weights[path] ?? 0) + value * scale;
        const count = counts >= 0 ? (this.#profile.values.values[valueFrom + counts] ?? 0) : 0;
        samples[path] = (samples[path] ?? 0) + (isLength(count) ? count : 0);
      }
      at = end;
      valueFrom = valueEnd;
    }
    if (lacking > 0)
      builder.remark(`${counted(lacking, 'sample has', 'samples have')} fewer values than the file says`);
    if (tooDeep > 0)
      builder.loss(
        tooDeep,
        this.#profile.stackEnds.count,
        `${counted(tooDeep, 'sample was', 'samples were')} left out: more frames than a file of this size can mean`,
      );
    const tree: WeighedTree = {
      paths,
      children: childrenOf(paths),
      nameOf: (path) => this.#names.text(paths.method[path] ?? 0),
      weightOf: (path) => weights[path] ?? 0,
      samplesOf: (path) => samples[path] ?? 0,
    };
    if (threads === undefined) laySideBySide(builder.thread(1, 0, 'all threads'), tree, 0);
    else
      for (const { path, tid, name } of threads.all) laySideBySide(builder.thread(tid, 0, name), tree, path);
  }

  /** The threads that labels name; undefined where they name none. */
  #threads(): LabelledThreads | undefined {
    const profile = this.#profile;
    const keys = new Map<number, 'name' | 'id'>();
    for (let label = 0; label < profile.labelKeys.count; label++) {
      const key = profile.labelKeys.values[label] ?? 0;
      if (keys.has(key)) continue;
      const text = profile.string(key);
      if (threadNameKeys.includes(text)) keys.set(key, 'name');
      else if (threadIdKeys.includes(text)) keys.set(key, 'id');
    }
    if (keys.size === 0) return undefined;
    const known = new Map<string, LabelledThread>();
    const pathOf = (sample: number): number => {
      let [name, tid] = ['', 0];
      const from = sample === 0 ? 0 : (profile.labelEnds.values[sample - 1] ?? 0);
      for (let label = from; label < (profile.labelEnds.values[sample] ?? 0); label++) {
        const kind = keys.get(profile.labelKeys.values[label] ?? 0);
        const text = profile.string(profile.labelTexts.values[label] ?? 0);
        const number = idOr0(profile.labelNumbers.values[label] ?? 0);
        if (kind === 'name') name = text;
        else if (kind === 'id') tid = number > 0 ? number : idIn(text);
      }
      const key = `${tid} ${name}`;
      let thread = known.get(key);
      if (thread === undefined) {
        const frame = this.#names.internText(`[${name.replaceAll('\t', ' ')} tid=${tid}]`);
        thread = { path: this.#builder.paths.child(0, frame), tid, name };
        known.set(key, thread);
      }
      return thread.path;
    };
    return {
      pathOf,
      get all() {
        return known.values();
      },
    };
  }
}

interface LabelledThread {
  /** Of the frame that names it. */
  readonly path: number;
  readonly tid: number;
  readonly name: string;
}

interface LabelledThreads {
  pathOf(sample: number): number;
  readonly all: Iterable<LabelledThread>;
}

const baseName = (file: string): string => file.slice(file.lastIndexOf('/') + 1);
