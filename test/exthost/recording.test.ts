import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { readdir, rm, utimes, writeFile } from 'node:fs/promises';
import path from 'node:path';
import * as vscode from 'vscode';
import { TargetError } from '../../src/targets/target.js';
import type { TargetNode } from '../../src/extension/views/targets-view.js';
import { activeTabInput, btrace, closeAll, scratchFile, withSetting, workspaceFile } from './btrace.js';
import { toastsOf, withPerson } from './person.js';
import { withScriptedTargets } from './scripted-targets.js';
import { until } from '../rigs/until.js';

describe('recording', () => {
  const { target } = withScriptedTargets();

  it('records by name, stops, and opens what it recorded', async () => {
    const till = target('till.Main');
    const recorded = vscode.commands.executeCommand<string>('btrace.record', {
      target: 'till.main',
      preset: 'locks',
    });
    const [session] = await until('it records', () => till.sessions.length > 0 && till.sessions);
    assert.ok(till.options!.kinds.length > 0, 'the preset narrows the kinds');
    assert.equal(till.options!.fromLaunch, false);
    await vscode.commands.executeCommand('btrace.stop');
    const file = await recorded;
    assert.equal(file, session!.file);
    assert.match(path.basename(file), /^till\.Main \d{4}-\d\d-\d\d \d\d\.\d\d\.\d\d.*\.btrace$/);
    await until('it is open', () => {
      const input = activeTabInput();
      return (
        input instanceof vscode.TabInputCustom &&
        input.viewType === 'btrace.recording' &&
        input.uri.fsPath === file
      );
    });
  });

  it('records the system beside an app: as the settings say, or as is chosen for one recording', async () => {
    const app = target('com.example.shop');
    app.recordsSystem = true;
    const { recorder } = (await btrace()).parts;
    const stopped = async (): Promise<unknown[]> => {
      await until('it records', () => recorder.sessions.all.length > 0);
      const { system, systemPreset, systemConfig } = app.options!;
      await vscode.commands.executeCommand('btrace.stop');
      return [system, systemPreset, systemConfig];
    };
    const asked = async (): Promise<unknown[]> => {
      const recorded = vscode.commands.executeCommand<string>('btrace.record', { target: app.id });
      const options = await stopped();
      await recorded;
      return options;
    };
    assert.deepEqual(await asked(), [undefined, undefined, undefined]);
    await withSetting('recording.system', 'jank', async () => {
      assert.deepEqual(await asked(), [true, 'jank', undefined]);
      // What cannot record its system is not asked to.
      app.recordsSystem = false;
      assert.deepEqual(await asked(), [undefined, undefined, undefined]);
      app.recordsSystem = true;
    });
    const config = scratchFile('own.pbtx');
    await writeFile(config, 'duration_ms: 5\n');
    await withSetting('recording.systemConfig', config, () =>
      withSetting('recording.system', 'file', async () =>
        assert.deepEqual(await asked(), [true, undefined, 'duration_ms: 5\n']),
      ),
    );
    await rm(config);

    // The row of the system's trace, then a preset of it; that row again, where the preset comes first; then what to look at.
    await withPerson({ choices: ['Start-up', /./] }, async ({ picks }) => {
      const recorded = recorder.recordTarget(app);
      const accept = 'workbench.action.acceptSelectedQuickOpenItem';
      for (const [at, name] of ['Off', 'Start-up'].entries()) {
        const pick = await until('it is asked', () => picks[at]);
        await until('there are rows', () => pick.activeItems.length > 0);
        pick.value = 'System';
        await until('it is on that row', () => pick.activeItems[0]?.label === `System’s trace: ${name}`);
        await vscode.commands.executeCommand(accept);
      }
      const last = await until('it is asked again', () => picks[2]);
      assert.ok(last.items.some(({ label }) => label === 'System’s trace: Start-up'));
      await until('a preset is active', () => last.activeItems.length > 0);
      await vscode.commands.executeCommand(accept);
      assert.deepEqual(await stopped(), [true, 'startUp', undefined]);
      await recorded;
    });
  });

  it('says why the system is not recorded, and records the app without it when asked to', async () => {
    const app = target('com.example.shop');
    app.recordsSystem = true;
    app.failure = new TargetError('not-permitted', 'The device does not trace.', 'Leave out --system.', {
      about: 'system',
    });
    const record = (): Thenable<string> =>
      vscode.commands.executeCommand('btrace.record', { target: app.id });
    await withSetting('recording.system', 'usual', async () => {
      const toasts = await toastsOf({}, record);
      assert.deepEqual(
        toasts.map(({ text, buttons }) => [text, ...buttons]),
        [
          [
            'The device does not trace. Record without the system’s trace, or choose another one in btrace.recording.system.',
            'Record Without It',
            'Show Log',
          ],
        ],
      );
      await withPerson({ buttons: ['Record Without It'] }, async () => {
        const start = app.start.bind(app);
        // The system alone fails.
        app.start = (options) => {
          if (options.system !== true) app.failure = undefined;
          return start(options);
        };
        await record();
        const { sessions } = (await btrace()).parts.recorder;
        await until('it records', () => sessions.all.length > 0);
        assert.equal(app.options!.system, undefined);
        await vscode.commands.executeCommand('btrace.stop');
        await until('it has ended', () => sessions.all.length === 0);
      });
    });
    await withSetting('recording.system', 'file', async () => {
      const [toast] = await toastsOf({}, record);
      assert.match(toast!.text, /cannot be read: btrace\.recording\.systemConfig is empty\. Set btrace/);
      assert.deepEqual(toast!.buttons, ['Open Settings', 'Show Log']);
    });
  });

  it('records several at once and ends them one by one', async () => {
    const [one, two] = [target('one'), target('two')];
    const { parts } = await btrace();
    const first = vscode.commands.executeCommand<string>('btrace.record', { target: 'one' });
    const second = vscode.commands.executeCommand<string>('btrace.record', { target: 'two' });
    await until('both record', () => parts.recorder.sessions.all.length === 2);
    const idOfTwo = parts.recorder.sessions.all.find((active) => active.target === two)!.id;
    await vscode.commands.executeCommand('btrace.stop', idOfTwo);
    assert.equal(await second, two.sessions[0]!.file);
    assert.deepEqual(
      parts.recorder.sessions.all.map((active) => active.target.name),
      ['one'],
    );
    await vscode.commands.executeCommand('btrace.stop');
    assert.equal(await first, one.sessions[0]!.file);
    assert.notEqual(one.sessions[0]!.file, two.sessions[0]!.file);
  });

  it('tells two programs of one name apart wherever they are named', async () => {
    const [first, second] = [target('till'), target('till')];
    const { parts } = await btrace();
    const ends: Thenable<string>[] = [];
    for (const { id, sessions } of [first, second]) {
      ends.push(vscode.commands.executeCommand<string>('btrace.record', { target: id }));
      await until('it records', () => sessions.length > 0);
    }
    await until('both are listed', () => parts.recorder.sessions.all.length === 2);
    const names = ['till', `till · ${String(second.pid)}`];
    assert.deepEqual(
      parts.recorder.sessions.all.map(({ name }) => name),
      names,
    );
    const rows = (await parts.targets.getChildren()).filter(({ type }) => type === 'session');
    assert.deepEqual(
      rows.map((row) => parts.targets.getTreeItem(row).label),
      names,
    );
    await withPerson({ choices: [names[1]!], inputs: ['5'] }, () =>
      Promise.resolve(vscode.commands.executeCommand('btrace.dump')),
    );
    assert.deepEqual([first.sessions[0]!.dumped.length, second.sessions[0]!.dumped.length], [0, 1]);
    for (const { id } of parts.recorder.sessions.all) await vscode.commands.executeCommand('btrace.stop', id);
    await Promise.all(ends);
  });

  it('says that a program is already being recorded, and shows that recording', async () => {
    const till = target('till');
    const first = vscode.commands.executeCommand<string>('btrace.record', { target: till.id });
    await until('it records', () => till.sessions.length > 0);
    const toasts = await toastsOf({ buttons: ['Stop and Open'] }, async () => {
      assert.equal(await vscode.commands.executeCommand('btrace.record', { target: till.id }), undefined);
      assert.equal(await first, till.sessions[0]!.file);
    });
    assert.deepEqual(
      toasts.map(({ kind, text, buttons }) => [kind, text, ...buttons]),
      [
        [
          'error',
          'till is being recorded already. Stop that recording to begin another one.',
          'Stop and Open',
          'Watch',
          'Show Log',
        ],
      ],
    );
    assert.equal(till.sessions.length, 1);
  });

  it('lists what is being recorded with how long it goes on, and without a time of day', async () => {
    const till = target('till');
    const recorded = vscode.commands.executeCommand<string | undefined>('btrace.record', { target: 'till' });
    const [session] = await until('it records', () => till.sessions.length > 0 && till.sessions);
    const { recordings } = (await btrace()).parts;
    const row = await until('it is listed', async () =>
      (await recordings.getChildren()).find(({ file }) => file === session!.file),
    );
    const { label, description } = await recordings.getTreeItem(row);
    const told = new Promise<unknown>((resolve) =>
      recordings.onDidChangeTreeData((rows) => rows && resolve(rows)),
    );
    await vscode.commands.executeCommand('btrace.targets.focus'); // the view beside it is seen, too
    assert.deepEqual(
      ((await told) as (typeof row)[]).map(({ file }) => file),
      [session!.file],
      'its row, and no other, is drawn again and again',
    );
    await vscode.commands.executeCommand('btrace.cancel');
    await recorded;
    assert.match(label as string, /^0:\d\d till$/);
    assert.match(String(description), /^recording… · /);
  });

  it('marks the recorded target in the list and leaves the other rows as they are', async () => {
    const till = target('till');
    const recorded = vscode.commands.executeCommand<string | undefined>('btrace.record', { target: 'till' });
    const session = await until('it records', () => till.sessions[0]);
    const { targets } = (await btrace()).parts;
    await vscode.commands.executeCommand('btrace.targets.focus');
    const rows = await new Promise<readonly TargetNode[]>((resolve) =>
      targets.onDidChangeTreeData((drawn) => drawn && drawn.length > 0 && resolve(drawn)),
    );
    assert.deepEqual(
      rows.map((row) => row.type === 'session' && row.active.session),
      [session],
    );
    assert.equal(targets.getTreeItem(rows[0]!).contextValue, 'sessionWithRing');
    session.whyNoDump = new TargetError('not-supported', 'It keeps no ring.', '');
    assert.equal(targets.getTreeItem(rows[0]!).contextValue, 'session');
    await vscode.commands.executeCommand('btrace.cancel');
    await recorded;
  });

  it('opens nothing when it was cancelled', async () => {
    const till = target('till');
    const recorded = vscode.commands.executeCommand<string | undefined>('btrace.record', { target: 'till' });
    await until('it records', () => till.sessions.length > 0);
    await vscode.commands.executeCommand('btrace.cancel');
    assert.equal(await recorded, undefined);
    assert.equal(activeTabInput(), undefined);
  });

  it('keeps nothing of a recording that was cancelled while it began', async () => {
    const till = target('till');
    const { recorder } = (await btrace()).parts;
    const giveUp = new AbortController();
    till.begun = () => giveUp.abort(); // too late for the target to hear of it
    const request = { target: till, preset: 'balanced', fromLaunch: false } as const;
    await assert.rejects(recorder.start(request, giveUp.signal), { name: 'AbortError' });
    assert.equal((await till.sessions[0]!.ended).reason, 'cancelled');
    assert.deepEqual(recorder.sessions.all, []);
  });

  it('completes the recording when the window closes', async () => {
    const [one, two] = [target('one'), target('two')];
    const { sessions } = (await btrace()).parts.recorder;
    const recorded = [one, two].map(({ id }) =>
      vscode.commands.executeCommand<string>('btrace.record', { target: id }),
    );
    await until('both record', () => sessions.all.length === 2);
    const { unfinished } = (await btrace()).parts.recorder.store;
    await until('the next window would know', async () => (await unfinished.all()).length === 2);
    const ends = await sessions.stopAll();
    assert.deepEqual(
      ends.map(({ reason }) => reason),
      ['stopped', 'stopped'],
    );
    for (const file of await Promise.all(recorded)) assert.ok(existsSync(file));
    assert.deepEqual(sessions.all, []);
    assert.deepEqual(await unfinished.all(), []);
  });

  it('reports once a recording that ended with a closed window, and nothing else', async () => {
    const { recorder } = (await btrace()).parts;
    const { unfinished } = recorder.store;
    const folder = path.join(recorder.store.folder().path, 'unfinished');
    const gone = spawnSync(process.execPath, ['--version']).pid;
    const leave = async (target: string, host: number, isThere = true): Promise<string> => {
      const file = scratchFile(`${target}.btrace`);
      if (isThere) await writeFile(file, 'without an end');
      const before = await readdir(folder).catch((): string[] => []);
      await unfinished.add(file, target);
      const [note] = (await readdir(folder)).filter((name) => !before.includes(name));
      await writeFile(path.join(folder, note!), JSON.stringify({ file, target, host }));
      return file;
    };
    const others = await leave('others', process.ppid);
    await leave('killed', gone);
    await leave('deleted', gone, false);
    const strays = { 'a.json': '{"file":7,"target":"stray"}', 'b.json': '{"file":', 'c.json': 'null' };
    for (const [name, text] of Object.entries(strays)) await writeFile(path.join(folder, name), text);
    // Two windows that open at once.
    const toasts = await toastsOf({}, () =>
      Promise.all([recorder.tellUnfinished(), recorder.tellUnfinished()]),
    );
    assert.deepEqual(
      toasts.map(({ text }) => /recording of (\w+) ended with its window/.exec(text)?.[1]),
      ['killed'],
    );
    assert.deepEqual(
      (await unfinished.all()).map(({ file }) => file),
      [others],
    );
    // That window is gone as well, and its file was not written to since.
    await utimes(others, 1, 1);
    assert.equal((await toastsOf({}, () => recorder.tellUnfinished())).length, 1);
    assert.deepEqual(await unfinished.all(), []);
    for (const name of Object.keys(strays)) await rm(path.join(folder, name));
  });

  it('opens the recording when the program ends by itself', async () => {
    const till = target('till');
    const recorded = vscode.commands.executeCommand<string>('btrace.record', { target: 'till' });
    await until('it records', () => till.sessions.length > 0);
    await till.sessions[0]!.end('target-exited', 'The program ended.');
    assert.ok(existsSync(await recorded));
  });

  it('leaves nothing behind when a target refuses, and goes on', async () => {
    const till = target('till');
    till.failure = new TargetError('busy', 'Another agent is in there.', 'Stop the other one.');
    assert.equal(await vscode.commands.executeCommand('btrace.record', { target: 'till' }), undefined);
    const { parts } = await btrace();
    assert.deepEqual(parts.recorder.sessions.all, []);
    assert.equal(
      await vscode.commands.executeCommand('btrace.record', { target: 'nobody is called so' }),
      undefined,
    );
    assert.equal(
      await vscode.commands.executeCommand('btrace.record', { target: 'till', preset: 'no such' }),
      undefined,
    );
  });

  it('keeps the newest recordings of its own, and all that were renamed or are open', async () => {
    const { parts } = await btrace();
    const folder = parts.recorder.store.folder();
    assert.ok(folder.own);
    const record = async (): Promise<string> => {
      const till = target('till');
      const recorded = vscode.commands.executeCommand<string>('btrace.record', { target: till.id });
      const [session] = await until('it records', () => till.sessions.length > 0 && till.sessions);
      await session!.stop();
      return recorded;
    };
    const named = await parts.recordings.renameTo(
      (await parts.recorder.store.list()).find(({ file }) => file.includes('till')) ??
        assert.fail('a recording is there from the tests before'),
      'my own: name?',
    );
    assert.equal(path.basename(named), 'my own_ name_.btrace');
    await withSetting('recording.keep', 2, async () => {
      await record();
      await record();
      await record();
    });
    await withSetting('recording.keep', 1, async () => {
      const long = target('long');
      const recording = vscode.commands.executeCommand<string>('btrace.record', { target: long.id });
      await until('it records', () => long.sessions.length > 0);
      await record();
      await record();
      assert.ok(existsSync(long.sessions[0]!.file), 'what is being written stays');
      await vscode.commands.executeCommand('btrace.stop');
      await recording;
    });
    const { store } = parts.recorder;
    const inTabs = [...(await store.open.all())];
    assert.ok(inTabs.length > 2, 'those of this test are open');
    assert.deepEqual(
      inTabs.filter((file) => !existsSync(file)),
      [],
      'what is open stays',
    );
    const [others, gone] = inTabs;
    await closeAll();
    await store.open.tell();
    // Of another window, and of one that is gone.
    const note = (host: number): string => path.join(folder.path, 'open', `${String(host)}.json`);
    await writeFile(note(process.ppid), JSON.stringify([others]));
    await writeFile(note(spawnSync(process.execPath, ['--version']).pid), JSON.stringify([gone]));
    await withSetting('recording.keep', 1, record);
    assert.ok(existsSync(others!), 'what another window has open stays');
    assert.equal(existsSync(gone!), false);
    assert.deepEqual(
      (await readdir(path.dirname(note(0)))).sort(),
      [process.pid, process.ppid].map((pid) => `${String(pid)}.json`).sort(),
    );
    await rm(note(process.ppid));
    await withSetting('recording.keep', 2, record);
    const names = (await readdir(folder.path)).filter((name) => name.endsWith('.btrace'));
    assert.equal(names.filter((name) => /\d{4}-\d\d-\d\d/.test(name)).length, 2);
    assert.ok(names.includes(path.basename(named)));
  });

  it('makes the folder that the settings name, where git does not see it', async () => {
    const { store } = (await btrace()).parts.recorder;
    await withSetting('recording.folder', 'made/recordings', async () => {
      const file = await store.newFile('till');
      assert.equal(path.dirname(file), workspaceFile('made/recordings').fsPath);
      assert.equal(store.folder().own, false);
      assert.ok(existsSync(path.join(path.dirname(file), '.gitignore')));
    });
    await vscode.workspace.fs.delete(workspaceFile('made'), { recursive: true });
  });

  it('says in words what is wrong with a folder that cannot be used, where it lists and where it records', async () => {
    const { recordings, recorder } = (await btrace()).parts;
    const till = target('till');
    const file = scratchFile('no folder');
    await writeFile(file, '');
    await withSetting('recording.folder', path.join(file, 'recordings'), async () => {
      assert.deepEqual(await recordings.getChildren(), []);
      const toasts = await toastsOf({}, () =>
        vscode.commands.executeCommand('btrace.record', { target: 'till' }),
      );
      assert.equal(toasts.length, 1);
      assert.match(toasts[0]!.text, /^The folder for recordings cannot be used: .*recording\.folder\.$/);
      assert.deepEqual(toasts[0]!.buttons, ['Open Settings', 'Show Log']);
    });
    assert.deepEqual([till.sessions, recorder.sessions.all], [[], []]);
  });

  it('applies the settings', async () => {
    const till = target('till');
    await withSetting('recording.preset', 'custom', () =>
      withSetting('recording.custom', { intervalMicros: 250, mainThreadOnly: true }, () =>
        withSetting('recording.ringSeconds', 30, () =>
          withSetting('recording.nativeFrom', 'auto', async () => {
            const recorded = vscode.commands.executeCommand('btrace.record', { target: 'till' });
            await until('it records', () => till.sessions.length > 0);
            await vscode.commands.executeCommand('btrace.stop');
            await recorded;
          }),
        ),
      ),
    );
    assert.equal(till.options!.nativeFrom, 'auto');
    assert.equal(till.options!.syncIntervalNs, 250_000);
    assert.equal(till.options!.mainOnly, true);
    assert.equal(till.options!.policy, 'ring');
    assert.equal(till.options!.ringNs, 30e9);
  });
});
