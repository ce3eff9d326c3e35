/** The list of what can be recorded, while a person looks at it. */
import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { pickTarget } from '../../src/extension/recording/pick-target.js';
import { answered } from '../../src/extension/recording/steady-rows.js';
import { inPlace, targetItems } from '../../src/extension/recording/target-items.js';
import { isOfWorkspace } from '../../src/extension/recording/workspace-programs.js';
import { TargetRegistry } from '../../src/extension/recording/target-registry.js';
import { TargetError, type Target } from '../../src/targets/target.js';
import { btrace } from './btrace.js';
import { withPerson } from './person.js';
import { ScriptedTarget, ScriptedTargets, withScriptedTargets } from './scripted-targets.js';
import { until } from '../rigs/until.js';

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

  it('keeps every row in its place while other sources still search', async () => {
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
        const asked = pickTarget(registry, { lastNames: [] });
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
        pick.value = 'start a prog';
        await until('it is chosen', () => /Start a program/.test(pick.activeItems[0]?.label ?? ''));
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

  it('shows a command line only if it says more than the name', async () => {
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

  it('shows what started while it is open, and leaves a person where they are', async () => {
    const registry = new TargetRegistry();
    const source = new ScriptedTargets();
    const late = new ScriptedTarget('till.late', 3);
    source.targets.push(new ScriptedTarget('till.there', 1), new ScriptedTarget('till.other', 2));
    registry.add(source);
    await withPerson({}, async ({ picks }) => {
      const asked = pickTarget(registry, { lastNames: [] });
      const pick = await until('it asks', () => picks[0]);
      await until('all are listed', () => !pick.busy);
      pick.value = 'till.';
      await goTo(pick, /till\.other/);
      source.targets.push(late);
      await until('it comes by itself', () => pick.items.some(({ label }) => label.includes('till.late')));
      assert.equal(pick.busy, false);
      assert.equal(pick.value, 'till.');
      await until('still there', () => /till\.other/.test(pick.activeItems[0]?.label ?? ''));
      const { items } = pick;
      const listed = source.list.bind(source);
      let looks = 0;
      source.list = () => (looks++, listed());
      await until('it has looked again', () => looks > 1);
      assert.equal(pick.items, items, 'nothing new, nothing drawn');
      Reflect.deleteProperty(source, 'list');
      source.targets.splice(source.targets.indexOf(late), 1);
      await until('it goes', () => !pick.items.some(({ label }) => label.includes('till.late')));
      pick.hide();
      await asked;
    });
  });

  describe('whose rows change in the moment of a choice', () => {
    const accept = 'workbench.action.acceptSelectedQuickOpenItem';
    let changed: () => void = () => undefined;
    let rows: ScriptedTarget[] = [];
    const registry = new TargetRegistry();
    registry.add({
      kind: 'scripted',
      list: () => Promise.resolve([...rows]),
      watch: (tell) => {
        changed = tell;
        return () => undefined;
      },
    });
    /** The window learns of it after what it was told before. */
    const replaceFirst = (pid: number): void => {
      rows = [...rows.slice(1), new ScriptedTarget(`till.${String(pid)}`, pid)];
      changed();
    };

    async function picking(
      work: (pick: vscode.QuickPick<vscode.QuickPickItem>) => Promise<void>,
    ): Promise<Target | 'launch' | undefined> {
      rows = [1, 2, 3, 4].map((pid) => new ScriptedTarget(`till.${String(pid)}`, pid));
      return withPerson({}, async ({ picks }) => {
        const asked = pickTarget(registry, { lastNames: [] });
        const pick = await until('it asks', () => picks[0]);
        await until('it is on the first row', () => /till\.1$/.test(pick.activeItems[0]?.label ?? ''));
        await work(pick);
        return asked;
      });
    }

    it('takes the row that was there', async () => {
      for (const pid of [1, 3]) {
        const chosen = await picking(async (pick) => {
          await goTo(pick, new RegExp(`till\\.${String(pid)}$`));
          const accepted = vscode.commands.executeCommand(accept);
          replaceFirst(5);
          await accepted;
        });
        assert.equal(typeof chosen === 'object' && chosen.pid, pid);
      }
    });

    it('stays on the row to which a person went, and Enter takes that', async () => {
      const chosen = await picking(async (pick) => {
        // Each time two rows on, and the first one goes.
        for (let pid = 5; pid < 15; pid++) {
          const wanted = `till.${String(pid - 2)}`;
          await goTo(pick, new RegExp(`till\\.${String(pid - 3)}$`));
          void vscode.commands.executeCommand('workbench.action.quickOpenSelectNext');
          replaceFirst(pid);
          await until('the new row is there', () =>
            pick.items.some(({ label }) => label.endsWith(`till.${String(pid)}`)),
          );
          await until(`it is on ${wanted}`, () => pick.activeItems[0]?.label.endsWith(wanted));
          await answered(); // the list says so before its window is there
        }
        const drawn = pick.items.filter(({ label }) => label !== '');
        assert.ok(pick.items.length <= 3 * drawn.length, 'positions are used again');
        await vscode.commands.executeCommand(accept);
      });
      assert.equal(typeof chosen === 'object' && chosen.pid, 12);
    });

    it('takes no other row than the one to which a person went just then', async () => {
      const chosen = await picking(async (pick) => {
        // Not the first of the new rows, to which the window goes.
        await goTo(pick, /till\.2$/);
        void vscode.commands.executeCommand('workbench.action.quickOpenSelectNext');
        replaceFirst(5);
        await until('the new row is there', () => pick.items.some(({ label }) => label.endsWith('till.5')));
        for (let times = 0; times < 8; times++) await vscode.commands.executeCommand(accept);
      });
      assert.equal(typeof chosen === 'object' && chosen.pid, 3);
    });
  });

  it('leaves native programs that come and go between two looks away, and draws nothing for one that ended', async () => {
    const registry = new TargetRegistry();
    let pids: readonly number[] = [];
    let looks = 0;
    registry.add({
      kind: 'native',
      list: () => {
        looks++;
        return Promise.resolve(
          pids.map((pid) =>
            Object.assign(new ScriptedTarget(`native.${String(pid)}`, pid), { kind: 'native' }),
          ),
        );
      },
    });
    await withPerson({}, async ({ picks }) => {
      const asked = pickTarget(registry, { lastNames: [] });
      const pick = await until('it asks', () => picks[0]);
      const names = (): string[] => pick.items.flatMap(({ label }) => /native\.\d+/.exec(label) ?? []);
      const looked = async (now: readonly number[]): Promise<void> => {
        pids = now;
        const before = looks;
        // The look that goes on may have begun before.
        await until('it has looked twice', () => looks > before + 1);
      };
      await looked([1, 2]);
      await until('they are listed', () => names().length === 2);
      await looked([2]);
      assert.deepEqual(names(), ['native.1', 'native.2']);
      await looked([2, 3]);
      await until('what stays comes, what ended goes', () => names().join() === 'native.2,native.3');
      pick.hide();
      await asked;
    });
  });

  it('tells programs of one name apart, and has those of the workspace first', () => {
    const now = Date.now();
    const one = (pid: number, more: Partial<Target>): Target =>
      Object.assign(new ScriptedTarget('shop.Main', pid), { kind: 'local' }, more);
    const targets = [
      one(1, { startedMs: now - 150_000, ports: [8080, 8443], folder: '/elsewhere' }),
      one(2, { startedMs: now, folder: '/home/ada/shop/server', detail: 'shop.Main --port 1' }),
    ];
    const isMine = (target: Target): boolean => isOfWorkspace(target, ['/home/ada/shop'], []);
    const rows = targetItems({ targets, failures: [] }, { lastNames: [], isOfWorkspace: isMine });
    assert.deepEqual(
      rows
        .slice(0, 4)
        .map(({ kind, label, description }) =>
          kind === vscode.QuickPickItemKind.Separator ? `— ${label}` : description,
        ),
      [
        '— This workspace',
        '2 · Script · just started',
        '— This machine',
        '1 · Script · port 8080 · port 8443 · running for 2 min',
      ],
    );
    for (const [name, folder, expected] of [
      ['x.Main', '/home/ada/shop', true],
      ['x.Main', '/home/ada/shopping', false],
      ['com.example.shop.Main', undefined, true],
      ['com.example.shopping.Main', undefined, false],
    ] as const)
      assert.equal(isOfWorkspace({ name, folder }, ['/home/ada/shop'], ['com.example.shop']), expected, name);
  });

  it('shows the parentheses of a name, and no icon that a name asks for', () => {
    const targets = [new ScriptedTarget('till (C++) $(trash)', 1)];
    const [, row] = targetItems({ targets, failures: [] }, { lastNames: [] });
    assert.match(row!.label, /^\$\([\w-]+\) till \(C\+\+\) {2}trash\)$/);
    const hostile = { name: 'sh -c $(trash)', label: 'sh', runtime: '$(bug)', detail: 'sh $(flame) $(pwd)' };
    const refused = { ...hostile, refusal: 'It is $(error).' };
    const rows = [hostile, refused].map((one) => Object.assign(new ScriptedTarget('till', 1), one));
    const failures = [{ kind: 'local', error: new TargetError('io', 'No $(x).', 'Try $(y).') }];
    const launch = Object.assign(new ScriptedTarget('run $(play)', 2), { detail: 'java $(beaker)' });
    for (const item of targetItems({ targets: rows, failures }, { lastNames: [], startable: [launch] })) {
      const written = [item.label.replace(/^\$\([\w-]+\) /, ''), item.description, item.detail].join('\n');
      assert.doesNotMatch(written, /\$\(/);
    }
  });

  it('offers what is a click away after everything else, and warns of nothing', () => {
    const remedy = { title: 'Start the adb Server', run: () => Promise.resolve() };
    const error = new TargetError('not-found', 'No adb server runs.', 'Start it.', { remedy });
    const rows = targetItems({ targets: [], failures: [{ kind: 'android', error }] }, { lastNames: [] });
    assert.deepEqual(
      rows.map(({ label }) => label),
      [
        'Not running yet',
        '$(terminal) Start a program, and record it from its first moment…',
        '$(device-mobile) Start the adb Server…',
      ],
    );
  });

  it('sorts the last recorded first, then programs and devices, then what cannot be recorded', () => {
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
    const items = targetItems({ targets, failures }, { lastNames: ['phone app', 'gone', 'd', 'a'] });
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
        '$(terminal) Start a program, and record it from its first moment…',
      ],
    );
  });

  it('keeps native programs below all others that come, and each row below its own heading', () => {
    const one = (name: string, kind: string): Target =>
      Object.assign(new ScriptedTarget(name, name.charCodeAt(0)), { kind, refusal: undefined });
    const recent = one('bash', 'native');
    const grep = one('grep', 'native');
    const rows = (items: ReturnType<typeof targetItems>): string[] =>
      items.map(({ kind, label, target }) =>
        kind === vscode.QuickPickItemKind.Separator ? `— ${label}` : (target?.name ?? '…'),
      );
    const list = (targets: readonly Target[]): ReturnType<typeof targetItems> =>
      targetItems({ targets, failures: [] }, { lastNames: ['bash'] });
    const first = inPlace([], list([recent, grep]));
    const last = inPlace(
      first,
      list([recent, one('java', 'local'), one('app', 'android'), grep, one('make', 'native')]),
    );
    assert.deepEqual(rows(last), [
      '— Recorded last',
      'bash',
      '— This machine',
      'java',
      '— Android devices',
      'app',
      '— Not running yet',
      '…',
      '— Native programs of this machine',
      'grep',
      'make',
    ]);
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
