import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { btrace, withSetting, workspaceFile } from './btrace.js';
import { until } from '../rigs/until.js';

describe('the packages that are mine', () => {
  after(() => vscode.workspace.fs.delete(workspaceFile('src/org'), { recursive: true }));

  it('are those of the sources in the workspace, the outermost ones', async () => {
    const { packages } = (await btrace()).parts;
    await packages.look();
    assert.deepEqual(packages.prefixes, ['com.example.prices', 'com.example.shop']);
  });

  it('grow with the sources', async () => {
    const { packages } = (await btrace()).parts;
    const edit = new vscode.WorkspaceEdit();
    edit.createFile(workspaceFile('src/org/example/added/Added.java'), {
      contents: Buffer.from('package org.example.added;\n'),
      overwrite: true,
    });
    assert.ok(await vscode.workspace.applyEdit(edit));
    await until('the new package is one of mine', () => packages.prefixes.includes('org.example.added'));
  });

  it('are what the settings say', async () => {
    const { packages } = (await btrace()).parts;
    await withSetting('sources.myPackages', ['net.mine'], () => {
      assert.deepEqual(packages.prefixes, ['net.mine']);
      return Promise.resolve();
    });
  });
});
