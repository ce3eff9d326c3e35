import assert from 'node:assert/strict';
import { stat, utimes } from 'node:fs/promises';
import path from 'node:path';
import * as vscode from 'vscode';
import { btrace, closeAll, openRecording, workspaceFile } from './btrace.js';
import { tillMethods, writeRecording } from './recordings.js';
import { until } from '../rigs/until.js';

describe('sources that changed since', () => {
  const till = 'src/com/example/shop/Till.java';
  let file = '';
  let writtenMs = 0;

  before(async () => {
    const { parts } = await btrace();
    writtenMs = (await stat(workspaceFile(till).fsPath)).mtimeMs;
    file = await parts.recorder.store.newFile('changed');
    await writeRecording(file, {
      methods: tillMethods,
      stacks: [[0, 1]],
      samples: 10,
      startedMs: Math.ceil(writtenMs) + 5_000,
    });
  });
  after(async () => {
    await closeAll();
    await vscode.workspace.fs.delete(vscode.Uri.file(file));
  });

  async function described(): Promise<string> {
    const { recordings } = (await btrace()).parts;
    const all = await recordings.getChildren();
    const mine = all.find((one) => one.file === file);
    assert.ok(mine, `${path.basename(file)} is listed`);
    return String((await recordings.getTreeItem(mine)).description);
  }

  it('are none while no source has changed', async () => {
    assert.doesNotMatch(await described(), /changed/);
  });

  it('are listed in the view', async () => {
    const { parts } = await btrace();
    await openRecording(file);
    // Each time anew: the watcher may not be up yet.
    const touch = (ms: number) => utimes(workspaceFile(till).fsPath, new Date(), new Date(ms));
    await until('the view says so', async () => {
      await touch(writtenMs + 60_000);
      return /· 1 source changed since$/.test(await described());
    });
    assert.deepEqual(await parts.changed.since(file), [till]);
    await until('it is as recorded again', async () => {
      await touch(writtenMs);
      return !(await described()).includes('changed');
    });
  });
});
