/** The extension under test, activated. */
import assert from 'node:assert/strict';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import * as vscode from 'vscode';
import type { BTraceApi } from '../../src/extension/extension.js';
import { until } from '../rigs/until.js';

export async function btrace(): Promise<BTraceApi> {
  const extension = vscode.extensions.getExtension<BTraceApi>('btrace.btrace');
  assert.ok(extension, 'the extension is installed');
  return extension.activate();
}

export function workspaceFile(name: string): vscode.Uri {
  const [folder] = vscode.workspace.workspaceFolders ?? [];
  assert.ok(folder);
  return vscode.Uri.joinPath(folder.uri, name);
}

export function scratchFile(name: string): string {
  return path.join(mkdtempSync(path.join(tmpdir(), 'btrace-exthost-test-')), name);
}

export async function closeAll(): Promise<void> {
  await vscode.commands.executeCommand('workbench.action.closeAllEditors');
  await until(
    'all editors are closed',
    () =>
      vscode.window.tabGroups.all.every((group) => group.tabs.length === 0) &&
      vscode.window.activeTextEditor === undefined,
  );
}

export function activeTabInput(): unknown {
  return vscode.window.tabGroups.activeTabGroup.activeTab?.input;
}

/** Opens a recording and waits until its page has decoded it. */
export async function openRecording(file: string): Promise<void> {
  const { parts } = await btrace();
  const opened = new Promise<void>((resolve) => {
    const listening = parts.editors.onDidOpen((uri) => {
      if (uri.fsPath !== file) return;
      listening.dispose();
      resolve();
    });
  });
  await vscode.commands.executeCommand('btrace.openRecording', vscode.Uri.file(file));
  await opened;
}

export async function withSetting<T>(key: string, value: unknown, work: () => Promise<T>): Promise<T> {
  const settings = vscode.workspace.getConfiguration('btrace');
  await settings.update(key, value, vscode.ConfigurationTarget.Global);
  try {
    return await work();
  } finally {
    await settings.update(key, undefined, vscode.ConfigurationTarget.Global);
  }
}
