/** The same recording in a real VS Code: from a double-click on its file to its threads on the screen. */
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { packageFile } from '../../../scripts/package.mjs';
import { VSCodeServer } from '../../rigs/vscode/server.js';
import { Workbench } from '../../rigs/vscode/workbench.js';
import { restMs } from './browser.js';

export interface InVSCode {
  readonly openMs: number;
  /** Of that, until the page's script runs. */
  readonly pageMs: number;
  /** From the click on its tab, after another one was in front for a while. */
  readonly backMs: number;
}

/** `undefined` when there is no package to install. */
export async function measureVSCode(bytes: Buffer, folder: string): Promise<InVSCode | undefined> {
  if (!existsSync(packageFile())) return undefined;
  const workspace = path.join(folder, 'workspace');
  mkdirSync(workspace, { recursive: true });
  writeFileSync(path.join(workspace, 'bench.btrace'), bytes);
  writeFileSync(path.join(workspace, 'notes.txt'), 'What else was open.\n');
  const server = await VSCodeServer.start({ workspace, extensions: [packageFile()] });
  let workbench: Workbench | undefined;
  try {
    workbench = await Workbench.open(server);
    const { page } = workbench;
    // A file that is opened before VS Code knows the extension is opened as text.
    await page.locator('.activitybar a[aria-label="BTrace"]').waitFor();
    await page.waitForTimeout(restMs);
    const started = Date.now();
    await page.locator('.explorer-folders-view .monaco-list-row', { hasText: 'bench.btrace' }).dblclick();
    await workbench.webview().locator('#view-overview .card-row').first().waitFor();
    const openMs = Date.now() - started;
    const frame = await workbench.webviewFrame();
    const script = await frame.evaluate(() => {
      const [entry] = performance.getEntriesByType('resource').filter(({ name }) => name.endsWith('page.js'));
      return performance.timeOrigin + ((entry as PerformanceResourceTiming | undefined)?.responseEnd ?? NaN);
    });
    return { openMs, pageMs: script - started, backMs: await backMs(workbench) };
  } finally {
    if (workbench === undefined) await server.stop();
    else await workbench.close();
  }
}

async function backMs(workbench: Workbench): Promise<number> {
  const { page } = workbench;
  const tab = page.locator('.tabs-container .tab', { hasText: 'bench.btrace' });
  // What is in preview would be replaced.
  await tab.dblclick();
  await page.locator('.explorer-folders-view .monaco-list-row', { hasText: 'notes.txt' }).dblclick();
  await page.locator('.view-line', { hasText: 'What else was open.' }).waitFor();
  await page.waitForTimeout(restMs);
  const started = Date.now();
  await tab.click();
  await workbench.webview().locator('#view-overview .card-row').first().waitFor();
  return Date.now() - started;
}
