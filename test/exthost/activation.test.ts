import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { settingDefaults } from '../../src/extension/settings.js';
import { btrace } from './btrace.js';

interface Manifest {
  readonly contributes: {
    readonly commands: readonly { readonly command: string }[];
    readonly configuration: readonly {
      readonly properties: Readonly<Record<string, { readonly default: unknown }>>;
    }[];
  };
}

function manifest(): Manifest {
  return vscode.extensions.getExtension('btrace.btrace')?.packageJSON as Manifest;
}

describe('activation', () => {
  it('waits until something of it is used', async () => {
    const extension = vscode.extensions.getExtension('btrace.btrace');
    assert.ok(extension);
    // A source of a recorded program is no use of it.
    const [source] = await vscode.workspace.findFiles('**/Till.java');
    assert.ok(source);
    await vscode.window.showTextDocument(source);
    assert.equal(extension.isActive, false);
    await vscode.commands.executeCommand('btrace.showLog');
    assert.equal(extension.isActive, true);
  });

  it('registers every command that the manifest names', async () => {
    await btrace();
    const registered = new Set(await vscode.commands.getCommands(true));
    const missing = manifest().contributes.commands.filter(({ command }) => !registered.has(command));
    assert.deepEqual(missing, []);
  });

  it('reads every setting with the default that the manifest gives', () => {
    const declared = Object.fromEntries(
      manifest().contributes.configuration.flatMap(({ properties }) =>
        Object.entries(properties).map(([key, value]) => [key.replace('btrace.', ''), value.default]),
      ),
    );
    assert.deepEqual({ ...settingDefaults }, declared);
  });
});
