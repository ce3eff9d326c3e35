import assert from 'node:assert/strict';
import path from 'node:path';
import * as vscode from 'vscode';
import { btrace, scratchFile } from '../btrace.js';
import { withPerson } from '../person.js';
import { tillMethods, writeRecording } from '../recordings.js';
import { type CommandTests, isOpen, run } from './command-tests.js';

async function lagFile(): Promise<string> {
  const file = scratchFile('lag-1.btrace');
  const lag = { thread: 1, beginNs: 20e6, endNs: 90e6, frames: [] };
  await writeRecording(file, { methods: tillMethods, stacks: [[0, 1]], samples: 100, lag });
  return file;
}

export const lagsCommands: CommandTests = {
  async showLags() {
    const { lags } = (await btrace()).parts;
    const folder = path.dirname(await lagFile());
    await withPerson({ openFiles: [vscode.Uri.file(folder)] }, async () => run('showLags'));
    assert.equal((await lags.getChildren()).length, 1);
    await lags.forget();
    assert.deepEqual(await lags.getChildren(), []);
  },
  async refreshLags() {
    const { lags } = (await btrace()).parts;
    const file = await lagFile();
    await run('showLags', vscode.Uri.file(path.dirname(file)));
    assert.match(lags.getTreeItem((await lags.getChildren())[0]!).description as string, /^1 lag /);
    const lag = { thread: 1, endNs: 90e6, frames: [] };
    const other = path.join(path.dirname(file), 'lag-2.btrace');
    await writeRecording(other, { methods: tillMethods, stacks: [[0, 1]], samples: 100, lag });
    await run('refreshLags');
    assert.match(lags.getTreeItem((await lags.getChildren())[0]!).description as string, /^2 lags /);
    await lags.forget();
  },
  async openLag() {
    const file = await lagFile();
    const lag = { file, ns: 70e6, thread: 1, beginNs: 20e6, version: '', atMs: 0, isFreeze: false };
    await run('openLag', { type: 'lag', lag });
    await isOpen(file);
  },
};
