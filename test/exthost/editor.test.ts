import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import * as vscode from 'vscode';
import { activeTabInput, btrace, closeAll, openRecording, scratchFile } from './btrace.js';
import { withPerson } from './person.js';
import { tillMethods, writeRecording } from './recordings.js';
import { until } from './until.js';

describe('the editor of recordings', () => {
  const recording = scratchFile('till.btrace');

  before(() => writeRecording(recording, { methods: tillMethods, stacks: [[0, 1], [2]], samples: 200 }));
  afterEach(closeAll);

  it('opens *.btrace by default, and its page decodes it', async () => {
    const { parts } = await btrace();
    const said: string[] = [];
    const listening = parts.editors.onDidSay(({ message }) => said.push(message.type));
    const opened = new Promise((resolve) => parts.editors.onDidOpen(resolve));
    await vscode.commands.executeCommand('vscode.open', vscode.Uri.file(recording));
    await opened;
    listening.dispose();
    assert.deepEqual(said.slice(0, 2), ['ready', 'opened']);
    await until('its tab is our editor', () => {
      const input = activeTabInput();
      return input instanceof vscode.TabInputCustom && input.viewType === 'btrace.recording';
    });
  });

  it('says of what is no trace what it is', async () => {
    const file = scratchFile('picture.btrace');
    await writeFile(
      file,
      Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, ...new Array<number>(200).fill(0)]),
    );
    const { parts } = await btrace();
    const said = new Promise<string>((resolve) => {
      parts.editors.onDidSay(({ message }) => {
        if (message.type === 'notTrace') resolve(message.what);
      });
    });
    await vscode.commands.executeCommand('vscode.open', vscode.Uri.file(file));
    assert.notEqual(await said, '');
  });

  it('offers the text editor for what is no trace, and opens it there', async () => {
    const file = scratchFile('letter.btrace');
    await writeFile(file, 'Dear reader, this is a letter.\n');
    await withPerson({ buttons: ['Open as Text'] }, async ({ toasts }) => {
      await vscode.commands.executeCommand('vscode.open', vscode.Uri.file(file));
      await until(
        'its text is shown',
        () => vscode.window.activeTextEditor?.document.uri.fsPath === file && toasts.length > 0,
      );
      assert.match(toasts[0]!.text, /^letter\.btrace is not a recording that BTrace can read: /);
      assert.deepEqual(
        vscode.window.tabGroups.all.flatMap(({ tabs }) => tabs.map(({ label }) => label)),
        ['letter.btrace'],
      );
    });
  });

  it('exports in the formats of other tools', async () => {
    await openRecording(recording);
    const to = scratchFile('till.collapsed');
    await vscode.commands.executeCommand('btrace.exportAs', vscode.Uri.file(recording), {
      format: 'collapsed',
      to: vscode.Uri.file(to),
    });
    assert.match(
      await readFile(to, 'utf8'),
      /com\.example\.shop\.Till\.ring;com\.example\.shop\.Till\.count \d+/,
    );
    const html = scratchFile('till.html');
    await vscode.commands.executeCommand('btrace.exportAs', vscode.Uri.file(recording), {
      format: 'html',
      to: vscode.Uri.file(html),
    });
    const page = await readFile(html, 'utf8');
    assert.match(page, /^<!DOCTYPE html>[\s\S]*<\/html>\n$/);
    const pieces = [...page.matchAll(/class="btrace-data">([^<]*)</g)].map((match) => match[1]!);
    const inside = Buffer.concat(pieces.map((piece) => Buffer.from(piece, 'base64')));
    assert.ok(inside.equals(await readFile(recording)), 'the recording is inside, byte by byte');
  });

  it('opens a trace of another tool by choice, and exports it', async () => {
    const file = scratchFile('stacks.collapsed');
    await writeFile(file, 'main;work;sum 10\nmain;wait 5\n');
    const { parts } = await btrace();
    const opened = new Promise((resolve) => parts.editors.onDidOpen(resolve));
    await vscode.commands.executeCommand('vscode.openWith', vscode.Uri.file(file), 'btrace.foreign');
    await opened;
    const to = scratchFile('stacks.csv');
    await vscode.commands.executeCommand('btrace.exportAs', vscode.Uri.file(file), {
      format: 'csv',
      to: vscode.Uri.file(to),
    });
    assert.match(await readFile(to, 'utf8'), /sum/);
  });

  it('says of a file that is gone that it is', async () => {
    await withPerson({}, async ({ toasts }) => {
      await vscode.commands.executeCommand('vscode.open', vscode.Uri.file(scratchFile('gone.btrace')));
      await until('it is said', () => toasts.length > 0);
      assert.match(toasts[0]!.text, /^gone\.btrace is not there any more\. It was moved/);
    });
  });
});
