/** Texts that are in no folder: new ones that nobody has saved, and those that another extension brings. */
import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { btrace, closeAll, scratchFile } from './btrace.js';
import { hoverText, titles } from './figures.js';
import { toastsOf } from './person.js';
import { writeRecording, type RecordedMethod } from './recordings.js';

const text = 'package com.example.cloud;\n\nclass Rain {\n  void fall() {\n    fall();\n  }\n}\n';

const fall: RecordedMethod = {
  className: 'com.example.cloud.Rain',
  name: 'fall',
  signature: '()V',
  file: 'Rain.java',
  line: 5,
};

describe('a text that is in no folder', () => {
  const provider = vscode.workspace.registerTextDocumentContentProvider('cloud', {
    provideTextDocumentContent: () => text,
  });

  before(async () => {
    const recording = scratchFile('rain.btrace');
    await writeRecording(recording, { methods: [fall], stacks: [[0]], samples: 50 });
    await vscode.commands.executeCommand('btrace.showFigures', vscode.Uri.file(recording));
  });
  after(async () => {
    provider.dispose();
    await vscode.commands.executeCommand('btrace.hideFigures');
    await closeAll();
  });

  it('has its lenses and hovers where another extension brings it', async () => {
    const uri = vscode.Uri.parse('cloud:/com/example/cloud/Rain.java');
    await vscode.workspace.openTextDocument(uri);
    assert.match((await titles(uri)).join('\n'), /^4 CPU .* KB$/);
    assert.match(await hoverText(uri, new vscode.Position(3, 8)), /line 5/);
  });

  it('has stale lenses and hovers when it was never saved', async () => {
    const uri = vscode.Uri.parse('untitled:/com/example/cloud/Rain.java');
    const editor = await vscode.window.showTextDocument(await vscode.workspace.openTextDocument(uri));
    await editor.edit((edit) => edit.insert(new vscode.Position(0, 0), text));
    assert.match((await titles(uri)).join('\n'), /^4 CPU .* before the last edit$/);
    assert.match(await hoverText(uri, new vscode.Position(3, 8)), /was edited since/);
    await vscode.commands.executeCommand('workbench.action.revertAndCloseActiveEditor');
  });

  it('has no lenses, and no error, when its language is unknown', async () => {
    const document = await vscode.workspace.openTextDocument({ language: 'java', content: text });
    assert.deepEqual(await titles(document.uri), []);
    assert.equal(await hoverText(document.uri, new vscode.Position(3, 8)), '');
  });

  it('is not opened by a click; the message names the file that was looked for', async () => {
    const { sources } = (await btrace()).parts;
    const { name, ...rest } = fall;
    const toasts = await toastsOf({}, () => sources.open({ ...rest, method: name }, 'replace'));
    assert.deepEqual(
      toasts.map((toast) => toast.text),
      ['No source found for com.example.cloud.Rain.fall. Looked for: com/example/cloud/Rain.java, Rain.'],
    );
  });
});
