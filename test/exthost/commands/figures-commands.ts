/** Figures in the source, the names in them, and queries. */
import assert from 'node:assert/strict';
import { rm, writeFile } from 'node:fs/promises';
import * as vscode from 'vscode';
import { btrace, closeAll, openRecording, scratchFile, withSetting } from '../btrace.js';
import { toastsOf, withPerson } from '../person.js';
import { isOneError, isOpen, run, stored } from './command-tests.js';
import type { CommandTests } from './command-tests.js';

export const figuresCommands: CommandTests = {
  async showFigures() {
    const { figures } = (await btrace()).parts;
    const { file } = await stored('shown');
    await openRecording(file);
    await isOpen(file);
    await withSetting('figures.show', 'off', async () => {
      await run('showFigures');
      assert.equal(figures.figures?.recording.fsPath, file);
      assert.equal(vscode.workspace.getConfiguration('btrace').get('figures.show'), 'all');
    });
    isOneError(
      await toastsOf({}, () => run('showFigures', vscode.Uri.file(scratchFile('gone.btrace')))),
      /^gone\.btrace is not there any more\. It was moved/,
    );
    assert.equal(figures.figures?.recording.fsPath, file, 'what was shown stays');
  },
  async chooseFigures() {
    const shown = (): unknown => vscode.workspace.getConfiguration('btrace').get('figures.show');
    assert.equal(shown(), 'all', 'everything, until a person chooses less');
    await toastsOf({ choices: [/ Methods$/] }, () => run('chooseFigures'));
    assert.equal(shown(), 'lens');
    await toastsOf({ choices: [/ Everything$/] }, () => run('chooseFigures'));
    assert.equal(shown(), 'all');
    await toastsOf({}, () => run('chooseFigures')); // left without an answer
    assert.equal(shown(), 'all');
    const settings = vscode.workspace.getConfiguration('btrace');
    await settings.update('figures.show', undefined, vscode.ConfigurationTarget.Global);
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
  async query() {
    const { queries } = (await btrace()).parts;
    const { file } = await stored('queried');
    await openRecording(file);
    await isOpen(file);
    await withPerson({ choices: ['New query'] }, async () => await run('query'));
    const document = vscode.window.activeTextEditor?.document;
    assert.equal(document?.languageId, 'btrace-sql');
    await run('runQuery');
    assert.equal(queries.answered?.recording.fsPath, file);
    assert.ok(queries.answered.result.rows.length > 0);
  },
  async runQuery() {
    await closeAll();
    const { queries } = (await btrace()).parts;
    const { answered } = queries;
    await run('runQuery'); // no query is in front
    assert.equal(queries.answered, answered);
  },
};
