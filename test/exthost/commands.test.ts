/** Each command that the manifest contributes, from its call to what it does, and to what it says when it cannot. */
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import * as vscode from 'vscode';
import type { HostMessage } from '../../src/protocol/messages.js';
import { TargetError } from '../../src/targets/target.js';
import { activeTabInput, btrace, closeAll, openRecording, scratchFile, withSetting } from './btrace.js';
import { toastsOf, withPerson, type Toast } from './person.js';
import { tillMethods, writeRecording } from './recordings.js';
import { ScriptedTarget, ScriptedTargets, type ScriptedSession } from './scripted-targets.js';
import { until } from './until.js';

const source = new ScriptedTargets();
let nextPid = 930_000;

function target(name: string): ScriptedTarget {
  const one = new ScriptedTarget(name, nextPid++);
  source.targets.push(one);
  return one;
}

function run<T>(command: string, ...given: unknown[]): Thenable<T> {
  return vscode.commands.executeCommand<T>(`btrace.${command}`, ...given);
}

/** One toast: what happened, what to do, and where the whole story is. */
function isOneError(toasts: readonly Toast[], text: RegExp): void {
  assert.equal(toasts.length, 1, JSON.stringify(toasts));
  assert.equal(toasts[0]!.kind, 'error');
  assert.match(toasts[0]!.text, text);
  assert.ok(toasts[0]!.buttons.includes('Show Log'));
}

async function isOpen(file: string): Promise<void> {
  await until(`${path.basename(file)} is open`, () => {
    const input = activeTabInput();
    return input instanceof vscode.TabInputCustom && input.uri.fsPath === file;
  });
}

