import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import * as vscode from 'vscode';
import type { Memory } from '../../src/extension/memory.js';
import type { Notices } from '../../src/extension/notice.js';
import { RecordTasks } from '../../src/extension/recording/record-task.js';
import { btrace, workspaceFile } from './btrace.js';
import { withScriptedTargets, type ScriptedTarget } from './scripted-targets.js';
import { until } from '../rigs/until.js';

type Definition = vscode.TaskDefinition & Readonly<Record<string, unknown>>;

/** The task that tasks.json would have with this definition. */
async function taskOf(definition: Omit<Definition, 'type'>): Promise<vscode.Task> {
  const [asking] = await vscode.tasks.fetchTasks({ type: 'btrace' });
  assert.ok(asking);
  const scope = vscode.workspace.workspaceFolders![0]!;
  const all = { type: 'btrace', ...definition };
  return new vscode.Task(all, scope, 'test', 'BTrace', asking.execution, []);
}

/** The exit code, once its terminal has closed. */
function codeOf(execution: vscode.TaskExecution): Promise<number | undefined> {
  return new Promise((resolve) => {
    const listening = vscode.tasks.onDidEndTaskProcess((event) => {
      if (event.execution !== execution) return;
      listening.dispose();
      resolve(event.exitCode);
    });
  });
}

describe('the record task', () => {
  const { target } = withScriptedTargets();
  let till: ScriptedTarget;
  beforeEach(() => (till = target('task.Till')));

  it('is offered, without a question for problem matchers', async () => {
    const tasks = await vscode.tasks.fetchTasks({ type: 'btrace' });
    assert.equal(tasks[0]?.name, 'Record…');
    for (const task of tasks) assert.deepEqual(task.problemMatchers, []);
  });

  it('records what its definition says, to the place that it says', async () => {
    const task = await taskOf({
      target: 'task.till',
      preset: 'locks',
      seconds: 7,
      output: 'traces/till.btrace',
      open: false,
    });
    const execution = await vscode.tasks.executeTask(task);
    const code = codeOf(execution);
    const [session] = await until('it records', () => till.sessions.length > 0 && till.sessions);
    assert.equal(till.options!.maxDurationMs, 7000);
    assert.ok(till.options!.kinds.length > 0, 'the preset narrows the kinds');
    assert.equal(session!.file, workspaceFile('traces/till.btrace').fsPath);
    await session!.end('limit');
    assert.equal(await code, 0);
    assert.ok(existsSync(session!.file));
    const open = vscode.window.tabGroups.all.flatMap((group) => group.tabs.map((tab) => tab.input));
    assert.ok(!open.some((input) => input instanceof vscode.TabInputCustom));
  });

  it('keeps and opens what there is when the task is ended', async () => {
    const execution = await vscode.tasks.executeTask(await taskOf({ target: 'task.till' }));
    const [session] = await until('it records', () => till.sessions.length > 0 && till.sessions);
    execution.terminate();
    assert.equal((await session!.ended).reason, 'stopped');
    await until('it is open', () =>
      vscode.window.tabGroups.all.some((group) =>
        group.tabs.some(
          ({ input }) => input instanceof vscode.TabInputCustom && input.uri.fsPath === session!.file,
        ),
      ),
    );
  });

  it('writes nothing where the folder that its output is relative to is not on this machine', async () => {
    const { recorder } = (await btrace()).parts;
    const asked = { type: 'btrace', target: 'task.till', output: 'till.btrace', seconds: 1, open: false };
    const elsewhere = { uri: vscode.Uri.parse('vscode-vfs://github/acme/shop'), name: 'shop', index: 0 };
    const log = { error: () => undefined };
    const tasks = new RecordTasks(recorder, {} as unknown as Memory, { log } as unknown as Notices);
    const { execution } = tasks.resolveTask(new vscode.Task(asked, elsewhere, 'test', 'BTrace'));
    const here = vscode.workspace.workspaceFolders![0]!;
    const task = new vscode.Task(asked, here, 'test', 'BTrace', execution, []);
    let code: number | undefined;
    void codeOf(await vscode.tasks.executeTask(task)).then((given) => (code = given));
    await until('it ends, or records', () => code !== undefined || till.sessions.length > 0);
    const recorded = till.sessions.length;
    for (const session of till.sessions) await session.end('limit');
    assert.deepEqual([code, recorded], [1, 0]);
  });

  it('fails when there is no such target, and when its preset is none', async () => {
    for (const definition of [
      { target: 'nobody is called so' },
      { target: 'task.till', preset: 'no such' },
    ]) {
      const ended = new Promise<number | undefined>((resolve) => {
        const listening = vscode.tasks.onDidEndTaskProcess((event) => {
          if (event.execution.task.name !== 'test') return;
          listening.dispose();
          resolve(event.exitCode);
        });
      });
      await vscode.tasks.executeTask(await taskOf(definition));
      assert.equal(await ended, 1);
    }
    assert.equal(till.sessions.length, 0);
  });
});
