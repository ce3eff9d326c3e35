/** The list of what can be recorded, while a person looks at it. */
import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { TargetError, type Target } from '../../src/targets/target.js';
import { btrace, closeAll } from './btrace.js';
import { withPerson } from './person.js';
import { ScriptedTarget, ScriptedTargets } from './scripted-targets.js';
import { until } from './until.js';

/** As by the arrow keys. */
async function goTo(pick: vscode.QuickPick<vscode.QuickPickItem>, row: RegExp): Promise<void> {
  while (!row.test(pick.activeItems[0]?.label ?? '')) {
    const moved = new Promise((resolve) => {
      const listening = pick.onDidChangeActive((active) => {
        if (active.length === 0) return;
        listening.dispose();
        resolve(active);
      });
    });
    await vscode.commands.executeCommand('workbench.action.quickOpenSelectNext');
    await moved;
  }
}

describe('the list of targets', () => {
  const source = new ScriptedTargets();
  let added: { dispose(): void };
  let nextPid = 960_000;

  function target(name: string): ScriptedTarget {
    const one = new ScriptedTarget(name, nextPid++);
    source.targets.push(one);
    return one;
  }

  before(async () => (added = (await btrace()).addTargetSource(source)));
  after(() => added.dispose());
  afterEach(async () => {
    source.targets.length = 0;
    await closeAll();
  });

  it('keeps every row of the list where it is while others still look', async () => {
    const api = await btrace();
    const last = target('till.last');
    const recorded = vscode.commands.executeCommand('btrace.record', { target: last.id });
    const session = await until('it records', () => last.sessions[0]);
    await session.cancel();
    await recorded;
    source.targets.splice(source.targets.indexOf(last), 1);
    target('till.early');
    let answer: (targets: Target[]) => void = () => undefined;
    let answers = new Promise<Target[]>((resolve) => (answer = resolve));
    let changed: () => void = () => undefined;
    const late = api.addTargetSource({
      kind: 'late',
      list: () => answers,
      watch: (tell) => {
        changed = tell;
        return () => undefined;
      },
    });
    const rows = (pick: vscode.QuickPick<vscode.QuickPickItem>): string[] =>
      pick.items
        .filter(({ kind, label }) => kind !== vscode.QuickPickItemKind.Separator && label.includes('till.'))
        .map(({ label }) => label.replace(/.*(?=till)/, ''));
    try {
      await withPerson({}, async ({ picks }) => {
        const asked = vscode.commands.executeCommand('btrace.record');
        const pick = await until('it asks', () => picks[0]);
        await until('those that answered are listed', () => rows(pick).length > 0);
        assert.equal(pick.busy, true);
        await until(
          'Enter takes nothing while the last choice may come',
          () => pick.activeItems.length === 0,
        );
        const before = rows(pick);
        answer([last, new ScriptedTarget('till.a', 1)]);
        await until('all are listed', () => !pick.busy);
        assert.deepEqual(rows(pick), [...before, 'till.last', 'till.a'], 'what came is below');
        await until('the last choice is taken by Enter', () =>
          /till\.last/.test(pick.activeItems[0]?.label ?? ''),
        );
        // Another one comes, and one goes; the person is on a third.
        await goTo(pick, /till\.a$/);
        answers = Promise.resolve([new ScriptedTarget('till.a', 1), new ScriptedTarget('till.0', 2)]);
        changed();
        await until('it has looked again', () => rows(pick).includes('till.0'));
        assert.deepEqual(rows(pick), [...before, 'till.a', 'till.0']);
        // VS Code tells of no row for a moment while it takes the new ones.
        const onSameRow = (): boolean => /till\.a$/.test(pick.activeItems[0]?.label ?? '');
        await until('the person is on the same row', onSameRow);
        // Something else comes in such a moment, and the last choice is back.
        let taken: readonly vscode.QuickPickItem[] = [];
        const none = { get: () => [], set: (rows: typeof taken) => void (taken = rows), configurable: true };
        Object.defineProperty(pick, 'activeItems', none);
        answers = Promise.resolve([last, new ScriptedTarget('till.a', 1)]);
        changed();
        await until('it has looked again', () => rows(pick).includes('till.last'));
        assert.match(taken[0]?.label ?? '', /till\.a$/, 'the person is still there');
        Reflect.deleteProperty(pick, 'activeItems');
        pick.hide();
        assert.equal(await asked, undefined);
      });
    } finally {
      late.dispose();
    }
  });

  it('says a command line once, where it is no more than the name', async () => {
    target('till --all').detail = 'till --all';
    target('till --some').detail = 'java -jar till.jar --some';
    await withPerson({}, async ({ picks }) => {
      const asked = vscode.commands.executeCommand('btrace.record');
      const pick = await until('it asks', () => picks[0]);
      const rowsOf = () => pick.items.filter(({ label }) => label.includes('till --'));
      await until('both are listed', () => rowsOf().length === 2);
      assert.deepEqual(
        rowsOf().map(({ detail }) => detail),
        ['', 'java -jar till.jar --some'],
      );
      pick.hide();
      await asked;
    });
  });

  it('lists what the other sources found when one cannot look', async () => {
    target('till');
    const broken = new ScriptedTargets();
    broken.failure = new TargetError('not-found', 'There is no adb server.', 'Start one.');
    const api = await btrace();
    const added = api.addTargetSource(broken);
    try {
      const { targets, failures } = await api.parts.recorder.registry.list();
      assert.ok(targets.some(({ name }) => name === 'till'));
      assert.ok(failures.some(({ error }) => error === broken.failure));
    } finally {
      added.dispose();
    }
  });
});
