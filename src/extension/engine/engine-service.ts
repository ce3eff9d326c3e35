/** Keeps one trace and makes the editor's table of it. Runs in the worker; the measures themselves are the engine's. */
import { declaredName } from '../../symbols/native/declared-name.js';
import {
  lineFigures,
  methodFigures,
  neighbours,
  sumScope,
  wholeTrace,
  type Methods,
  type Sums,
  type Trace,
  type TreeNodes,
} from '../../trace/index.js';
import { wantedSource, withoutEndlessNames, type Frame } from '../../symbols/wanted-source.js';
import type { FigureColumns, MethodDetail, Neighbour } from './engine-messages.js';

/** The heaviest so many of a method's callers and callees. */
const shownNeighbours = 8;
/** Each takes a walk of the call tree, and one declaration may be many: a template of C++. */
const joinedMethods = 8;
/** More than a hover has room for. */
const shownCharacters = 1000;

export class EngineService {
  #trace: Trace | undefined;
  #sums: Sums | undefined;
  #methodOfRow: Uint32Array = new Uint32Array();

  take(trace: Trace): FigureColumns {
    this.#trace = trace;
    const sums = (this.#sums = sumScope(trace, wholeTrace, 'counted'));
    const { method, self, total, sum, count } = methodFigures(sums, trace.methods.count);
    this.#methodOfRow = method;
    const frames = Array.from(method, (one) => frameOf(trace.methods, one));
    return {
      count,
      className: frames.map((one) => one.className),
      name: frames.map((one) => one.method),
      signature: frames.map((one) => one.signature),
      file: frames.map((one) => one.file),
      firstLine: Int32Array.from(frames, (one) => one.line),
      ...filesOf(frames),
      ...nativesOf(frames),
      selfCpuNs: self.cpu,
      totalCpuNs: total.cpu,
      selfWallNs: self.wall,
      totalWallNs: total.wall,
      selfBytes: self.allocatedBytes,
      totalBytes: total.allocatedBytes,
      ...this.#lines(trace, method),
      cpuNs: sum.cpu,
      wallNs: sum.wall,
      hasCpu: trace.info.hasCpu,
      hasAllocations: trace.info.hasAllocations,
      allocationsEstimated: trace.info.allocationsEstimated,
      linesNearSafepoints: trace.info.linesNearSafepoints,
      startedMs: Number(trace.info.startRealtimeNs / 1_000_000n),
      endNs: trace.endNs,
      part: trace.part,
      runtime: trace.info.runtime,
    };
  }

  /** Of methods that are one in the text, the heaviest first: what these call of each other is no call there. */
  detail(rows: readonly number[]): MethodDetail {
    const [trace, sums] = [this.#trace, this.#sums];
    if (trace === undefined || sums === undefined) return { callers: [], callees: [] };
    const own = new Set(rows.map((row) => this.#methodOfRow[row]).filter((method) => method !== undefined));
    const [callers, callees] = [new Map<number, Times>(), new Map<number, Times>()];
    for (const method of [...own].slice(0, joinedMethods))
      for (const weight of ['wall', 'cpu'] as const) {
        const found = neighbours(sums, weight, method);
        add(callers, found.callers, weight);
        add(callees, found.callees, weight);
      }
    const heaviest = (all: ReadonlyMap<number, Times>): Neighbour[] =>
      [...all]
        .filter(([method, { wall, cpu }]) => wall + cpu > 0 && (own.size === 1 || !own.has(method)))
        .sort(([, one], [, other]) => other.wall - one.wall)
        .slice(0, shownNeighbours)
        .map(([method, { wall, cpu }]) => ({
          name: trace.methods.qualifiedName(method).slice(0, shownCharacters),
          wallNs: wall,
          cpuNs: cpu,
        }));
    return { callers: heaviest(callers), callees: heaviest(callees) };
  }

  /** The engine's lines are by method and line already; rows are by method too, so one walk joins them. */
  #lines(
    trace: Trace,
    methodOfRow: Uint32Array,
  ): Pick<FigureColumns, 'lineStart' | 'line' | 'lineCpuNs' | 'lineWallNs' | 'lineBytes'> {
    const lines = lineFigures(trace, wholeTrace);
    const lineStart = new Int32Array(methodOfRow.length + 1);
    let at = 0;
    methodOfRow.forEach((method, row) => {
      while (at < lines.count && (lines.method[at] ?? 0) < method) at += 1;
      lineStart[row] = at;
    });
    lineStart[methodOfRow.length] = lines.count;
    return {
      lineStart,
      line: Int32Array.from(lines.line),
      lineCpuNs: lines.totalCpu,
      lineWallNs: lines.totalWall,
      lineBytes: lines.totalBytes,
    };
  }
}

interface Times {
  wall: number;
  cpu: number;
}

function add(to: Map<number, Times>, { count, method, total }: TreeNodes, weight: keyof Times): void {
  for (let at = 0; at < count; at++) {
    const of = method[at] ?? 0;
    const times = to.get(of) ?? { wall: 0, cpu: 0 };
    times[weight] += total[at] ?? 0;
    to.set(of, times);
  }
}

function frameOf(methods: Methods, method: number): Frame {
  return withoutEndlessNames({
    className: methods.className(method),
    method: methods.name(method),
    signature: methods.signature(method),
    file: methods.file(method),
    line: methods.firstLine(method),
  });
}

/** Rows by source file, so that the host need not go through all of them. */
function filesOf(frames: readonly Frame[]): Pick<FigureColumns, 'fileKeys' | 'fileStart' | 'fileRows'> {
  const byFile = new Map<string, number[]>();
  frames.forEach((frame, row) => {
    const wanted = wantedSource(frame);
    for (const baseName of wanted.baseNames) {
      const key = `${wanted.packageName}/${baseName}`;
      const rows = byFile.get(key);
      if (rows === undefined) byFile.set(key, [row]);
      else rows.push(row);
    }
  });
  const files = [...byFile].sort(([a], [b]) => (a < b ? -1 : 1));
  const fileStart = new Int32Array(files.length + 1);
  files.forEach(([, rows], at) => (fileStart[at + 1] = (fileStart[at] ?? 0) + rows.length));
  return {
    fileKeys: files.map(([key]) => key),
    fileStart,
    fileRows: Int32Array.from(files.flatMap(([, rows]) => rows)),
  };
}

/** What has neither class nor file is found by its name. */
function nativesOf(
  frames: readonly Frame[],
): Pick<FigureColumns, 'nativeRows' | 'nativeNames' | 'nativeParameters'> {
  const found = frames.flatMap((frame, row) => {
    if (frame.className !== '' || frame.file !== '') return [];
    const { name, parameters } = declaredName(frame.method);
    return name === '' ? [] : [{ row, name, parameters }];
  });
  return {
    nativeRows: Int32Array.from(found, ({ row }) => row),
    nativeNames: found.map(({ name }) => name),
    nativeParameters: Int32Array.from(found, ({ parameters }) => parameters),
  };
}
