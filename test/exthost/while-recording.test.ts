/** What a person changes while a recording goes on: it ends where it began, and is kept. */
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { mkdtemp, rename, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import * as vscode from 'vscode';
import { btrace, closeAll, withSetting, workspaceFile } from './btrace.js';
import { withPerson, type Toast } from './person.js';
import { withScriptedTargets } from './scripted-targets.js';
import { until } from '../rigs/until.js';

describe('while a recording goes on', () => {
  const { target } = withScriptedTargets();

  /** Does `work` meanwhile; the recording's file, and what was said. `isOpened`: with its figures, which come last. */
  async function whileRecording(
    work: () => Promise<unknown>,
    isOpened = true,
  ): Promise<{ readonly file: string; readonly toasts: readonly Toast[] }> {
    const { figures } = (await btrace()).parts;
    const till = target('till');
    return withPerson({}, async ({ toasts }) => {
      const recorded = vscode.commands.executeCommand<string>('btrace.record', { target: till.id });
      const session = await until('it records', () => till.sessions[0]);
      await work();
      await session.stop();
      const { file } = session;
      assert.equal(await recorded, isOpened ? file : undefined);
      await until(isOpened ? 'it is shown' : 'it is said', () =>
        isOpened ? figures.figures?.recording.fsPath === file : toasts.length > 0,
      );
      return { file, toasts };
    });
  }

  it('a change of the folder applies to the next recording only', async () => {
    const { store } = (await btrace()).parts.recorder;
    const [here, there] = [workspaceFile('here').fsPath, workspaceFile('there').fsPath];
    await withSetting('recording.folder', here, async () => {
      const { file, toasts } = await whileRecording(async () => {
        const settings = vscode.workspace.getConfiguration('btrace');
        await settings.update('recording.folder', there, vscode.ConfigurationTarget.Global);
      });
      assert.deepEqual(toasts, []);
      assert.equal(path.dirname(file), here);
      assert.ok(existsSync(file));
      const next = await whileRecording(() => Promise.resolve());
      assert.deepEqual(next.toasts, []);
      assert.equal(path.dirname(next.file), there);
      assert.deepEqual(
        (await store.list()).map((one) => one.file),
        [next.file],
      );
    });
    await closeAll();
    for (const folder of [here, there]) await rm(folder, { recursive: true });
  });

  it('a change of retention or adb server leaves the running recording alone', async () => {
    const { file, toasts } = await whileRecording(async () => {
      const settings = vscode.workspace.getConfiguration('btrace');
      await settings.update('recording.keep', 1, vscode.ConfigurationTarget.Global);
      await settings.update('adb.server', 'no server: at all', vscode.ConfigurationTarget.Global);
      await vscode.commands.executeCommand('btrace.refreshTargets');
    });
    const settings = vscode.workspace.getConfiguration('btrace');
    for (const key of ['recording.keep', 'adb.server'])
      await settings.update(key, undefined, vscode.ConfigurationTarget.Global);
    assert.deepEqual(toasts, []);
    assert.ok(existsSync(file));
  });

  for (const [what, change] of [
    ['renamed', (folder: string) => rename(folder, `${folder} renamed`)],
    ['deleted', (folder: string) => rm(folder, { recursive: true })],
  ] as const) {
    it(`its folder is ${what}: that is said once, and recording goes on afterwards`, async () => {
      const outer = await mkdtemp(path.join(tmpdir(), 'btrace-exthost-test-'));
      const folder = path.join(outer, 'recordings');
      await withSetting('recording.folder', folder, async () => {
        const { toasts } = await whileRecording(() => change(folder), false);
        assert.equal(toasts.length, 1, JSON.stringify(toasts));
        assert.match(toasts[0]!.text, /^till .*\.btrace is not there any more\. /);
        const next = await whileRecording(() => Promise.resolve());
        assert.deepEqual(next.toasts, []);
        assert.ok(existsSync(next.file));
      });
      await closeAll();
      await rm(outer, { recursive: true });
    });
  }
});
