// The rig itself, on an extension of a few lines: when these fail, look at the rig before the product.
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import path from 'node:path';
import { root } from '../../scripts/setup.mjs';
import { runInExtensionHost } from '../rigs/vscode/extension-host.js';
import { withVSCode } from '../rigs/vscode/with-vscode.js';

const extension = path.join(root, 'test/fixtures/hello-extension');
const workspace = path.join(root, 'test/fixtures/hello-workspace');

describe('the VS Code rig', () => {
  const vscode = withVSCode(() => ({ workspace, extensions: [extension] }));

  it('runs a command and sees its notification', async () => {
    await vscode.workbench.run('Hello: Greet');
    await vscode.workbench.notification('Hello, trusted world').waitFor();
  });

  it('chooses from a list', async () => {
    await vscode.workbench.run('Hello: Choose');
    await vscode.workbench.choose('green');
    await vscode.workbench.notification('You chose green').waitFor();
  });

  it('presses the button of a progress notification', async () => {
    await vscode.workbench.run('Hello: Wait');
    await vscode.workbench.press(vscode.workbench.notification('Waiting: for you'), 'Cancel');
    await vscode.workbench.notification('Waited enough').waitFor();
  });

  it('reaches into a custom editor, and from it to a line and its lens', async () => {
    const { workbench } = vscode;
    await workbench.openFile('note.hello');
    await workbench.webview().locator('#text', { hasText: 'a document' }).waitFor();
    await workbench.webview().locator('#go').click();
    await workbench.cursorAt('Hello.java', 3);
    await workbench.lens('CPU 42 ms').waitFor();
    assert.deepEqual(workbench.cspViolations(), []);
    assert.ok(existsSync(await workbench.screenshot('rig')));
  });

  it('opens a file at a line', async () => {
    await vscode.workbench.openFile('src/Hello.java', 2);
    await vscode.workbench.cursorAt('Hello.java', 2);
  });

  it('keeps its editors over a reload', async () => {
    await vscode.workbench.reload();
    await vscode.workbench.tab('note.hello').waitFor();
  });
});

describe('the VS Code rig, untrusted', () => {
  const vscode = withVSCode(() => ({ workspace, extensions: [extension], trust: 'restricted' }));

  it('opens a workspace that is not trusted', async () => {
    await vscode.workbench.run('Hello: Greet');
    await vscode.workbench.notification('Hello, restricted world').waitFor();
  });
});

describe('mocha in the extension host', () => {
  const files = [path.join(extension, 'host.test.ts')];
  const run = (trust: 'off' | 'restricted') =>
    runInExtensionHost({ extension, workspace, files, trust, timeoutMs: 10_000 });

  it('brings back what passed', async () => {
    const { counts, text } = await run('off');
    assert.deepEqual(counts, { passed: 3, failed: 0, skipped: [], failures: [] });
    assert.match(text, /inside the extension host .* 3 passed/);
  });

  it('brings back what failed, here for want of trust', async () => {
    const { counts } = await run('restricted');
    assert.deepEqual([counts.passed, counts.failed], [2, 1]);
    assert.equal(counts.failures[0]?.title, 'inside the extension host is trusted');
  });
});
