// axe-core in a page or a frame of one, without a script element: a Content-Security-Policy would stop that.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Frame, Page } from 'playwright-core';

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core'), 'utf8');

interface AxeResult {
  readonly violations: readonly {
    readonly id: string;
    readonly impact: string;
    readonly nodes: readonly { readonly html: string; readonly failureSummary: string }[];
  }[];
}

/** What is serious or worse, in words. Only the frame itself is looked at, not what it frames. */
export async function seriousViolations(frame: Frame | Page): Promise<string[]> {
  await frame.evaluate(axe);
  const found = await frame.evaluate<AxeResult>(
    'axe.run(document, { resultTypes: ["violations"], iframes: false })',
  );
  return found.violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .map(
      ({ id, nodes }) => `${id}: ${nodes.map((node) => `${node.html} ${node.failureSummary}`).join('\n  ')}`,
    );
}
