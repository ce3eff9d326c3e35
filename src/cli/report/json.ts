/** A report for programs. Times are in ns; names are as in the trace. */
import { findingJson } from './findings.js';
import { trustFacts } from '../trust.js';
import type { LockWaitRow, Report } from './measure.js';
import { schedulingJson } from './scheduling.js';
import { sectionsJson } from './sections.js';
import { waitWord } from './words.js';

export function reportJson(file: string, report: Report): Record<string, unknown> {
  const { trace, sums, sort, methods, threads, waits, virtualThreads, request } = report;
  const lockWait = (row: LockWaitRow): unknown => ({ ...row, kind: waitWord(row.kind) });
  const { info } = trace;
  return {
    file,
    format: info.format,
    target: { name: info.targetName, pid: info.pid, runtime: info.runtime, os: info.os, arch: info.arch },
    durationNs: trace.endNs - trace.beginNs,
    samples: sums.samples,
    complete: trace.complete,
    sort,
    sum: sums.sum,
    gapNs: sums.gap.wall,
    trust: trustFacts(trace, sums, request.mapping),
    findings: report.findings.map((finding) => findingJson(trace, finding)),
    deadlocks: report.deadlocks.map((circle) => circle.map(lockWait)),
    lockWaitsAtEnd: report.lockWaits.map(lockWait),
    methods,
    threads: threads.map(({ methods: own, ...row }) => ({
      ...row,
      ...(request.perThread && { methods: own }),
    })),
    ...(virtualThreads.count > 0 && {
      virtualThreads: {
        ...virtualThreads,
        waits: virtualThreads.waits.map((row) => ({ ...row, kind: waitWord(row.kind) })),
      },
    }),
    ...(trace.system && { system: schedulingJson(trace, report.scope) }),
    ...(trace.system?.hasSections === true && {
      sections: sectionsJson(trace, report.scope),
      systemWaits: report.systemWaits.map((row) => ({ ...row, kind: waitWord(row.kind) })),
    }),
    waits: waits.map((row) => ({ ...row, kind: waitWord(row.kind) })),
  };
}
