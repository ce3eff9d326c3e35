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

/**
 * What is serious or worse, in words. Only the frame itself is looked at, not what it frames. By all rules in the dark theme; in
 * another, which changes colours alone, by those of colours.
 */
export async function seriousViolations(frame: Frame | Page, theme = 'dark'): Promise<string[]> {
  if (!(await frame.evaluate<boolean>('typeof axe === "object"'))) await frame.evaluate(axe);
  const rules = theme === 'dark' ? {} : { runOnly: ['color-contrast', 'link-in-text-block'] };
  const found = await frame.evaluate<AxeResult>(
    `axe.run(document, ${JSON.stringify({ resultTypes: ['violations'], iframes: false, ...rules })})`,
  );
  return found.violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .map(
      ({ id, nodes }) => `${id}: ${nodes.map((node) => `${node.html} ${node.failureSummary}`).join('\n  ')}`,
    );
}
