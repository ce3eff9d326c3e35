/** How long the page's main thread is taken at a time: in time of its processor, which other work on the machine does not add to. */
import type { Browser, Page } from 'playwright-core';

interface TraceEvent {
  readonly name: string;
  readonly pid: number;
  readonly tid: number;
  /** µs of the thread's own time. */
  readonly tdur?: number;
  readonly args: { readonly name?: string };
}

/** The longest of its tasks while `act` goes on, in ms. */
export async function longestTaskMs(browser: Browser, page: Page, act: () => Promise<void>): Promise<number> {
  await browser.startTracing(page, {
    categories: ['toplevel', 'disabled-by-default-devtools.timeline', '__metadata'],
  });
  try {
    await act();
  } catch (error) {
    await browser.stopTracing();
    throw error;
  }
  const { traceEvents } = JSON.parse((await browser.stopTracing()).toString()) as {
    traceEvents: TraceEvent[];
  };
  const threadOf = ({ pid, tid }: TraceEvent): string => `${pid} ${tid}`;
  const mains = new Set(
    traceEvents
      .filter(({ name, args }) => name === 'thread_name' && args.name === 'CrRendererMain')
      .map(threadOf),
  );
  const tasks = traceEvents.filter((event) => event.name === 'RunTask' && mains.has(threadOf(event)));
  if (tasks.length === 0) throw new Error('no task was seen');
  return tasks.reduce((longest, { tdur = 0 }) => Math.max(longest, tdur / 1000), 0);
}
