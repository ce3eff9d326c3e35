/** A comparison for programs. Times are in ns; names are as in the traces. */
import type { Compared } from '../../trace/compare/comparison.js';
import { trustFacts } from '../trust.js';
import type { Differences } from './measure.js';

export function differencesJson(files: readonly [string, string], found: Differences): unknown {
  const { before, after, comparison, request, sum, methods, chains, failed } = found;
  const side = (file: string, { trace }: Compared, which: 'before' | 'after'): unknown => ({
    file,
    format: trace.info.format,
    target: trace.info.targetName,
    runtime: trace.info.runtime,
    buildId: trace.info.buildId,
    durationNs: trace.endNs - trace.beginNs,
    samples: comparison[which].sums.samples,
    complete: trace.complete,
    trust: trustFacts(trace, comparison[which].sums),
  });
  return {
    before: side(files[0], before, 'before'),
    after: side(files[1], after, 'after'),
    scale: comparison.scale,
    sort: request.sort,
    sum,
    methodCount: found.methodCount,
    methods,
    chains,
    ...(request.limit && { limit: request.limit.text, aboveLimit: failed }),
  };
}
