/** Each command that the manifest contributes, from its call to what it does, and to what it says when it cannot. */
import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { btrace, closeAll } from './btrace.js';
import { run, source } from './commands/command-tests.js';
import { exportsCommands } from './commands/exports-commands.js';
import { figuresCommands } from './commands/figures-commands.js';
import { lagsCommands } from './commands/lags-commands.js';
import { pageCommands } from './commands/page-commands.js';
import { recordingCommands } from './commands/recording-commands.js';
import { recordingsCommands } from './commands/recordings-commands.js';

const tests = {
  ...recordingCommands,
  ...recordingsCommands,
  ...exportsCommands,
  ...figuresCommands,
  ...pageCommands,
  ...lagsCommands,
};

describe('the command', () => {
  let added: { dispose(): void };
  before(async () => (added = (await btrace()).addTargetSource(source)));
  after(async () => {
    await run('hideFigures');
    added.dispose();
  });
  afterEach(async () => {
    source.targets.length = 0;
    await closeAll();
  });

  it('has a test here for each that the manifest names', () => {
    const { contributes } = vscode.extensions.getExtension('btrace.btrace')!.packageJSON as {
      contributes: { commands: { command: string }[] };
    };
    const named = contributes.commands.map(({ command }) => command.replace('btrace.', ''));
    assert.deepEqual(Object.keys(tests).sort(), named.sort());
  });

  for (const [name, test] of Object.entries(tests)) it(`btrace.${name}`, test);
});
