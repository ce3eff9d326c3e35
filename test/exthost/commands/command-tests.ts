/** What the tests of the commands share: programs that follow a script, and what a person does and reads. */
import assert from 'node:assert/strict';
import path from 'node:path';
import * as vscode from 'vscode';
import { activeTabInput, btrace } from '../btrace.js';
import type { Toast } from '../person.js';
import { tillMethods, writeRecording } from '../recordings.js';
import { ScriptedTarget, ScriptedTargets } from '../scripted-targets.js';
import type { ScriptedSession } from '../scripted-targets.js';
import { until } from '../../rigs/until.js';

/** By the command's name, without `btrace.`. */
export type CommandTests = Readonly<Record<string, () => Promise<void>>>;

export const source = new ScriptedTargets();
let nextPid = 930_000;

export function target(name: string): ScriptedTarget {
  const one = new ScriptedTarget(name, nextPid++);
  source.targets.push(one);
  return one;
}

export function run<T>(command: string, ...given: unknown[]): Thenable<T> {
  return vscode.commands.executeCommand<T>(`btrace.${command}`, ...given);
}

/** One toast: what happened, what to do, and where the whole story is. */
export function isOneError(toasts: readonly Toast[], text: RegExp): void {
  assert.equal(toasts.length, 1, JSON.stringify(toasts));
  assert.equal(toasts[0]!.kind, 'error');
  assert.match(toasts[0]!.text, text);
  assert.ok(toasts[0]!.buttons.includes('Show Log'));
}

export async function isOpen(file: string): Promise<void> {
  await until(`${path.basename(file)} is open`, () => {
    const input = activeTabInput();
    return input instanceof vscode.TabInputCustom && input.uri.fsPath === file;
  });
}

/** While a scripted program is recorded. */
export async function recording(
  work: (session: ScriptedSession, id: number) => Promise<unknown>,
): Promise<void> {
  const { parts } = await btrace();
  const till = target('commands.Till');
  const recorded = run('record', { target: till.id });
  const [session] = await until('it records', () => till.sessions.length > 0 && till.sessions);
  const active = parts.recorder.sessions.all.find((one) => one.target === till);
  assert.ok(active);
  await work(session!, active.id);
  if (parts.recorder.sessions.get(active.id) !== undefined) await session!.cancel();
  await recorded;
}

/** A recording in the store, as the view lists it. */
export async function stored(name: string) {
  const { recorder } = (await btrace()).parts;
  const file = await recorder.store.newFile(name);
  await writeRecording(file, { methods: tillMethods, stacks: [[0, 1]], samples: 20 });
  const found = (await recorder.store.list()).find((one) => one.file === file);
  assert.ok(found);
  return found;
}

/** Accepts what is active in a list, once it is there. */
export async function accept(pick: vscode.QuickPick<vscode.QuickPickItem>, label: string): Promise<void> {
  await until(`the list has ${label}`, () => {
    if (pick.busy) return false; // what comes later leaves the person's row, which this is not
    const item = pick.items.find(
      (one) => one.label.includes(label) && one.kind !== vscode.QuickPickItemKind.Separator,
    );
    if (item === undefined) return false;
    if (pick.activeItems[0] === item) return true;
    pick.activeItems = [item];
    return false;
  });
  await vscode.commands.executeCommand('workbench.action.acceptSelectedQuickOpenItem');
}
