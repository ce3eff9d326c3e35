/** Names of a million characters, as a hostile recording or a generated class may have them: nothing hangs, and what is shown is short. */
import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import type { Target } from '../../src/targets/target.js';
import { btrace, closeAll, openRecording, scratchFile, workspaceFile } from './btrace.js';
import { hoverText, lenses, titles } from './figures.js';
import { assertShortTurns } from './longest-turn.js';
import { toastsOf, withPerson } from './person.js';
import { tillMethods, writeRecording, type RecordedMethod } from './recordings.js';
import { ScriptedTarget, ScriptedTargets } from './scripted-targets.js';
import { until } from '../rigs/until.js';

const short = (part: string): string => part;
const long = (part: string): string => part.repeat(Math.ceil(2 ** 20 / part.length));
const shop = 'com.example.shop';
const ofTill = { className: `${shop}.Till`, signature: '(I)V', file: 'Till.java', line: 12 };

/** Each with a shape that somebody might look at more than once. */
const methodsOf = (long: (part: string) => string): readonly RecordedMethod[] => [
  ...tillMethods,
  { ...ofTill, name: long('n') },
  { ...ofTill, name: long('lambda$') },
  { ...ofTill, name: long('a-') },
  { ...ofTill, name: 'count', signature: `(${long('Lx/Y;')})V` },
  { ...ofTill, name: 'ring', className: `${shop}.${long('Till$')}` },
  { ...ofTill, name: 'ring', className: long('com.') },
  { ...ofTill, name: 'ring', className: `${shop}.Of`, file: `${long('f')}.java` },
  { ...ofTill, name: 'ring', className: `${shop}.In`, file: long('../') },
  { className: '', name: long('a<'), signature: '', file: '', line: 0 },
  { className: '', name: `f(${long('(')}`, signature: '', file: '', line: 0 },
  { className: '', name: `${long('f ')} (lib.so)`, signature: '', file: long('/lib'), line: 1 },
];

/** Longer than what anybody reads. */
const bound = 2000;

describe('names of a million characters', () => {
  const recording = scratchFile('long.btrace');
  let uri: vscode.Uri;

  async function write(file: string, methods: readonly RecordedMethod[]): Promise<void> {
    // Each calls `count` and is called by `ring`.
    const stacks = methods.map((_, at) => [0, at, 1]);
    await writeRecording(file, { methods, stacks, samples: 300, startedMs: Date.now() + 60_000 });
  }

  async function showFigures(file: string): Promise<void> {
    const { figures } = (await btrace()).parts;
    await vscode.commands.executeCommand('btrace.showFigures', vscode.Uri.file(file));
    assert.equal(figures.figures?.recording.fsPath, file);
    const shown = await titles(uri);
    assert.equal(shown.length, 3, shown.join('\n').slice(0, bound));
    for (const title of shown) assert.ok(title.length < 200, title.slice(0, bound));
    for (const { range } of await lenses(uri)) {
      const text = await hoverText(uri, range.start);
      assert.ok(text.length < bound, text.slice(0, bound));
    }
  }

  async function openSources(methods: readonly RecordedMethod[]): Promise<void> {
    const { sources } = (await btrace()).parts;
    for (const { name, ...method } of methods) {
      const key = { ...method, method: name };
      const toasts = await toastsOf({}, () => sources.open(key, 'replace'));
      for (const { text } of toasts) assert.ok(text.length < bound, text.slice(0, bound));
    }
  }

  before(async function () {
    uri = workspaceFile('src/com/example/shop/Till.java');
    await write(recording, methodsOf(long));
    await vscode.workspace.openTextDocument(uri);
    // All of it once with ordinary names: what is compiled and loaded for them is no matter of how long a name is.
    const ordinary = scratchFile('short.btrace');
    await write(ordinary, methodsOf(short));
    await showFigures(ordinary);
    await openRecording(ordinary);
    await openSources(methodsOf(short));
  });
  after(async () => {
    await vscode.commands.executeCommand('btrace.hideFigures');
    await closeAll();
  });

  it('do not slow the host, and are shortened in lenses and hovers', async function () {
    await assertShortTurns(() => showFigures(recording));
  });

  it('open in the page', async function () {
    await assertShortTurns(() => openRecording(recording));
  });

  it('lead to a source, or to a message that can be read', async function () {
    await assertShortTurns(() => openSources(methodsOf(long)));
  });

  it('make no row of the list of targets, nor of the view, long', async () => {
    const api = await btrace();
    const source = new ScriptedTargets();
    const target: Target = Object.assign(new ScriptedTarget(long('till'), 980_000), { detail: long('-cp ') });
    const labelled: Target = Object.assign(new ScriptedTarget(long('till'), 980_001), {
      label: long('Till'),
    });
    source.targets.push(target, labelled);
    const added = api.addTargetSource(source);
    try {
      await withPerson({}, async ({ picks }) => {
        const asked = vscode.commands.executeCommand('btrace.record');
        const pick = await until('it asks', () => picks[0]);
        const rows = await until('they are listed', () => {
          const found = pick.items.filter(({ label }) => /till/i.test(label));
          return found.length >= 2 && found;
        });
        for (const { label, description, detail } of rows)
          for (const text of [label, description, detail]) assert.ok((text?.length ?? 0) < bound);
        pick.hide();
        await asked;
      });
      for (const one of [target, labelled]) {
        const { label, description, tooltip } = api.parts.targets.getTreeItem({
          type: 'target',
          target: one,
        });
        for (const text of [label, description, tooltip]) assert.ok((text as string).length < bound);
      }
    } finally {
      added.dispose();
    }
  });
});
