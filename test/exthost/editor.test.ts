import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import * as vscode from 'vscode';
import { Elf } from '../../src/symbols/native/elf.js';
import { readFrom } from '../../src/symbols/read-at.js';
import { map2, perfData, sample } from '../unit/formats/perf-data-files.js';
import { activeTabInput, btrace, closeAll, openRecording, scratchFile, workspaceFile } from './btrace.js';
import { withPerson } from './person.js';
import { tillMethods, writeRecording } from './recordings.js';
import { until } from '../rigs/until.js';

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

  it('opens recordings in the group of other recordings, though a source beside has the focus', async () => {
    const other = scratchFile('other.btrace');
    await writeRecording(other, { methods: tillMethods, stacks: [[0, 1]], samples: 20 });
    await openRecording(recording);
    const showSource = async (): Promise<void> => {
      const document = await vscode.workspace.openTextDocument(
        workspaceFile('src/com/example/shop/Till.java'),
      );
      await vscode.window.showTextDocument(document, vscode.ViewColumn.Two);
    };
    await showSource();
    await openRecording(other);
    const labels = (): string[][] =>
      vscode.window.tabGroups.all.map(({ tabs }) => tabs.map(({ label }) => label));
    assert.deepEqual(labels(), [['till.btrace', 'other.btrace'], ['Till.java']]);
    await showSource();
    await vscode.commands.executeCommand('btrace.openRecording', vscode.Uri.file(recording));
    await until(
      'it is in front',
      () => vscode.window.tabGroups.activeTabGroup.viewColumn === vscode.ViewColumn.One,
    );
    assert.equal(vscode.window.tabGroups.activeTabGroup.activeTab?.label, 'till.btrace');
    assert.deepEqual(labels(), [['till.btrace', 'other.btrace'], ['Till.java']]);
  });

  it('names the code of perf.data from this machine’s files of the same build', async () => {
    const program = scratchFile('till');
    const source = scratchFile('till.c');
    await writeFile(
      source,
      'volatile int sum; void pay(void) { sum++; } int main(void) { pay(); return 0; }',
    );
    execFileSync('gcc', ['-O1', '-fno-inline', '-no-pie', '-Wl,--build-id=sha1', '-o', program, source]);
    const [, address = ''] =
      /^([0-9a-f]+) T pay$/m.exec(execFileSync('nm', [program], { encoding: 'utf8' })) ?? [];
    const elf = await Elf.open(readFrom(await readFile(program)));
    const buildId = Buffer.from((await elf.buildId()) ?? '', 'hex');
    const begin = 0x5000_0000;
    const records = [
      map2(100, begin, 0x10_0000, 0, program),
      // Programs without relocation are loaded at 4 MiB.
      sample({ ms: 1, user: [begin + parseInt(address, 16) - 0x40_0000] }),
    ];
    const problemsOf = async (name: string, id: Uint8Array): Promise<number> => {
      const file = scratchFile(name);
      await writeFile(file, perfData(records, { buildIds: { [program]: id } }));
      const { parts } = await btrace();
      const opened = new Promise<number>((resolve) => {
        const listening = parts.editors.onDidSay(({ uri, message }) => {
          if (message.type !== 'opened' || uri.fsPath !== file) return;
          listening.dispose();
          resolve(message.problems);
        });
      });
      await vscode.commands.executeCommand('btrace.openRecording', vscode.Uri.file(file));
      return await opened;
    };
    assert.equal(await problemsOf('same.perf.data', buildId), 0);
    // The one problem is that a place in the code has no name.
    assert.equal(
      await problemsOf(
        'other.perf.data',
        buildId.map((byte) => byte ^ 1),
      ),
      1,
    );
  });

  it('says what a file is that is no trace', async () => {
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

  it('says that a file is gone', async () => {
    await withPerson({}, async ({ toasts }) => {
      await vscode.commands.executeCommand('vscode.open', vscode.Uri.file(scratchFile('gone.btrace')));
      await until('it is said', () => toasts.length > 0);
      assert.match(toasts[0]!.text, /^gone\.btrace is not there any more\. It was moved/);
    });
  });
});
