/**
 * Two sets of runs of one program, such as ten starts before a change and ten after it: which calls take longer, which are
 * new, and how sure that is. Runs differ by themselves, so a difference is held against how much the runs of each set do.
 * Costs a pass over each trace's intervals and paths.
 */
import { MethodKind } from '../model/kinds.js';
import { PathTable } from '../assemble/paths.js';
import { sumScope } from '../measure/sums.js';
import type { Methods, Trace } from '../model/trace.js';
import { methodKey, nameOfAllRuns } from './matched-methods.js';
import { chanceBeyond, chanceOfMore, errorOfDifference, meanOf } from './student.js';

export interface RunSetRules {
  /** A call that takes so much longer is told. */
  readonly moreNs: number;
  /** A new call that takes so much is told. */
  readonly newNs: number;
}

export const publishedRules: RunSetRules = { moreNs: 10e6, newNs: 5e6 };

/** In 2000 comparisons of equal sets, one tells something. */
const chanceOfAlarm = 0.0005;
/** Of a call's difference, a call inside that has so much of it is what made it. */
const most = 0.8;
/** Renamed methods within renamed ones are looked for so deep. */
const deepestRenames = 4;
/** By more standard deviations than this, of what samples alone make, a difference is not theirs. */
const beyondSamples = 4;
/** More runs than this are not advised. */
const mostRuns = 1000;
/** Of this many standard deviations a mean may be off. */
const clearFrom = 2;

export interface RunProblem {
  readonly kind: 'wall' | 'cpu' | 'new';
  readonly isMain: boolean;
  /** The calls from the outermost to the one that is told, by name. */
  readonly chain: readonly string[];
  /** The same call in the first set, where it had another name. */
  readonly renamedFrom: string | undefined;
  /** Innermost last; source files as the runtime names them. */
  readonly places: readonly RunPlace[];
  /** Means over the runs, ns. */
  readonly before: number;
  readonly after: number;
  /** ± ns: the difference is within this in 19 of 20 cases. */
  readonly noise: number;
  /** That chance alone makes it, over all calls that were compared. */
  readonly chance: number;
}

/** Every run after has more than any before, by the limit, and yet so few runs may do so by chance. */
export interface UndecidedCall extends RunProblem {
  /** So many runs a set would tell it, if they differ as these do. */
  readonly runsToTell: number;
}

export interface RunPlace {
  readonly className: string;
  readonly method: string;
  readonly file: string;
  readonly line: number;
}

export interface Rename {
  readonly before: string;
  readonly after: string;
}

export interface RunSets {
  /** The main thread first, the largest difference first. */
  readonly problems: readonly RunProblem[];
  /** No problems yet. */
  readonly undecided: readonly UndecidedCall[];
  readonly renames: readonly Rename[];
  /** Calls that were compared. */
  readonly compared: number;
  readonly runs: readonly [before: number, after: number];
}

/** Fewer runs do not tell how much runs differ. */
export const fewestRuns = 3;

export function compareRuns(
  before: readonly Trace[],
  after: readonly Trace[],
  rules: RunSetRules = publishedRules,
): RunSets {
  const aliases = new Map<string, string>();
  let tree = new Tree(before, after, aliases);
  // What a renamed method calls has a common caller once that is known.
  for (let level = 0; level < deepestRenames; level++) {
    const more = tree.renames();
    if (more.length === 0) break;
    for (const one of more) aliases.set(one.before, one.after);
    tree = new Tree(before, after, aliases);
  }
  const renames = [...aliases].map(([was, is]) => ({ before: shownName(was), after: shownName(is) }));
  const found = tree.problems(rules);
  const worstFirst = (a: RunProblem, b: RunProblem): number =>
    Number(b.isMain) - Number(a.isMain) || b.after - b.before - (a.after - a.before);
  return {
    problems: found.problems.sort(worstFirst),
    undecided: found.undecided.sort(worstFirst),
    renames,
    compared: found.compared,
    runs: [before.length, after.length],
  };
}

/** `work`: wall time without waits, which samples alone tell of. */
type Weight = 'wall' | 'cpu' | 'work';

