/** A workspace of two folders. */
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import path from 'node:path';
import * as vscode from 'vscode';
import { btrace, closeAll, scratchFile } from '../btrace.js';
import { titles } from '../figures.js';
import { toastsOf } from '../person.js';
import { tillMethods, writeRecording } from '../recordings.js';
import { ScriptedTarget, ScriptedTargets } from '../scripted-targets.js';
import { until } from '../../rigs/until.js';

const coin = { className: 'com.example.shop.Coin', signature: '(I)I', file: 'Coin.java' };

/** The host says so before the window has done it. */
async function changeFolders(
  ...change: Parameters<typeof vscode.workspace.updateWorkspaceFolders>
): Promise<void> {
  const changed = new Promise<void>((resolve) => {
    const listening = vscode.workspace.onDidChangeWorkspaceFolders(() => {
      listening.dispose();
      resolve();
    });
  });
  assert.ok(vscode.workspace.updateWorkspaceFolders(...change));
  await changed;
}

describe('in a workspace of two folders', () => {
  const recording = scratchFile('roots.btrace');
  const [first, second] = vscode.workspace.workspaceFolders ?? [];
  const inFirst = vscode.Uri.joinPath(first!.uri, 'com/example/shop/Coin.java');
  const inSecond = vscode.Uri.joinPath(second!.uri, 'com/example/shop/Till.java');
  const source = new ScriptedTargets();
  let added: { dispose(): void };

  before(async () => {
    added = (await btrace()).addTargetSource(source);
    // Lines of the Coin that is in the first folder.
    const methods = [
      ...tillMethods,
      { ...coin, name: 'round', line: 16 },
      { ...coin, name: 'checked', line: 12 },
    ];
    await writeRecording(recording, {
      methods,
      stacks: [
        [0, 1],
        [2, 3],
        [2, 4],
      ],
      samples: 300,
      startedMs: Date.now() + 60_000,
    });
    await vscode.commands.executeCommand('btrace.showFigures', vscode.Uri.file(recording));
    for (const uri of [inFirst, inSecond]) await vscode.workspace.openTextDocument(uri);
  });
  after(async () => {
    added.dispose();
    await vscode.commands.executeCommand('btrace.hideFigures');
    await closeAll();
  });

  it('lenses are over the sources of both', async () => {
    assert.equal((await titles(inFirst)).length, 2, 'of the first');
    assert.equal((await titles(inSecond)).length, 3, 'of the second');
  });

  it('a click opens the source of the second, and packages of both are mine', async () => {
    const { sources, packages } = (await btrace()).parts;
    await sources.open({ ...tillMethods[1]!, method: 'count' }, 'replace');
    const editor = vscode.window.activeTextEditor;
    assert.equal(editor?.document.uri.toString(), inSecond.toString());
    assert.equal(editor.selection.active.line + 1, 12);
    await packages.look();
    assert.ok(packages.prefixes.length > 0);
  });

  it('what was written since is told with the folder that it is in', async () => {
    const old = scratchFile('old.btrace');
    const startedMs = Math.floor((await stat(inSecond.fsPath)).mtimeMs) - 60_000;
    await writeRecording(old, { methods: tillMethods, stacks: [[0]], samples: 10, startedMs });
    const { changed } = (await btrace()).parts;
    assert.deepEqual(await changed.since(old), ['src/com/example/shop/Till.java']);
  });

  it('recordings are where the workspace says, or its first folder', async () => {
    const { store } = (await btrace()).parts.recorder;
    const of = (scope?: vscode.Uri) => vscode.workspace.getConfiguration('btrace', scope);
    const { Workspace, WorkspaceFolder } = vscode.ConfigurationTarget;
    const set = (value: string | undefined, scope?: vscode.Uri) =>
      of(scope).update('recording.folder', value, scope === undefined ? Workspace : WorkspaceFolder);
    try {
      await set('of all');
      assert.equal(store.folder().path, path.join(first!.uri.fsPath, 'of all'));
      await set('of the second', second!.uri);
      assert.equal(store.folder().path, path.join(first!.uri.fsPath, 'of all'), 'which is not the first');
      await set('of the first', first!.uri);
      assert.equal(store.folder().path, path.join(first!.uri.fsPath, 'of the first'));
    } finally {
      await set(undefined);
      for (const { uri } of [first!, second!]) await set(undefined, uri);
    }
    assert.ok(store.folder().own);
  });

  it('the second may go and come while a recording goes on', async () => {
    const { sources } = (await btrace()).parts;
    const till = new ScriptedTarget('till', 990_000);
    source.targets.push(till);
    const recorded = vscode.commands.executeCommand<string>('btrace.record', { target: till.id });
    const session = await until('it records', () => till.sessions[0]);
    await changeFolders(1, 1);
    const count = { ...tillMethods[1]!, method: 'count' };
    const toasts = await toastsOf({}, () => sources.open(count, 'replace'));
    assert.match(toasts[0]?.text ?? '', /^No source found for com\.example\.shop\.Till\.count\./);
    await changeFolders(1, 0, { uri: second!.uri });
    await session.stop();
    assert.equal(await recorded, session.file);
    assert.ok(existsSync(session.file));
    assert.deepEqual(await toastsOf({}, () => sources.open(count, 'replace')), []);
    assert.equal(vscode.window.activeTextEditor?.document.uri.toString(), inSecond.toString());
  });
});
