// An app on a device, as a person records it: BTrace: Record, device and app, stop, and the chart is there.
import assert from 'node:assert/strict';
import { readdirSync, statSync } from 'node:fs';
import path from 'node:path';
import type { Locator } from 'playwright-core';
import { root } from '../../scripts/setup.mjs';
import { packageFile } from '../../scripts/package.mjs';
import type { Trace } from '../../src/trace/model/trace.js';
import { assertFrames, assertWaits, traceOf, waitingApps } from '../rigs/art/read-trace.js';
import type { ArtApp } from '../rigs/art/runtime.js';
import { withPhone } from '../rigs/phone/with-phone.js';
import { withVSCode } from '../rigs/vscode/with-vscode.js';
import { inOrder } from '../rigs/kinds.js';

/** Not called as the Java program that other suites record meanwhile, which is listed, too. */
const shop = 'com.example.market';

/** The app's row. On this machine the process is a native program as well. */
const onPhone = new RegExp(`${shop.replaceAll('.', '\\.')}[^]*Rig Phone`);

describe('Record on a device', function () {
  inOrder(this);
  const bench = withPhone();
  let adb: string;
  before(async () => (adb = await bench().server.program()));
  const vscode = withVSCode(() => ({
    workspace: path.join(root, 'test/exthost/workspace'),
    extensions: [packageFile()],
    settings: {
      'btrace.adb.server': `127.0.0.1:${bench().server.port}`,
      'btrace.adb.path': adb,
      'btrace.agent.folder': bench().agents,
      'btrace.recording.folder': 'recordings',
    },
  }));

  it('starts the adb server when the button is pressed', async function () {
    const { workbench } = vscode;
    await bench().server.end();
    await workbench.run('BTrace: Record…');
    const row = /No adb server runs on this machine/;
    await workbench.choose(row);
    await workbench.press(row, 'Start the adb Server');
    await bench().server.answering();
  });

  it('says what to do where nothing can be recorded, and where nothing is recorded yet', async () => {
    await vscode.workbench.showView('BTrace');
    await welcome('No recordings yet.').waitFor();
    // Other programs of this machine come and go: either there is a row, or it says that there is none.
    await vscode.workbench.page.waitForFunction(() => {
      const view = document.querySelector('[id="workbench.view.extension.btrace"]');
      const hasRow = view?.querySelector('.monaco-list-row') != null;
      const saysNone = view?.textContent.includes('No program found that can be recorded.') === true;
      return hasRow !== saysNone;
    });
    await vscode.workbench.screenshot('android-0-nothing');
  });

  it('lists the device as it comes, records its app and opens the chart', async function () {
    const { workbench } = vscode;
    const app = await bench().launched(shop);
    await workbench.run('BTrace: Record…');
    await workbench.choices().first().waitFor();
    const row = workbench.choices().filter({ hasText: onPhone });
    assert.equal(await row.count(), 0);
    await bench().connect(); // while the list is open
    await row.filter({ hasText: `Rig Phone (${bench().phone.serial}) · Android 11` }).waitFor();
    await row.filter({ hasText: 'Ładen ☂ 店' }).waitFor(); // its label comes a little later
    await workbench.page.getByPlaceholder('Which program?').waitFor(); // and none says that there is none
    await workbench.screenshot('android-1-target');
    await workbench.choose(onPhone);
    await workbench.choose('Balanced');
    await workbench.notification(/Recording .*samples/).waitFor();
    await app.more('frame', 12);
    await workbench.stopAndOpen();
    await workbench.tab(/com\.example\.market .*\.btrace/).waitFor();
    await charted();
    await workbench.screenshot('android-2-chart');
    const listed = view().locator('.monaco-list-row', { hasText: 'Rig Phone' });
    await listed.waitFor();
    await welcome('No recordings yet.').waitFor({ state: 'detached' });
    await workbench.screenshot('android-3-view');
    await bench().server.adb('disconnect', bench().phone.serial);
    await listed.waitFor({ state: 'detached' });
    assert.deepEqual(workbench.cspViolations(), []);
  });

  /** Records the app, which does as much as `work` waits for, and returns what is in the file. */
  async function recorded<T>(app: ArtApp, work: () => Promise<T>): Promise<{ trace: Trace; done: T }> {
    const { workbench, server } = vscode;
    await workbench.run('View: Close All Editors'); // what shows up then is this one's
    await bench().connect();
    await workbench.run('BTrace: Record…');
    await workbench.choose(onPhone);
    await workbench.choose('Balanced');
    await workbench.notification(/Recording .*samples/).waitFor();
    const done = await work();
    await workbench.stopAndOpen();
    await charted();
    const folder = path.join(server.workspace, 'recordings');
    const trace = await newest(folder);
    assert.deepEqual([trace.problems, trace.complete, trace.info.pid], [[], true, app.pid]);
    return { trace, done };
  }

  for (const engine of ['interpreter', 'quick'] as const) {
    it(`records figures as the app itself has them, and messages (${engine})`, async function () {
      const app = await bench().launched(shop, { engine });
      const before = app.truths('frame').length;
      const { trace } = await recorded(app, () => app.more('frame', 35));
      assertFrames(trace, app, before);
    });

    for (const waiting of waitingApps)
      it(`records the ${waiting.told[0].whom} of each ${waiting.truth} (${engine})`, async function () {
        const app = await bench().launched(shop, { app: waiting.app, engine });
        const { trace, done } = await recorded(app, () => app.more(waiting.truth, 8));
        assertWaits(trace, waiting, done);
      });
  }

  /** The main thread's loop spans the recording, and has its name in any chart; calls within may be too narrow for theirs. */
  async function charted(): Promise<void> {
    const page = await vscode.workbench.timeline();
    const loop = page.locator('[role="treeitem"]', { hasText: 'Looper.loop' });
    await loop.first().waitFor({ state: 'attached' });
  }

  function view(): Locator {
    return vscode.workbench.page.locator('[id="workbench.view.extension.btrace"]');
  }

  /** What VS Code shows in the place of an empty view. */
  function welcome(text: string): Locator {
    return view().locator('.welcome-view-content', { hasText: text });
  }
});

async function newest(folder: string): Promise<Trace> {
  const files = readdirSync(folder).map((name) => path.join(folder, name));
  const times = files.map((file) => statSync(file).mtimeMs);
  return await traceOf(files[times.indexOf(Math.max(...times))]!);
}
