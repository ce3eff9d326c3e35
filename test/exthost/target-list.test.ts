/** The list of what can be recorded, while a person looks at it. */
import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { pickTarget } from '../../src/extension/recording/pick-target.js';
import { targetItems } from '../../src/extension/recording/target-items.js';
import { TargetRegistry } from '../../src/extension/recording/target-registry.js';
import { TargetError, type Target } from '../../src/targets/target.js';
import { btrace } from './btrace.js';
import { withPerson } from './person.js';
import { ScriptedTarget, ScriptedTargets, withScriptedTargets } from './scripted-targets.js';
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
  const { source, target } = withScriptedTargets();

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

  describe('where nothing was recorded before, and a search is slow', () => {
    const till = new ScriptedTarget('till', 1);
    const refused = new ScriptedTarget('a till', 2);
    refused.refusal = 'It is not debuggable.';

    /** With a source that fails at once, and one that answers when it is told to. */
    async function picking(
      work: (
        pick: vscode.QuickPick<vscode.QuickPickItem>,
        answer: (targets: Target[]) => void,
      ) => Promise<void>,
    ): Promise<Target | 'launch' | undefined> {
      const registry = new TargetRegistry();
      const broken = new ScriptedTargets();
      broken.failure = new TargetError('not-found', 'There is no adb server.', 'Start one.');
      let answer: (targets: Target[]) => void = () => undefined;
      const answers = new Promise<Target[]>((resolve) => (answer = resolve));
      registry.add(broken);
      registry.add({ kind: 'slow', list: () => answers });
      return withPerson({}, async ({ picks }) => {
        const asked = pickTarget(registry, []);
        const pick = await until('it asks', () => picks[0]);
        await until('what failed is listed', () => pick.items.some(({ label }) => /adb server/.test(label)));
        await work(pick, answer);
        return asked;
      });
    }

    /** Each way there and back is after what was shown before it. */
    async function enterAgainAndAgain(): Promise<void> {
      for (let times = 0; times < 8; times++)
        await vscode.commands.executeCommand('workbench.action.acceptSelectedQuickOpenItem');
    }

    it('Enter takes nothing until there is a program that can be recorded, and then that', async () => {
      const chosen = await picking(async (pick, answer) => {
        await enterAgainAndAgain();
        answer([refused, till]);
        await until('it is chosen', () => /till$/.test(pick.activeItems[0]?.label ?? ''));
        await enterAgainAndAgain();
      });
      assert.equal(chosen, till);
    });

    it('Enter takes nothing where nothing can be recorded', async () => {
      const chosen = await picking(async (pick, answer) => {
        answer([refused]);
        await until('all have answered', () => !pick.busy);
        await enterAgainAndAgain();
        pick.hide();
      });
      assert.equal(chosen, undefined);
    });

    it('Enter takes what fits to what is typed, and nothing else', async () => {
      const chosen = await picking(async (pick, answer) => {
        const typed = new Promise((resolve) => pick.onDidChangeValue(resolve));
        pick.value = 'till';
        await typed;
        await enterAgainAndAgain();
        answer([till]);
        await until('it is chosen', () => /till$/.test(pick.activeItems[0]?.label ?? ''));
        await enterAgainAndAgain();
      });
      assert.equal(chosen, till);
    });

    it('Enter takes a row that a person went to, or typed', async () => {
      const chosen = await picking(async (pick) => {
        pick.value = 'start a java';
        await until('it is chosen', () => /Start a Java program/.test(pick.activeItems[0]?.label ?? ''));
        await enterAgainAndAgain();
      });
      assert.equal(chosen, 'launch');
      const gone = picking(async (pick) => {
        await goTo(pick, /adb server/);
        await enterAgainAndAgain();
      });
      await assert.rejects(gone, /There is no adb server/);
    });
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

  it('has what was recorded last first, then programs and devices, and what cannot be recorded below', () => {
    const one = (name: string, kind: string, refusal?: string): Target =>
      Object.assign(new ScriptedTarget(name, name.charCodeAt(0)), { kind, refusal });
    const targets = [
      one('c', 'local'),
      one('a', 'local', 'It is too old.'),
      one('b', 'local'),
      one('phone app', 'android'),
      one('d', 'local'),
    ];
    const failures = [{ kind: 'local', error: new TargetError('io', 'Some cannot be seen.', 'Be root.') }];
    const items = targetItems({ targets, failures }, ['phone app', 'gone', 'd', 'a']);
    assert.deepEqual(
      items.map(({ kind, label, target }) =>
        kind === vscode.QuickPickItemKind.Separator ? `— ${label}` : (target?.name ?? label),
      ),
      [
        '— Recorded last',
        'phone app',
        'd',
        '— This machine',
        'b',
        'c',
        'a',
        '— This machine',
        '$(warning) Some cannot be seen.',
        '— Not running yet',
        '$(terminal) Start a Java program, and record it from its first moment…',
      ],
    );
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