/** While a scripted program is recorded. */
async function recording(work: (session: ScriptedSession, id: number) => Promise<unknown>): Promise<void> {
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
async function stored(name: string) {
  const { recorder } = (await btrace()).parts;
  const file = await recorder.store.newFile(name);
  await writeRecording(file, { methods: tillMethods, stacks: [[0, 1]], samples: 20 });
  const found = (await recorder.store.list()).find((one) => one.file === file);
  assert.ok(found);
  return found;
}

/** Accepts what is active in a list, once it is there. */
async function accept(pick: vscode.QuickPick<vscode.QuickPickItem>, label: string): Promise<void> {
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

const tests: Readonly<Record<string, () => Promise<void>>> = {
  async record() {
    const till = target('commands.Asked');
    await withPerson({}, async ({ picks }) => {
      const recorded = run<string>('record');
      await until('the targets are listed', () => picks.length === 1);
      await accept(picks[0]!, 'commands.Asked');
      await until('the presets are listed', () => picks.length === 2);
      await accept(picks[1]!, 'Memory');
      const [session] = await until('it records', () => till.sessions.length > 0 && till.sessions);
      assert.equal(till.options!.allocationIntervalBytes, 8 * 1024);
      await session!.stop();
      await isOpen(await recorded);
    });
    // Recorded from its launch alone, as an app that has our library in it.
    Object.assign(till, {
      refusal: 'It is not debuggable.',
      launchable: true,
      launchNeedsLibrary: true,
      label: 'Shop\u202etill',
    });
    isOneError(await toastsOf({}, () => run('record', { target: till.id })), /^It is not debuggable\./);
    await withPerson({}, async ({ picks }) => {
      const recorded = run<string>('record');
      await until('the targets are listed', () => picks.length === 1);
      await accept(picks[0]!, 'Shop till');
      const [{ description }] = picks[0]!.selectedItems as [vscode.QuickPickItem];
      assert.match(description ?? '', /^commands\.Asked · \d+ · Script$/);
      await until('the presets are listed', () => picks.length === 2);
      assert.match(picks[1]!.items[0]!.label, /^From launch, with BTrace's library in it/);
      await accept(picks[1]!, 'Balanced');
      const session = await until('it records', () => till.sessions[1]);
      assert.equal(till.options!.fromLaunch, true);
      await session.stop();
      await isOpen(await recorded);
    });
    till.refusal = undefined;
    till.failure = new TargetError('busy', 'Another agent is in there.', 'Stop the other one.');
    isOneError(
      await toastsOf({}, () => run('record', { target: till.id })),
      /^Another agent is in there\. Stop the other one\.$/,
    );
  },
  async recordFromStart() {
    // A command that ends without a Java program in it, or no agent on this machine: said once, and nothing is left.
    const { recorder } = (await btrace()).parts;
    await withPerson({ inputs: [''] }, async ({ picks, toasts }) => {
      const recorded = run('recordFromStart');
      await until('it asks for the command', () => picks.length === 1);
      picks[0]!.value = 'true';
      await until('there is an entry', () => picks[0]!.activeItems.length > 0);
      await vscode.commands.executeCommand('workbench.action.acceptSelectedQuickOpenItem');
      await until('it asks for the preset', () => picks.length === 2);
      await accept(picks[1]!, 'Balanced');
      assert.equal(await recorded, undefined);
      isOneError(toasts, /./);
    });
    assert.deepEqual(recorder.sessions.all, []);
  },
  async recordTarget() {
    const till = target('commands.FromView');
    await withPerson({}, async ({ picks }) => {
      const recorded = run('recordTarget', { type: 'target', target: till });
      await until('the presets are listed', () => picks.length === 1);
      await accept(picks[0]!, 'Balanced');
      const [session] = await until('it records', () => till.sessions.length > 0 && till.sessions);
      await session!.cancel();
      await recorded;
    });
  },
  async stop() {
    await recording(async (session, id) => {
      await run('stop', id);
      assert.equal((await session.ended).reason, 'stopped');
    });
    const toasts = await toastsOf({}, () => run('stop'));
    assert.deepEqual(
      toasts.map(({ text }) => text),
      ['Nothing is being recorded.'],
    );
  },
  async cancel() {
    await recording(async (session, id) => {
      await run('cancel', id);
      assert.equal((await session.ended).reason, 'cancelled');
    });
    // What has something to lose is asked about.
    await recording(async (session, id) => {
      const { sessions } = (await btrace()).parts.recorder;
      Object.assign(sessions.get(id)!, { startedMs: 0 });
      const [asked] = await toastsOf({}, () => run('cancel', id));
      assert.ok(asked?.modal);
      assert.ok(sessions.get(id), 'without an answer it goes on');
      await toastsOf({ buttons: ['Discard'] }, () => run('cancel', id));
      assert.equal((await session.ended).reason, 'cancelled');
    });
  },
  async dump() {
    await recording(async (session, id) => {
      const file = await withPerson({ inputs: ['5'] }, () => Promise.resolve(run<string>('dump', id)));
      assert.deepEqual(session.dumped, [5e9]);
      await isOpen(file);
      session.dump = () => Promise.reject(new Error('The disk is full.'));
      isOneError(await toastsOf({ inputs: ['5'] }, () => run('dump', id)), /^The disk is full\./);
      session.whyNoDump = new TargetError('not-supported', 'It keeps no ring.', 'Record with one.');
      const told = await toastsOf({}, () => run('dump', id));
      isOneError(told, /^It keeps no ring\. Record with one\.$/);
    });
  },
  async openRecording() {
    const file = scratchFile('chosen.btrace');
    await writeRecording(file, { methods: tillMethods, stacks: [[0]], samples: 5 });
    await toastsOf({ openFiles: [vscode.Uri.file(file)] }, () => run('openRecording'));
    await isOpen(file);
  },
  async exportAs() {
    const { file } = await stored('exported');
    await openRecording(file);
    await isOpen(file);
    const to = scratchFile('exported.csv');
    await toastsOf({ choices: [/CSV/], saveFiles: [vscode.Uri.file(to)] }, () => run('exportAs'));
    assert.match(await readFile(to, 'utf8'), /ring/);
    const nowhere = { format: 'csv', to: vscode.Uri.file('/no/such/folder/x.csv') };
    isOneError(
      await toastsOf({}, () => run('exportAs', vscode.Uri.file(file), nowhere)),
      /^\/no\/such\/folder\/x\.csv is not there\. See that its folder is, or choose another one\.$/,
    );
    for (const format of ['csv', 'html']) {
      const full = scratchFile(`full.${format}`);
      await symlink('/dev/full', `${full}.part`); // what is written until it is whole
      isOneError(
        await toastsOf({}, () =>
          run('exportAs', vscode.Uri.file(file), { format, to: vscode.Uri.file(full) }),
        ),
        /^The disk is full\. Make room on it, or choose a folder on another one\.$/,
      );
      assert.deepEqual(await readdir(path.dirname(full)), [], 'nothing is left behind');
    }
  },
  async compareWith() {
    const { editors } = (await btrace()).parts;
    const [earlier, later] = [await stored('earlier'), await stored('later')];
    const compared = new Promise<string>((resolve) => {
      const listening = editors.onDidSay(({ message }) => {
        if (message.type !== 'compared') return;
        listening.dispose();
        resolve(message.problem);
      });
    });
    await run('compareWith', vscode.Uri.file(later.file), vscode.Uri.file(earlier.file));
    assert.equal(await compared, '');
    await isOpen(later.file);
  },
  async showLog() {
    await run('showLog');
    await until('the log is shown', () =>
      vscode.window.visibleTextEditors.some(
        ({ document }) => document.uri.scheme === 'output' && document.fileName.includes('BTrace'),
      ),
    );
    await vscode.commands.executeCommand('workbench.action.closePanel');
  },
  async refreshTargets() {
    const { targets } = (await btrace()).parts;
    const till = target('commands.Fresh');
    await run('refreshTargets');
    const top = await targets.getChildren();
    const all = [...top, ...(await Promise.all(top.map((node) => targets.getChildren(node)))).flat()];
    assert.ok(all.some((node) => node.type === 'target' && node.target === till));
  },
  async refreshRecordings() {
    const { recordings } = (await btrace()).parts;
    let told = 0;
    const listening = recordings.onDidChangeTreeData(() => told++);
    await run('refreshRecordings');
    listening.dispose();
    assert.equal(told, 1);
  },
  async reopenRecording() {
    const one = await stored('reopened');
    await run('reopenRecording', one);
    await isOpen(one.file);
  },
  async renameRecording() {
    const [one, other] = [await stored('renamed'), await stored('other')];
    await toastsOf({ inputs: ['by me'] }, () => run('renameRecording', one));
    const renamed = path.join(path.dirname(one.file), 'by me.btrace');
    assert.ok(existsSync(renamed) && !existsSync(one.file));
    isOneError(
      await toastsOf({ inputs: ['by me'] }, () => run('renameRecording', other)),
      /^There is a recording called by me\.btrace already\./,
    );
    assert.ok(existsSync(other.file));
    await rm(renamed);
    // What shows it goes with it.
    const { figures } = (await btrace()).parts;
    await openRecording(other.file);
    await until('its figures are shown', () => figures.figures?.recording.fsPath === other.file);
    await toastsOf({ inputs: ['seen'] }, () => run('renameRecording', other));
    const seen = path.join(path.dirname(other.file), 'seen.btrace');
    await isOpen(seen);
    await until('its figures know', () => figures.figures?.recording.fsPath === seen);
    const open = vscode.window.tabGroups.all.flatMap(({ tabs }) => tabs);
    assert.equal(open.length, 1, open.map(({ label }) => label).join());
    await rm(seen);
    await recording(async ({ file }) => {
      const { recorder } = (await btrace()).parts;
      const written = (await recorder.store.list()).find((each) => each.file === file);
      isOneError(
        await toastsOf({ inputs: ['too soon'] }, () => run('renameRecording', written)),
        /is being written\. Stop it first\./,
      );
      assert.ok(existsSync(file));
    });
  },
  async deleteRecording() {
    const one = await stored('deleted');
    // This window is a remote one: there is no trash.
    const [asked] = await toastsOf({}, () => run('deleteRecording', one));
    assert.ok(asked?.modal);
    assert.ok(existsSync(one.file), 'without an answer it stays');
    const { figures } = (await btrace()).parts;
    await openRecording(one.file);
    await until('its figures are shown', () => figures.figures?.recording.fsPath === one.file);
    assert.deepEqual(
      (await toastsOf({ buttons: ['Delete'] }, () => run('deleteRecording', one))).map(({ kind }) => kind),
      ['warning'],
    );
    assert.ok(!existsSync(one.file));
    assert.equal(activeTabInput(), undefined);
    assert.equal(figures.figures, undefined);
    await recording(async ({ file }) => {
      const { recorder } = (await btrace()).parts;
      const written = (await recorder.store.list()).find((each) => each.file === file);
      isOneError(
        await toastsOf({}, () => run('deleteRecording', written)),
        /is being written\. Stop it first\./,
      );
      assert.ok(existsSync(file));
    });
  },
  async revealRecording() {
    const one = await stored('revealed');
    const told = await toastsOf({}, () => run('revealRecording', one));
    assert.deepEqual(
      told.map(({ text }) => text),
      [`The path of the recording was copied: ${one.file}`],
    );
  },
  async showFigures() {
    const { figures } = (await btrace()).parts;
    const { file } = await stored('shown');
    await openRecording(file);
    await isOpen(file);
    await withSetting('figures.show', 'off', async () => {
      await run('showFigures');
      assert.equal(figures.figures?.recording.fsPath, file);
      assert.equal(vscode.workspace.getConfiguration('btrace').get('figures.show'), 'lens');
    });
    isOneError(
      await toastsOf({}, () => run('showFigures', vscode.Uri.file(scratchFile('gone.btrace')))),
      /^gone\.btrace is not there any more\. It was moved/,
    );
    assert.equal(figures.figures?.recording.fsPath, file, 'what was shown stays');
  },
  async hideFigures() {
    const { figures } = (await btrace()).parts;
    await run('showFigures', vscode.Uri.file((await stored('hidden')).file));
    assert.ok(figures.figures);
    await run('hideFigures');
    assert.equal(figures.figures, undefined);
  },
  async chooseMapping() {
    const { figures } = (await btrace()).parts;
    const { file } = await stored('mapped');
    const mapping = scratchFile('mapping.txt');
    await writeFile(
      mapping,
      'com.example.shop.Counter -> com.example.shop.Till:\n    int tally(int) -> count\n',
    );
    const choose = (answers: Parameters<typeof toastsOf>[0]) => toastsOf(answers, () => run('chooseMapping'));
    try {
      await run('showFigures', vscode.Uri.file(file));
      assert.deepEqual(await choose({ choices: ['Browse…'], openFiles: [vscode.Uri.file(mapping)] }), []);
      assert.ok(figures.figures?.columns.name.includes('tally'), figures.figures?.columns.name.join());
      await rm(mapping);
      const toasts = await choose({ choices: ['Browse…'], openFiles: [vscode.Uri.file(mapping)] });
      isOneError(toasts, /^mapping\.txt is not there any more\. Build the program again/);
      assert.ok(toasts[0]!.buttons.includes('Choose R8 Mapping'));
    } finally {
      await choose({ choices: ['The one of the recorded build, or the newest'] });
    }
    assert.ok(!figures.figures?.columns.name.includes('tally'));
  },
  async forgetSources() {
    const toasts = await toastsOf({}, () => run('forgetSources'));
    assert.deepEqual(
      toasts.map(({ kind }) => kind),
      ['information'],
    );
  },
  'page.find': pageCommand('find'),
  'page.timeline': pageCommand('timeline'),
  'page.flameGraph': pageCommand('flameGraph'),
  'page.compare': pageCommand('compare'),
  'page.callTree': pageCommand('callTree'),
  'page.bottomUp': pageCommand('bottomUp'),
  'page.methods': pageCommand('methods'),
  'page.callers': pageCommand('callers'),
  'page.messages': pageCommand('messages'),
  async 'page.exportHtml'() {
    const { file } = await stored('page');
    await openRecording(file);
    await isOpen(file);
    const to = scratchFile('page.html');
    await toastsOf({ saveFiles: [vscode.Uri.file(to)] }, () => run('page.exportHtml'));
    assert.match(await readFile(to, 'utf8'), /^<!DOCTYPE html>/);
    const nowhere = vscode.Uri.file('/no/such/folder/page.html');
    isOneError(await toastsOf({ saveFiles: [nowhere] }, () => run('page.exportHtml')), /\/no\/such\/folder/);
  },
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
