/** Opening recordings, and the list of those that were made. */
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import * as vscode from 'vscode';
import { activeTabInput, btrace, closeAll, openRecording, scratchFile } from '../btrace.js';
import { titles } from '../figures.js';
import { toastsOf, withPerson } from '../person.js';
import { tillMethods, writeRecording } from '../recordings.js';
import { until } from '../../rigs/until.js';
import { isOneError, isOpen, recording, run, stored } from './command-tests.js';
import type { CommandTests } from './command-tests.js';

export const recordingsCommands: CommandTests = {
  async openRecording() {
    const file = scratchFile('chosen.btrace');
    await writeRecording(file, { methods: tillMethods, stacks: [[0]], samples: 5 });
    await toastsOf({ openFiles: [vscode.Uri.file(file)] }, () => run('openRecording'));
    await isOpen(file);
  },
  async openWith() {
    const file = scratchFile('stacks.collapsed');
    await writeFile(file, 'main;work 3\nmain;rest 1\n');
    const uri = vscode.Uri.file(file);
    // As text first: it is said once that there is something better.
    const said = await withPerson({ buttons: ['Open with BTrace'] }, async ({ toasts }) => {
      await vscode.commands.executeCommand('vscode.openWith', uri, 'default');
      await isOpen(file);
      await closeAll();
      await vscode.commands.executeCommand('vscode.openWith', uri, 'default');
      await until('it is open as text', () => activeTabInput() instanceof vscode.TabInputText);
      return [...toasts];
    });
    assert.deepEqual(
      said.map(({ text }) => text),
      ['stacks.collapsed is a trace or profile that BTrace can show.'],
    );
    await run('openWith', uri);
    await isOpen(file);
  },
  async openSample() {
    const { parts } = await btrace();
    const sample = vscode.extensions.getExtension('btrace.btrace')!.extensionUri;
    const file = vscode.Uri.joinPath(sample, 'media/sample/shop.btrace');
    await run('openSample');
    await isOpen(file.fsPath);
    await until('its figures are there', () => parts.figures.figures?.recording.fsPath === file.fsPath);
    const found = {
      className: 'com.example.shop.Search',
      method: 'distance',
      signature: '',
      file: 'Search.java',
    };
    await parts.openSource(file, { ...found, line: 0 }, 'go', 0, true);
    const { document } = await until('its source is there', () => vscode.window.activeTextEditor);
    assert.equal(document.uri.toString(), 'btrace-sample:/com/example/shop/Search.java');
    await until('with figures', async () => (await titles(document.uri)).length > 0);
    assert.ok(!(await titles(document.uri)).join().includes('before the last edit'));
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
};
