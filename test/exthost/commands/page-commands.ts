/** Commands for the page in front, and the log. */
import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import type { HostMessage } from '../../../src/protocol/messages.js';
import { btrace } from '../btrace.js';
import { until } from '../../rigs/until.js';
import { run } from './command-tests.js';
import type { CommandTests } from './command-tests.js';

/** What the page in front is told while `work` runs. */
async function posted(work: () => Thenable<unknown>): Promise<HostMessage[]> {
  const { editors } = (await btrace()).parts;
  const told: HostMessage[] = [];
  const post = editors.post.bind(editors);
  editors.post = (message) => void told.push(message);
  try {
    await work();
    return told;
  } finally {
    editors.post = post;
  }
}

const pageCommand = (name: string) => async (): Promise<void> =>
  assert.deepEqual(await posted(() => run(`page.${name}`)), [{ type: 'command', command: name }]);

export const pageCommands: CommandTests = {
  'page.find': pageCommand('find'),
  'page.overview': pageCommand('overview'),
  'page.timeline': pageCommand('timeline'),
  'page.flameGraph': pageCommand('flameGraph'),
  'page.compare': pageCommand('compare'),
  'page.callTree': pageCommand('callTree'),
  'page.bottomUp': pageCommand('bottomUp'),
  'page.methods': pageCommand('methods'),
  'page.callers': pageCommand('callers'),
  'page.messages': pageCommand('messages'),
  async showLog() {
    await run('showLog');
    await until('the log is shown', () =>
      vscode.window.visibleTextEditors.some(
        ({ document }) => document.uri.scheme === 'output' && document.fileName.includes('BTrace'),
      ),
    );
    await vscode.commands.executeCommand('workbench.action.closePanel');
  },
};
