/** Programs of the workspace that do not run yet: offered, and started by what is known of them. */
import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { WorkspaceFiles } from '../../src/extension/sources/workspace-files.js';
import type { Memory } from '../../src/extension/memory.js';
import { askProgram } from '../../src/extension/recording/ask-program.js';
import { answered } from '../../src/extension/recording/steady-rows.js';
import {
  launchConfigurations,
  mainClasses,
  type WorkspaceStart,
} from '../../src/extension/recording/workspace-starts.js';
import { closeAll, workspaceFile } from './btrace.js';
import { toastsOf, withPerson } from './person.js';
import { until } from '../rigs/until.js';

const configurations = [
  {
    type: 'java',
    name: 'Ring it',
    request: 'launch',
    mainClass: 'started.Main',
    vmArgs: '-Xmx64m',
    args: ['7'],
  },
  { type: 'cppdbg', name: 'Native till', request: 'launch', program: '${workspaceFolder}/build/till' },
  { type: 'node', name: 'Not ours', request: 'launch', program: 'x.js' },
];

describe('programs that do not run yet', () => {
  const files = new WorkspaceFiles();
  const settings = (): vscode.WorkspaceConfiguration => vscode.workspace.getConfiguration('launch');
  const write = (name: string, text: string): Thenable<void> =>
    vscode.workspace.fs.writeFile(workspaceFile(name), new TextEncoder().encode(text));

  before(async () => {
    await write(
      'started/Main.java',
      'package started;\nclass Main { public static void main(String[] a) {} }\n',
    );
    await write('started/Other.java', 'package started;\nclass Other {}\n');
    await settings().update('configurations', configurations, vscode.ConfigurationTarget.Workspace);
    await until('the file is found', async () =>
      (await files.managed()).some(({ path }) => path.endsWith('started/Main.java')),
    );
  });
  after(async () => {
    await settings().update('configurations', undefined, vscode.ConfigurationTarget.Workspace);
    await vscode.workspace.fs.delete(workspaceFile('started'), { recursive: true });
    files.dispose();
    await closeAll();
  });

  it('are launch configurations that can be started without a debugger, and classes with a main', async () => {
    assert.deepEqual(
      launchConfigurations(files).map(({ name, detail }) => [name, detail]),
      [
        ['Ring it', 'started.Main 7'],
        ['Native till', 'build/till'],
      ],
    );
    const found = await mainClasses(files);
    assert.deepEqual(
      found.filter(({ name }) => name.startsWith('started.')).map(({ name, detail }) => [name, detail]),
      [['started.Main', 'started/Main.java']],
    );
  });

  it('are found where they were built, and say so where they were not', async () => {
    const [java] = launchConfigurations(files);
    await assert.rejects(java!.prepare(), /^Problem: started\.Main is not built: /);
    await write('out/classes/started/Main.class', '');
    try {
      const { words, folder } = await java!.prepare();
      const classes = workspaceFile('out/classes').fsPath;
      assert.deepEqual(words, ['java', '-Xmx64m', '-cp', classes, 'started.Main', '7']);
      assert.equal(folder, workspaceFile('').fsPath.replace(/\/$/, ''));
    } finally {
      await vscode.workspace.fs.delete(workspaceFile('out'), { recursive: true });
    }
  });

  it('are offered with the running ones, and where a command is asked for', async () => {
    const toasts = await toastsOf({}, async () => {
      await withPerson({}, async ({ picks }) => {
        const asked = vscode.commands.executeCommand('btrace.record');
        const pick = await until('it asks', () => picks[0]);
        await until('they are listed', () => pick.items.some(({ label }) => label.endsWith('Ring it')));
        pick.hide();
        await asked;
        const starting = vscode.commands.executeCommand('btrace.recordFromStart');
        const command = await until('it asks for the command', () => picks[1]);
        await until('the workspace was looked at', () => !command.busy);
        command.value = 'started.main';
        await until('the first one that fits is chosen', () =>
          /Ring it/.test(command.activeItems[0]?.label ?? ''),
        );
        await answered(); // the list says so before its window is there
        await vscode.commands.executeCommand('workbench.action.acceptSelectedQuickOpenItem');
        const how = await until('it asks for the preset', () => picks[2]);
        await until('there is one', () => how.activeItems.length > 0);
        await answered();
        await vscode.commands.executeCommand('workbench.action.acceptSelectedQuickOpenItem');
        assert.equal(await starting, undefined);
      });
    });
    assert.deepEqual(toasts, []);
  });

  it('do not take the place of a command that is chosen as they are found', async () => {
    let found: (classes: WorkspaceStart[]) => void = () => undefined;
    const classes = new Promise<WorkspaceStart[]>((resolve) => (found = resolve));
    const remembered: unknown[] = [];
    const memory = { launchCommands: { get: () => [], set: (all: unknown[]) => remembered.push(...all) } };
    await withPerson({ inputs: [''] }, async ({ picks }) => {
      const asked = askProgram(memory as unknown as Memory, {
        configurations: () => [],
        mainClasses: () => classes,
      });
      const [pick] = await until('it asks', () => picks.length > 0 && picks);
      pick!.value = 'till';
      await until('the command is chosen', () => /till$/.test(pick!.activeItems[0]?.label ?? ''));
      const accepted = vscode.commands.executeCommand('workbench.action.acceptSelectedQuickOpenItem');
      const prepare = (): never => assert.fail('it is not chosen');
      found(['a', 'b'].map((name) => ({ name: `till.${name}`, detail: `till/${name}.java`, prepare })));
      await accepted;
      assert.deepEqual(await asked, { command: 'till', program: '' });
    });
    assert.equal(remembered.length, 1);
  });
});
