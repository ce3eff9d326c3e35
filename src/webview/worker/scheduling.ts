/**
 * What the kernel's scheduler did, and sections of the system's trace, as the timeline draws them. Made after the first chart:
 * it takes a pass over all events.
 */
import { statesOf } from '../../trace/measure/scheduling.js';
import { wholeTrace } from '../../trace/measure/scope.js';
import { sectionTracks } from '../../trace/measure/sections.js';
import type { Trace } from '../../trace/model/trace.js';
import { interruptWaker } from '../../trace/system/kernel-sink.js';
import { type StripColumns, stripOfThread, stripsOfCores } from '../../trace/system/strip.js';

import { chartColumns } from './chart-columns.js';
import type { ChartColumns, SchedulingColumns } from './messages.js';

export function schedulingColumns(trace: Trace): SchedulingColumns | undefined {
  const { system } = trace;
  if (system === undefined) return undefined;
  const states = statesOf(system, trace);
  const threads = new Map<number, StripColumns>();
  for (const { tid, index } of trace.threads) {
    const of = states.get(tid);
    if (of !== undefined) threads.set(index, stripOfThread(of));
  }
  const own = new Set(trace.threads.map(({ tid }) => tid));
  const cores = stripsOfCores(system.switches, system.isOfProgram ? undefined : own);
  const otherNames = new Map<number, string>();
  for (const { strip } of cores)
    for (const tid of new Set(strip.detail))
      if (tid > 0 && tid !== interruptWaker && !own.has(tid))
        otherNames.set(tid, system.task(tid)?.name ?? '');
  return { threads, cores, otherNames, isOfProgram: system.isOfProgram, ...sectionColumns(trace) };
}

function sectionColumns(trace: Trace): Pick<SchedulingColumns, 'sections' | 'sectionNames'> {
  const sections = new Map<number, ChartColumns>();
  const all = trace.system?.sections;
  if (all === undefined) return { sections, sectionNames: [] };
  const sectionNames: string[] = [];
  for (const { thread, track } of sectionTracks(trace, wholeTrace)) {
    const chart = chartColumns(track.intervals, all.paths);
    if (chart.count === 0) continue;
    sections.set(thread.index, chart);
    for (const method of new Set(chart.method)) sectionNames[method] = all.methods.qualifiedName(method);
  }
  return { sections, sectionNames };
}

export function buffersOfScheduling({ threads, cores, sections }: SchedulingColumns): ArrayBuffer[] {
  const ofStrips = [...threads.values(), ...cores.map(({ strip }) => strip)].flatMap(
    ({ begin, kind, detail, sums }) => [begin, kind, detail, sums].map(({ buffer }) => buffer as ArrayBuffer),
  );
  // All columns of a chart lie in one buffer.
  return [...ofStrips, ...[...sections.values()].map(({ begin }) => begin.buffer as ArrayBuffer)];
}