const weights: readonly Weight[] = ['wall', 'cpu', 'work'];

/** One call tree for the main threads and one for the others, with each run's figures by path. */
class Tree {
  readonly #paths = new PathTable(1024);
  readonly #numbers = new Map<string, number>();
  readonly #methods: { readonly of: Methods; readonly method: number; readonly key: string }[] = [];
  /** By set, run, weight: figures by path. The first level below the root tells main from others. */
  readonly #totals: readonly (readonly Record<Weight, Float64Array>[])[];
  readonly #main: number;
  /** What a sample stands for at most. */
  readonly #intervalNs: number;
  readonly #aliases: ReadonlyMap<string, string>;

  constructor(before: readonly Trace[], after: readonly Trace[], aliases: ReadonlyMap<string, string>) {
    this.#aliases = aliases;
    this.#main = this.#paths.child(0, this.#special('main'));
    const others = this.#paths.child(0, this.#special('others'));
    // The set after first: names and places are those of now.
    const now = after.map((trace) => this.#take(trace, this.#main, others, false));
    const was = before.map((trace) => this.#take(trace, this.#main, others, true));
    this.#totals = [was, now].map((runs) =>
      runs.map(({ wall, cpu, work }) => ({
        wall: this.#summed(wall),
        cpu: this.#summed(cpu),
        work: this.#summed(work),
      })),
    );
    this.#intervalNs = Math.max(...after.map(sampleNs));
  }

  #special(key: string): number {
    this.#methods.push({ of: noMethods, method: 0, key });
    return this.#methods.length - 1;
  }

  /** Figures of each path itself; the tree grows by what is new. */
  #take(trace: Trace, main: number, others: number, isBefore: boolean): Record<Weight, Map<number, number>> {
    const { paths, methods, threads } = trace;
    const numberOf = new Map<number, number>();
    const numbered = (method: number): number => {
      let number = numberOf.get(method);
      if (number !== undefined) return number;
      const own = methodKey(methods, method);
      const key = (isBefore ? this.#aliases.get(own) : undefined) ?? own;
      number = this.#numbers.get(key);
      if (number === undefined) {
        number = this.#methods.length;
        this.#methods.push({ of: methods, method, key });
        this.#numbers.set(key, number);
      }
      numberOf.set(method, number);
      return number;
    };
    const figures = {
      wall: new Map<number, number>(),
      cpu: new Map<number, number>(),
      work: new Map<number, number>(),
    };
    for (const [isMain, root] of [
      [true, main],
      [false, others],
    ] as const) {
      const indexes = threads.filter((thread) => thread.isMain === isMain).map(({ index }) => index);
      if (indexes.length === 0) continue;
      const sums = sumScope(trace, { threads: indexes, beginNs: -Infinity, endNs: Infinity }, 'times');
      const pathOf = new Int32Array(paths.count).fill(-1);
      pathOf[0] = root;
      const wall = sums.total('wall');
      const cpu = sums.total('cpu');
      for (let path = 1; path < paths.count; path++) {
        if ((wall[path] as number) <= 0 && (cpu[path] as number) <= 0) continue;
        const above = pathOf[paths.parent[path] as number] as number;
        const at = this.#paths.child(above, numbered(paths.method[path] as number));
        pathOf[path] = at;
        const { wall: own, cpu: ownCpu, wait } = sums.self;
        const ownNs = { wall: own[path], cpu: ownCpu[path], work: (own[path] ?? 0) - (wait[path] ?? 0) };
        for (const weight of weights)
          figures[weight].set(at, (figures[weight].get(at) ?? 0) + (ownNs[weight] ?? 0));
      }
    }
    return figures;
  }

