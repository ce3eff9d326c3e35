/** A file that is edited and saved in the moment in which its time is looked at: what is saved then is not what was recorded. */
import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { closeAll, scratchFile } from './btrace.js';
import { titles } from './figures.js';
import { tillMethods, writeRecording } from './recordings.js';
import { until } from '../rigs/until.js';

const lines = ['package com.example.shop;', '', 'class Till {', '  void ring(int cents) {', '  }', '}', ''];

/** A disk with a file whose time can be kept back, once. */
class OneFile implements vscode.FileSystemProvider {
  readonly onDidChangeFile = new vscode.EventEmitter<vscode.FileChangeEvent[]>().event;
  mtime = Date.now() - 60_000;
  #text: Uint8Array;
  #held: ((answer: () => void) => void) | undefined;

  constructor(text: string) {
    this.#text = new TextEncoder().encode(text);
  }

  /** Resolves when it is asked for, to what lets the answer through. */
  holdsNextStat(): Promise<() => void> {
    return new Promise((resolve) => (this.#held = resolve));
  }

  async stat(): Promise<vscode.FileStat> {
    const told = { type: vscode.FileType.File, ctime: 0, mtime: this.mtime, size: this.#text.length };
    const held = this.#held;
    this.#held = undefined;
    if (held !== undefined) await new Promise<void>(held);
    return told;
  }

  readFile(): Uint8Array {
    return this.#text;
  }

  writeFile(_uri: vscode.Uri, text: Uint8Array): void {
    this.#text = text;
    this.mtime = Date.now();
  }

  watch(): vscode.Disposable {
    return new vscode.Disposable(() => undefined);
  }

  readDirectory(): never {
    throw vscode.FileSystemError.FileNotFound();
  }

  createDirectory(): never {
    throw vscode.FileSystemError.NoPermissions();
  }

  delete(): never {
    throw vscode.FileSystemError.NoPermissions();
  }

  rename(): never {
    throw vscode.FileSystemError.NoPermissions();
  }
}

describe('a file that is saved while its time is looked at', () => {
  const disk = new OneFile(lines.join('\n'));
  const registered = vscode.workspace.registerFileSystemProvider('pond', disk);
  const uri = vscode.Uri.parse('pond:/com/example/shop/Till.java');
  const recording = scratchFile('meanwhile.btrace');

  before(() =>
    writeRecording(recording, {
      methods: [{ ...tillMethods[0]!, line: 4 }],
      stacks: [[0]],
      samples: 50,
      startedMs: disk.mtime + 1000,
    }),
  );
  after(async () => {
    registered.dispose();
    await vscode.commands.executeCommand('btrace.hideFigures');
    await closeAll();
  });

  it('marks the lenses stale', async () => {
    const editor = await vscode.window.showTextDocument(uri);
    const asked = disk.holdsNextStat();
    await vscode.commands.executeCommand('btrace.showFigures', vscode.Uri.file(recording));
    const shown = titles(uri);
    const answer = await asked;
    await editor.edit((edit) => edit.insert(new vscode.Position(0, 0), '\n'));
    assert.ok(await editor.document.save());
    answer();
    await shown;
    await until('the lens follows', async () =>
      /^5 CPU .* before the last edit$/.test((await titles(uri)).join()),
    );
  });
});
