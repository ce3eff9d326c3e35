import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { btrace, withSetting, workspaceFile } from './btrace.js';
import { until } from './until.js';

describe('the packages that are mine', () => {
  after(() => vscode.workspace.fs.delete(workspaceFile('src/org'), { recursive: true }));

  it('are those of the sources in the workspace, the outermost ones', async () => {
    const { packages } = (await btrace()).parts;
    await packages.look();
    assert.deepEqual(packages.prefixes, ['com.example.prices', 'com.example.shop']);
  });

  it('grow with the sources', async () => {
    const { packages } = (await btrace()).parts;
    // One more now and then: the watcher may not be up yet.
    let next = 0;
    await until('the new package is one of mine', async () => {
      if (Date.now() > next) {
        const file = workspaceFile(`src/org/example/added/Added${String(next)}.java`);
        await vscode.workspace.fs.writeFile(file, Buffer.from('package org.example.added;\n'));
        next = Date.now() + 3000;
      }
      return packages.prefixes.includes('org.example.added');
    });
  });

  it('are what the settings say', async () => {
    const { packages } = (await btrace()).parts;
    await withSetting('sources.myPackages', ['net.mine'], () => {
      assert.deepEqual(packages.prefixes, ['net.mine']);
      return Promise.resolve();
    });
  });
});
