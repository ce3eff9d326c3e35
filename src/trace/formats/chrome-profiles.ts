import { intervalBytes } from '../assemble/budget.js';
import type { EventBuilder } from '../assemble/event-builder.js';
import { isTime } from '../assemble/number-gate.js';
import { SampledRows } from '../assemble/sampled-rows.js';
import { counted } from '../model/counted.js';
import { eachMember, eachNumber, shortKey, type JsonReader } from './json-reader.js';
import type { NamedMethods } from './named-methods.js';
import type { NameTable } from './names.js';
import { Numbers } from './numbers.js';
import { readV8Node, type V8Frame } from './v8-node.js';

const dataKey = shortKey('data');
/** An estimate of what a node takes: its place in the map, and its path. */
const nodeBytes = 250;
const sampleBytes = 16 + 2 * intervalBytes;

/** What one profiler of the browser wrote, of one thread. */
interface Profile {
  readonly pid: number;
  tid: number;
  /** In µs, on the clock of all events; NaN while it is not known. */
  startUs: number;
  /** The path of each node; −1 for one in which nothing ran. */
  readonly paths: Map<number, number>;
  readonly samples: Numbers;
  readonly deltas: Numbers;
}

/**
 * Samples of JavaScript in traces of Chrome's DevTools: an event "Profile" begins them, events "ProfileChunk" bring nodes,
 * samples and the times between. They are shown on a track of their own: a thread's tasks are exact, and these are not.
 */
export class ChromeProfiles {
  readonly #builder: EventBuilder;
  readonly #names: NameTable;
  readonly #methods: NamedMethods;
  readonly #profiles = new Map<string, Profile>();
  #nodeCount = 0;
  #sampleCount = 0;
  #broken = 0;

  constructor(builder: EventBuilder, names: NameTable, methods: NamedMethods) {
    this.#builder = builder;
    this.#names = names;
    this.#methods = methods;
  }

  get memoryBytes(): number {
    return nodeBytes * this.#nodeCount + sampleBytes * this.#sampleCount;
  }

  /** An event "Profile"; `args` stands before its arguments. */
  begin(id: string, pid: number, tid: number, args: JsonReader): void {
    const profile = this.#of(id, pid, tid);
    profile.tid = tid;
    const isWhole = eachData(args, () => {
      if (!args.is('startTime')) return args.skip();
      if (!args.number()) return false;
      if (isTime(args.value * 1000)) profile.startUs = args.value;
      return true;
    });
    if (!isWhole) this.#broken++;
  }

  /** An event "ProfileChunk". */
  chunk(id: string, pid: number, tid: number, args: JsonReader): void {
    const profile = this.#of(id, pid, tid);
    const isWhole = eachData(args, () => {
      if (args.is('timeDeltas') && args.peek() === 0x5b)
        return eachNumber(args, (value) => {
          profile.deltas.push(value);
        });
      if (!args.is('cpuProfile') || args.peek() !== 0x7b) return args.skip();
      return eachMember(args, () => {
        if (args.is('nodes') && args.peek() === 0x5b) return this.#nodes(profile, args);
        if (!args.is('samples') || args.peek() !== 0x5b) return args.skip();
        return eachNumber(args, (value) => {
          profile.samples.push(value);
          this.#sampleCount++;
        });
      });
    });
    if (!isWhole) this.#broken++;
  }

  #of(id: string, pid: number, tid: number): Profile {
    const key = `${pid} ${id}`;
    let profile = this.#profiles.get(key);
    if (profile === undefined) {
      profile = { pid, tid, startUs: NaN, paths: new Map(), samples: new Numbers(), deltas: new Numbers() };
      this.#profiles.set(key, profile);
    }
    return profile;
  }

  #nodes(profile: Profile, reader: JsonReader): boolean {
    if (!reader.expect(0x5b)) return false;
    for (;;) {
      let byte = reader.peek();
      if (byte === 0x2c) {
        reader.at++;
        byte = reader.peek();
      }
      if (byte === 0x5d) break;
      if (byte !== 0x7b || !this.#node(profile, reader)) return false;
    }
    reader.at++;
    return true;
  }

  #node({ paths }: Profile, reader: JsonReader): boolean {
    const node = readV8Node(reader);
    if (node === undefined) return false;
    const { id, parent, frame } = node;
    this.#nodeCount++;
    const caller = Math.max(0, paths.get(parent) ?? 0);
    if (frame.name === '(root)') paths.set(id, caller);
    else if (frame.name === '(idle)') paths.set(id, -1);
    else paths.set(id, this.#builder.paths.child(caller, this.#methodOf(frame)));
    return true;
  }

  #methodOf({ name, url, line }: V8Frame): number {
    const place = url === '' ? '' : ` ${url.slice(url.lastIndexOf('/') + 1)}:${line}`;
    const method = this.#names.internText(name === '' ? `(anonymous)${place}` : name);
    this.#methods.setSource(method, url, line);
    return method;
  }

  /** `baseUs`: what all times count from; `nameOf`: of a thread that tells its name. */
  finish(baseUs: number, nameOf: (pid: number, tid: number) => string): void {
    let missing = 0;
    for (const profile of this.#profiles.values()) {
      const { pid, tid, startUs, samples, deltas, paths } = profile;
      if (samples.count === 0) continue;
      const name = nameOf(pid, tid);
      const track = this.#builder.thread(0, pid, `JavaScript samples of ${name === '' ? String(tid) : name}`);
      const rows = (track.sampled = new SampledRows(this.#builder.paths));
      let time = startUs === startUs ? (startUs - baseUs) * 1000 : 0;
      let begin = time;
      let path = 0;
      let usual = 0;
      for (let at = 0; at <= samples.count; at++) {
        const delta = Math.max(0, deltas.values[at] ?? 0) * 1000;
        const isLast = at === samples.count;
        // The last sample stands as long as the one before it.
        time += isLast || at >= deltas.count ? usual : delta;
        if (path > 0) rows.push(Math.round(begin), Math.round(time), path, 1);
        usual = time - begin;
        begin = time;
        const next = paths.get(samples.values[at] ?? NaN);
        if (next === undefined && !isLast) missing++;
        path = next ?? 0;
      }
    }
    if (missing > 0)
      this.#builder.remark(
        `${counted(missing, 'sample stands', 'samples stand')} at a call that the file does not hold`,
      );
    if (this.#broken > 0)
      this.#builder.remark(
        counted(
          this.#broken,
          'piece of a profile does not hold together; what could be read is kept',
          'pieces of profiles do not hold together; what could be read is kept',
        ),
      );
  }
}

/** The members of `data`, within the arguments. */
function eachData(reader: JsonReader, visit: () => boolean): boolean {
  return eachMember(reader, (key) => {
    if (key !== dataKey || reader.peek() !== 0x7b) return reader.skip();
    return eachMember(reader, visit);
  });
}
