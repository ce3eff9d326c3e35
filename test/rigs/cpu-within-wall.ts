import assert from 'node:assert/strict';
import { methodFigures } from '../../src/trace/measure/methods.js';
import { wholeTrace } from '../../src/trace/measure/scope.js';
import { sumScope } from '../../src/trace/measure/sums.js';
import type { Trace } from '../../src/trace/model/trace.js';

/** No method with more CPU than wall time, in all threads together and in each. */
export function assertCpuWithinWall(trace: Trace): void {
  for (const threads of [[], ...trace.threads.map(({ index }) => [index])]) {
    const { count, method, self, total } = methodFigures(
      sumScope(trace, { ...wholeTrace, threads }),
      trace.methods.count,
    );
    for (let row = 0; row < count; row++)
      for (const { cpu, wall } of [self, total])
        assert.ok(
          cpu[row]! <= wall[row]! + 1e5,
          `${trace.methods.qualifiedName(method[row]!)}: ${cpu[row]} ns of CPU in ${wall[row]} ns`,
        );
  }
}