  #summed(own: ReadonlyMap<number, number>): Float64Array {
    const { count, parent } = this.#paths;
    const total = new Float64Array(count);
    for (const [path, ns] of own) total[path] = ns;
    for (let path = count - 1; path > 0; path--) {
      const above = parent[path] as number;
      total[above] = (total[above] as number) + (total[path] as number);
    }
    return total;
  }

  #figures(set: 0 | 1, weight: Weight, path: number): number[] {
    return (this.#totals[set] ?? []).map((run) => run[weight][path] ?? 0);
  }

  #isSeen(set: 0 | 1, path: number): number {
    return this.#figures(set, 'wall', path).filter((ns) => ns > 0).length;
  }

  problems(rules: RunSetRules): {
    problems: RunProblem[];
    undecided: UndecidedCall[];
    compared: number;
  } {
    const { count, parent } = this.#paths;
    const [runsBefore, runsAfter] = this.#totals.map((runs) => runs.length) as [number, number];
    const seen = Array.from({ length: count }, (_, path) => path).filter(
      (path) => path > 0 && parent[path] !== 0 && this.#isSeen(1, path) * 2 > runsAfter,
    );
    const problems = new Map<number, RunProblem>();
    const compared = seen.filter((path) => this.#isSeen(0, path) * 2 > runsBefore);
    /** By path: the difference that is told there, so that its callers need not tell it again. */
    for (const kind of ['wall', 'cpu'] as const) {
      const told = new Map<number, number>();
      // Callees have larger numbers than their callers.
      for (const path of [...compared].reverse()) {
        const was = this.#figures(0, kind, path);
        const is = this.#figures(1, kind, path);
        const more = meanOf(is) - meanOf(was);
        const noise = clearFrom * errorOfDifference(was, is);
        // By its noise it may be as much as the rule says.
        if (more <= 0 || more + noise < rules.moreNs) continue;
        const chance = this.#chanceOfMore(kind, path) * compared.length;
        if (chance > chanceOfAlarm) continue;
        const inner = told.get(path) ?? 0;
        const above = parent[path] as number;
        told.set(above, Math.max(told.get(above) ?? 0, more, inner));
        // What takes longer by the clock because it works longer is told once.
        if (inner >= most * more || problems.has(path)) continue;
        problems.set(path, this.#problem(kind, path, chance));
      }
    }
    for (const path of seen) {
      if (!this.#isOutermostNew(path)) continue;
      if (meanOf(this.#figures(1, 'wall', path)) < rules.newNs) continue;
      const chance = this.#chanceOfNew(path) * seen.length;
      if (chance <= chanceOfAlarm) problems.set(path, this.#problem('new', path, chance));
    }
    return {
      problems: [...problems.values()],
      undecided: this.#undecided(seen, new Set(problems.keys()), rules),
      compared: compared.length,
    };
  }

  #isNew(path: number): boolean {
    return this.#isSeen(0, path) === 0;
  }

  #isOutermostNew(path: number): boolean {
    const above = this.#paths.parent[path] as number;
    return this.#isNewCall(path) && !(this.#isNewCall(above) && this.#paths.parent[above] !== 0);
  }

  /** `[native thread]` and the like are no calls: a sample that meets such a thread shows it for as long as it is there. */
  #isNewCall(path: number): boolean {
    const known = this.#methods[this.#paths.method[path] as number];
    return this.#isNew(path) && known?.of.kind(known.method) !== MethodKind.Stub;
  }

  /**
   * Of a call that both sets have. At even intervals, samples make of an equal time one sample more or less: a variance of a sixth of
   * what one stands for, squared, at most. So few runs may be alike in that, and then their spread does not show it.
   */
  #chanceOfMore(weight: 'wall' | 'cpu', path: number, times = 1): number {
    const [was, is] = [this.#figures(0, weight, path), this.#figures(1, weight, path)];
    const variance = ([0, 1] as const).reduce<number>((sum, set) => {
      const work = this.#figures(set, 'work', path);
      return sum + Math.min(this.#intervalNs / 6, meanOf(work)) / work.length;
    }, 0);
    const deviation = Math.sqrt((variance * this.#intervalNs) / times);
    const more = meanOf(is) - meanOf(was);
    const moreWork = meanOf(this.#figures(1, 'work', path)) - meanOf(this.#figures(0, 'work', path));
    // Waits are seen without samples.
    const isOfWaits = weight === 'wall' && moreWork < more / 2;
    const ofSamples = deviation > 0 && !isOfWaits ? chanceBeyond(more / deviation) : 0;
    return chanceOfMore(was, is, times) + ofSamples;
  }

  /**
   * Of a call that no run before has. Runs differ by themselves, and a call that samples seldom meet may be met in each run of one set
   * and in none of the other: as often as so many samples fall into one set alone. `times`: with so many times as many runs.
   */
  #chanceOfNew(path: number, times = 1): number {
    const is = this.#figures(1, 'wall', path);
    // A sample comes or goes with all that it stands for. Waits are seen without.
    const sampledNs2 = this.#intervalNs * meanOf(this.#figures(1, 'work', path));
    const samples = (times * is.length * meanOf(is) ** 2) / sampledNs2;
    const was = this.#figures(0, 'wall', path);
    return chanceOfMore(was, is, times) + (is.length / (was.length + is.length)) ** samples;
  }

  /** The innermost ones, but of new calls the outermost, and none around or within a problem. */
  #undecided(seen: readonly number[], problems: ReadonlySet<number>, rules: RunSetRules): UndecidedCall[] {
    const { parent } = this.#paths;
    const callersOf = (path: number): number[] => {
      const callers: number[] = [];
      for (let at = parent[path] as number; at > 0; at = parent[at] as number) callers.push(at);
      return callers;
    };
    const around = new Set([...problems].flatMap(callersOf));
    const undecided: UndecidedCall[] = [];
    for (const path of [...seen].reverse()) {
      const callers = callersOf(path);
      if (around.has(path) || [path, ...callers].some((one) => problems.has(one))) continue;
      if (this.#isNew(path) && !this.#isOutermostNew(path)) continue;
      const kind = this.#isNew(path)
        ? 'new'
        : (['wall', 'cpu'] as const).find((one) => this.#isApart(one, path, rules.moreNs));
      if (kind === undefined || (kind === 'new' && !this.#isApart('wall', path, rules.newNs))) continue;
      for (const caller of callers) around.add(caller);
      const chanceWith = (times: number): number =>
        seen.length *
        (kind === 'new' ? this.#chanceOfNew(path, times) : this.#chanceOfMore(kind, path, times));
      const runs = this.#figures(1, 'wall', path).length;
      let runsToTell = runs + 1;
      while (runsToTell < mostRuns && chanceWith(runsToTell / runs) > chanceOfAlarm) runsToTell++;
      undecided.push({ ...this.#problem(kind, path, chanceWith(1)), runsToTell });
    }
    return undecided;
  }

  /** Each run after has so much more than each before, and samples alone do not make it. */
  #isApart(weight: 'wall' | 'cpu', path: number, limitNs: number): boolean {
    const [was, is] = [this.#figures(0, weight, path), this.#figures(1, weight, path)];
    const workNs = ([0, 1] as const).reduce<number>((sum, set) => {
      const figures = this.#figures(set, 'work', path);
      return sum + meanOf(figures) / figures.length;
    }, 0);
    return (
      Math.min(...is) - Math.max(...was) >= limitNs &&
      meanOf(is) - meanOf(was) > beyondSamples * Math.sqrt(this.#intervalNs * workNs)
    );
  }

  #problem(kind: RunProblem['kind'], path: number, chance: number): RunProblem {
    const weight = kind === 'cpu' ? 'cpu' : 'wall';
    const [before, after] = [this.#figures(0, weight, path), this.#figures(1, weight, path)];
    const { parent, method } = this.#paths;
    const chain: number[] = [];
    let at = path;
    for (; parent[at] !== 0; at = parent[at] as number) chain.unshift(method[at] as number);
    const own = this.#methods[method[path] as number];
    const renamedFrom = [...this.#aliases].find(([, now]) => now === own?.key)?.[0];
    return {
      kind,
      isMain: at === this.#main,
      chain: chain.map((one) => this.#nameOf(one)),
      renamedFrom: renamedFrom === undefined ? undefined : shownName(renamedFrom),
      places: chain.map((one) => this.#placeOf(one)),
      before: meanOf(before),
      after: meanOf(after),
      noise: clearFrom * errorOfDifference(before, after),
      chance: Math.min(chance, 1),
    };
  }

  #nameOf(number: number): string {
    const known = this.#methods[number];
    // A number of this run alone would say nothing of the others, and no exemption could name it.
    return known === undefined ? '' : nameOfAllRuns(known.of.qualifiedName(known.method));
  }

  #placeOf(number: number): RunPlace {
    const known = this.#methods[number];
    if (known === undefined) return { className: '', method: '', file: '', line: 0 };
    const { of, method } = known;
    return {
      className: of.className(method),
      method: of.name(method),
      file: of.file(method),
      line: of.firstLine(method),
    };
  }

  /** Methods of the first set that have another name in the second: below one caller, alike by name and by what they call. */
  renames(): Rename[] {
    const { count, parent, method } = this.#paths;
    const gone = new Map<number, number[]>();
    const come = new Map<number, number[]>();
    for (let path = 1; path < count; path++) {
      const [was, is] = [this.#isSeen(0, path) > 0, this.#isSeen(1, path) > 0];
      const where = was && !is ? gone : is && !was ? come : undefined;
      if (where === undefined) continue;
      const above = parent[path] as number;
      where.set(above, [...(where.get(above) ?? []), path]);
    }
    const keyOf = (path: number): string => this.#methods[method[path] as number]?.key ?? '';
    const isIn = (set: 0 | 1): Set<string> => {
      const keys = new Set<string>();
      for (let path = 1; path < count; path++) if (this.#isSeen(set, path) > 0) keys.add(keyOf(path));
      return keys;
    };
    const [keysBefore, keysAfter] = [isIn(0), isIn(1)];
    const calleesOf = (path: number): string[] => {
      const found: string[] = [];
      for (let at = path + 1; at < count; at++) if (parent[at] === path) found.push(keyOf(at));
      return found;
    };
    const found = new Map<string, string>();
    for (const [above, paths] of gone)
      for (const was of paths) {
        // A method that is there elsewhere has kept its name.
        if (keysAfter.has(keyOf(was)) || found.has(keyOf(was))) continue;
        const [best] = (come.get(above) ?? [])
          .filter((is) => !keysBefore.has(keyOf(is)) && ![...found.values()].includes(keyOf(is)))
          .map((is) => ({ is, alike: likeness(keyOf(was), keyOf(is), calleesOf(was), calleesOf(is)) }))
          .sort((a, b) => b.alike - a.alike);
        if (best !== undefined && best.alike >= 0.6) found.set(keyOf(was), keyOf(best.is));
      }
    return [...found].map(([before, after]) => ({ before, after }));
  }
}

/** 0 to 1. By the pairs of letters that both names have, and by what both call: one of these is enough. */
function likeness(
  was: string,
  is: string,
  calleesWas: readonly string[],
  calleesIs: readonly string[],
): number {
  const names = shared(pairsOf(shownName(was)), pairsOf(shownName(is)));
  const callees = shared(calleesWas, calleesIs);
  return Math.max(names - 0.15, (names + callees) / 2, callees * 0.9);
}

const pairsOf = (text: string): string[] =>
  Array.from({ length: Math.max(text.length - 1, 0) }, (_, at) => text.slice(at, at + 2));

/** Dice's coefficient. */
function shared(some: readonly string[], others: readonly string[]): number {
  const left = new Set(some);
  const right = new Set(others);
  const both = [...left].filter((one) => right.has(one)).length;
  return left.size + right.size === 0 ? 0 : (2 * both) / (left.size + right.size);
}

const sampleNs = ({ info }: Trace): number =>
  info.exact ? 0 : Math.max(info.syncIntervalNs, info.asyncIntervalNs);

/** A key without its signature. */
export function shownName(key: string): string {
  return key.slice(0, key.indexOf('\t'));
}

const noMethods: Methods = {
  count: 0,
  className: () => '',
  name: () => '',
  qualifiedName: () => '',
  signature: () => '',
  file: () => '',
  kind: () => 0,
  firstLine: () => 0,
  lineAt: () => 0,
};
