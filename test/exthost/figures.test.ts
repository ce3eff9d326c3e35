import assert from 'node:assert/strict';
import { readFile, stat, utimes, writeFile } from 'node:fs/promises';
import * as vscode from 'vscode';
import {
  activeTabInput,
  btrace,
  closeAll,
  openRecording,
  scratchFile,
  withSetting,
  workspaceFile,
} from './btrace.js';
import { fileLens, hoverText, lenses, titles } from './figures.js';
import { assertShortTurns } from './longest-turn.js';
import { tillMethods, writeRecording } from './recordings.js';
import { until } from '../rigs/until.js';

const till = 'src/com/example/shop/Till.java';

describe('figures in the editor', () => {
  const recording = scratchFile('till.btrace');
  let uri: vscode.Uri;

  before(async () => {
    uri = workspaceFile(till);
    const written = (await stat(uri.fsPath)).mtimeMs;
    // Two of three samples in count, called by ring; one in idle.
    await writeRecording(recording, {
      methods: tillMethods,
      stacks: [[0, 1], [0, 1], [2]],
      samples: 300,
      startedMs: Math.ceil(written) + 10_000,
    });
    const { parts } = await btrace();
    await openRecording(recording);
    await until('the figures are there', () => parts.figures.figures?.recording.fsPath === recording);
    await vscode.workspace.openTextDocument(uri);
  });
  after(closeAll);

  it('stand above each method that was recorded', async () => {
    const shown = await titles(uri);
    assert.equal(shown.length, 3, shown.join('\n'));
    assert.match(shown[0]!, /^7 CPU [\d.]+ ms \(6\d\.\d %\) · wall [\d.]+ ms · [\d.]+ KB$/);
    assert.match(shown[1]!, /^11 CPU/);
    assert.match(shown[2]!, /^15 CPU/);
  });

  it('tell self time where that is asked for, and nothing below the threshold or when off', async () => {
    await withSetting('figures.time', 'self', async () => {
      const shown = await titles(uri);
      assert.deepEqual(
        shown.map((title) => title.split(' ')[0]),
        ['11', '15'],
        'ring does nothing itself',
      );
      assert.match(shown[0]!, /self CPU/);
    });
    await withSetting('figures.thresholdPercent', 50, async () => {
      assert.equal((await titles(uri)).length, 2);
    });
    await withSetting('figures.show', 'off', async () => {
      assert.deepEqual(await titles(uri), []);
    });
    assert.equal((await titles(uri)).length, 3);
  });

  it('are drawn anew as soon as a setting is changed', async () => {
    const { figures } = (await btrace()).parts;
    let drawn = 0;
    const listening = figures.onDidChange(() => drawn++);
    await withSetting('figures.show', 'lens', async () => {
      await until('they are drawn', () => drawn > 0);
      drawn = 0;
    });
    await until('they are drawn as before', () => drawn > 0);
    listening.dispose();
  });

  it('go stale with an edit, follow a moved method, and are fresh again when it is undone', async () => {
    const editor = await vscode.window.showTextDocument(uri);
    await editor.edit((edit) =>
      edit.insert(new vscode.Position(3, 0), 'class Before {\n  void ring(int other) {}\n}\n'),
    );
    const shown = await titles(uri);
    assert.deepEqual(
      shown.map((title) => title.split(' ')[0]),
      ['10', '14', '18'],
    );
    for (const title of shown) assert.match(title, /before the last edit$/);
    await vscode.commands.executeCommand('undo');
    const again = await titles(uri);
    assert.match(again[0]!, /^7 .*KB$/);
  });

  it('stay visible between two recordings', async () => {
    const { figures } = (await btrace()).parts;
    const other = scratchFile('other.btrace');
    await writeRecording(other, { methods: tillMethods, stacks: [[0, 1], [2]], samples: 20_000 });
    const changes: (string | undefined)[] = [];
    const listening = figures.onDidChange(() => changes.push(figures.figures?.recording.fsPath));
    const state = { isThere: false };
    const showing = vscode.commands
      .executeCommand('btrace.showFigures', vscode.Uri.file(other))
      .then(() => (state.isThere = true));
    let looks = 0;
    for (; !state.isThere; looks++) assert.equal((await titles(uri)).length, 3);
    await showing;
    assert.ok(looks > 0);
    await vscode.commands.executeCommand('btrace.showFigures', vscode.Uri.file(recording));
    listening.dispose();
    assert.deepEqual(changes, [other, recording], 'what is shown changes at once, and to nothing never');
    assert.equal((await titles(uri)).length, 3);
  });

  it('are those of the recording that led to the source, and name it', async () => {
    const { figures, openSource } = (await btrace()).parts;
    const later = scratchFile('later.btrace');
    await writeRecording(later, { methods: tillMethods, stacks: [[0, 1], [2]], samples: 60 });
    await openRecording(later);
    const named = async (): Promise<string> => (await fileLens(uri))?.command?.title ?? '';
    await until('the later one is shown', async () => (await named()).startsWith('$(flame) later · '));
    const { className, name, file } = tillMethods[1]!;
    const key = { className, method: name, signature: '', file, line: 0 };
    await openSource(vscode.Uri.file(recording), key, 'go', 0, true);
    await until('they are of the first one', () => figures.figures?.recording.fsPath === recording);
    assert.equal(await named(), '$(flame) till · change…');
    assert.match((await lenses(uri))[0]!.command!.tooltip!, / in till\.$/);
    assert.match(await hoverText(uri, new vscode.Position(10, 18)), /Recording: till/);
  });

  it('stay while something is typed', async () => {
    const editor = await vscode.window.showTextDocument(uri);
    const { end } = editor.document.lineAt(4).range;
    let typed = '';
    for (const next of [' int half', '(', 'List<int[]> a', ')', ' throws Some', ' {', ' return "{";', ' }']) {
      await editor.edit((edit) => edit.insert(end.translate(0, typed.length), next));
      typed += next;
      const shown = await titles(uri);
      assert.equal(shown.length, 3, `${typed}: ${shown.join()}`);
    }
    await editor.edit((edit) => edit.insert(new vscode.Position(0, 'package com.example'.length), 's'));
    assert.equal((await titles(uri)).length, 3, 'the name of the package, too');
    await vscode.commands.executeCommand('workbench.action.files.revert');
    assert.match((await titles(uri))[0]!, /^7 .*KB$/);
  });

  it('stay where the file is written by another program', async () => {
    const { atime, mtime } = await stat(uri.fsPath);
    const text = await readFile(uri.fsPath, 'utf8');
    const document = await vscode.window.showTextDocument(uri).then((editor) => editor.document);
    const changed = async (to: string): Promise<void> => {
      await writeFile(uri.fsPath, to);
      await until('VS Code has read it again', () => document.getText() === to);
    };
    try {
      await changed(`\n${text}`);
      const shown = await titles(uri);
      assert.equal(shown.length, 3);
      assert.match(shown[0]!, /^8 .* before the last edit$/);
    } finally {
      await changed(text);
      await utimes(uri.fsPath, atime, mtime);
    }
    assert.match((await titles(uri))[0]!, /^7 .*KB$/);
  });

  it('are not taken for stale because of edits that are not saved', async () => {
    const editor = await vscode.window.showTextDocument(uri);
    const { parts } = await btrace();
    await vscode.commands.executeCommand('btrace.hideFigures');
    const { end } = editor.document.lineAt(4).range;
    await editor.edit((edit) => edit.insert(end, '\n  int half(int a'));
    await vscode.commands.executeCommand('btrace.showFigures', vscode.Uri.file(recording));
    assert.equal(parts.figures.figures?.recording.fsPath, recording);
    const shown = await titles(uri);
    assert.equal(shown.length, 3, 'what is half typed hides none');
    assert.match(shown[0]!, /^8 .* before the last edit$/);
    await vscode.commands.executeCommand('undo');
    assert.match((await titles(uri))[0]!, /^7 .*KB$/);
  });

  it('are stale at once where the file was written after it was recorded', async () => {
    const old = scratchFile('old.btrace');
    await writeRecording(old, { methods: tillMethods, stacks: [[0, 1]], samples: 10, startedMs: 1_000_000 });
    const { parts } = await btrace();
    await vscode.commands.executeCommand('btrace.showFigures', vscode.Uri.file(old));
    assert.equal(parts.figures.figures?.recording.fsPath, old);
    assert.match((await titles(uri))[0]!, /before the last edit$/);
    await vscode.commands.executeCommand('btrace.showFigures', vscode.Uri.file(recording));
  });

  it('belong to the recorded module when another module has a class of that name', async () => {
    const { figures } = (await btrace()).parts;
    const coin = { className: 'com.example.shop.Coin', signature: '(I)I', file: 'Coin.java' };
    const [here, other] = ['src', 'other'].map((module) =>
      workspaceFile(`${module}/com/example/shop/Coin.java`),
    );
    const shownOf = async (lines: readonly number[]): Promise<string[][]> => {
      const file = scratchFile('coin.btrace');
      const methods = [
        { ...coin, name: 'round', line: lines[0]! },
        { ...coin, name: lines.length > 2 ? 'checked' : 'weigh', line: lines[1]! },
      ];
      await writeRecording(file, {
        methods,
        stacks: [[0], [1]],
        samples: 100,
        startedMs: Date.now() + 60_000,
      });
      await vscode.commands.executeCommand('btrace.showFigures', vscode.Uri.file(file));
      assert.equal(figures.figures?.recording.fsPath, file);
      return [await titles(here!), await titles(other!)];
    };
    for (const uri of [here!, other!]) await vscode.workspace.openTextDocument(uri);
    assert.deepEqual(
      (await shownOf([7, 11])).map((shown) => shown.map((title) => title.split(' ')[0])),
      [['5', '10'], []],
    );
    assert.deepEqual(
      (await shownOf([16, 12, 1])).map((shown) => shown.map((title) => title.split(' ')[0])),
      [[], ['11', '15']],
    );
    await vscode.commands.executeCommand('btrace.showFigures', vscode.Uri.file(recording));
  });

  it('show zero without a share and without a unit', async () => {
    await withSetting('figures.time', 'self', () =>
      withSetting('figures.thresholdPercent', 0, async () => {
        assert.equal((await titles(uri))[0], '7 self CPU 0 · wall 0');
      }),
    );
    assert.match(await hoverText(uri, new vscode.Position(6, 10)), /self CPU 0 · wall 0/);
  });

  it('tell callers, callees and lines on hover', async () => {
    const text = await hoverText(uri, new vscode.Position(10, 18));
    assert.match(text, /Called by/);
    assert.match(text, /Till\.ring/);
    assert.match(text, /line 12/);
    assert.match(text, /A line may be one near by/);
  });

  it('show all methods of one declaration on hover, and no calls between them', async () => {
    const file = scratchFile('bridge.btrace');
    const price = workspaceFile('src/com/example/shop/Price.java');
    const text =
      'package com.example.shop;\nclass Price implements Comparable<Price> {\n' +
      '  public int compareTo(Price other) {\n    return worth(other)\n      - worth(this);\n  }\n}\n';
    await vscode.workspace.fs.writeFile(price, Buffer.from(text));
    const compareTo = { className: 'com.example.shop.Price', name: 'compareTo', file: 'Price.java' };
    const methods = [
      ...tillMethods,
      { ...compareTo, signature: '(Ljava/lang/Object;)I', line: 2 },
      { ...compareTo, signature: '(Lcom/example/shop/Price;)I', line: 4, moreLines: [5] },
    ];
    const called = { method: 4, place: 1 };
    const stacks = [...Array.from({ length: 3 }, () => [0, 3, 4, 2]), [0, 3, called], [0, called]];
    await writeRecording(file, { methods, stacks, samples: 300, startedMs: Date.now() + 60_000 });
    await vscode.commands.executeCommand('btrace.showFigures', vscode.Uri.file(file));
    await vscode.workspace.openTextDocument(price);
    const told = await hoverText(price, new vscode.Position(2, 14));
    const rows = told
      .split('\n')
      .filter((line) => line.startsWith('- '))
      .map((row) => row.replace(/^- (?:.* — (.*)|(line \d).*)$/, '$1$2').replaceAll('\\', ''));
    // Not line 2, which is what the bridge has.
    assert.deepEqual(rows, [
      ...['com.example.shop.Till.ring', 'com.example.shop.Till.idle'],
      ...['line 4', 'line 5'],
    ]);
    await vscode.workspace.fs.delete(price);
    await vscode.commands.executeCommand('btrace.showFigures', vscode.Uri.file(recording));
  });

  it('lead back to the recording', async () => {
    const { parts } = await btrace();
    await vscode.window.showTextDocument(uri);
    const [lens] = await lenses(uri);
    assert.equal(lens!.command!.command, 'btrace.revealMethod');
    await vscode.commands.executeCommand(
      'btrace.revealMethod',
      ...((lens!.command!.arguments ?? []) as unknown[]),
    );
    await until('the recording is in front', () => parts.editors.active?.fsPath === recording);
    // The tab model hears of it a moment after the panel does.
    await until('its tab is a custom editor', () => {
      const input = activeTabInput();
      return input instanceof vscode.TabInputCustom && input.uri.fsPath === recording;
    });
  });

  it('lead to the overload that each stands over', async () => {
    const { figures } = (await btrace()).parts;
    const file = scratchFile('overloads.btrace');
    const over = workspaceFile('src/com/example/shop/Over.java');
    const text =
      'package com.example.shop;\nclass Over {\n  void load(int a) {}\n  void load(long a, String b) {}\n}\n';
    await vscode.workspace.fs.writeFile(over, Buffer.from(text));
    const load = { className: 'com.example.shop.Over', name: 'load', file: 'Over.java' };
    const methods = [
      { ...load, signature: '(I)V', line: 3 },
      { ...load, signature: '(JLjava/lang/String;)V', line: 4 },
    ];
    await writeRecording(file, { methods, stacks: [[0], [1]], samples: 20, startedMs: Date.now() + 60_000 });
    await vscode.commands.executeCommand('btrace.showFigures', vscode.Uri.file(file));
    await vscode.workspace.openTextDocument(over);
    const led = (await lenses(over)).map(({ range, command }) => [
      range.start.line + 1,
      figures.keyOf(command?.arguments?.[0] as number)?.signature,
    ]);
    assert.deepEqual(led, [
      [3, '(I)V'],
      [4, '(JLjava/lang/String;)V'],
    ]);
    await vscode.workspace.fs.delete(over);
  });

  it('go when they are hidden', async () => {
    await vscode.commands.executeCommand('btrace.hideFigures');
    assert.deepEqual(await titles(uri), []);
  });

  it('never block the host for long with 10,000 methods in 2,000 files', async function () {
    const large = scratchFile('large.btrace');
    const methods = [
      ...tillMethods,
      ...Array.from({ length: 10_000 }, (_, at) => ({
        className: `com.example.p${String(at % 40)}.Class${String(at % 2000)}`,
        name: `method${String(at)}`,
        signature: '(ILjava/lang/String;)V',
        file: `Class${String(at % 2000)}.java`,
        line: 10 + at,
      })),
    ];
    const stacks = Array.from({ length: methods.length / 5 }, (_, at) =>
      [0, 1, 2, 3, 4].map((n) => (at * 5 + n) % methods.length),
    );
    await writeRecording(large, { methods, stacks: [[0, 1], ...stacks], samples: 20_000 });
    const { parts } = await btrace();
    await assertShortTurns(async () => {
      await vscode.commands.executeCommand('btrace.showFigures', vscode.Uri.file(large));
      assert.ok((parts.figures.figures?.columns.count ?? 0) >= 10_000);
      await titles(uri);
    });
    await vscode.commands.executeCommand('btrace.hideFigures');
  });
});

describe("figures of Kotlin's inlined functions, whose lines are after the file's last one", () => {
  const recording = scratchFile('inlined.btrace');
  after(closeAll);

  async function hoverOfFind(startedMs: number, lines: readonly number[]): Promise<string> {
    const { parts } = await btrace();
    const uri = workspaceFile('kotlin/Prices.kt');
    const find = {
      className: 'com.example.prices.Prices',
      name: 'find',
      signature: '(Ljava/lang/String;)I',
      file: 'Prices.kt',
      line: 5,
      moreLines: lines,
    };
    const stacks = [[0], ...lines.map((_, at) => [{ method: 0, place: at + 1 }])];
    await writeRecording(recording, { methods: [find], stacks, samples: 800, startedMs });
    await vscode.commands.executeCommand('btrace.showFigures', vscode.Uri.file(recording));
    assert.equal(parts.figures.figures?.recording.fsPath, recording);
    await vscode.workspace.openTextDocument(uri);
    return hoverText(uri, new vscode.Position(3, 10));
  }

  it('are summed in one row of the hover', async () => {
    const text = await hoverOfFind(Date.now() + 60_000, [14, 15, 400]);
    const rows = text.split('\n').filter((line) => line.startsWith('- '));
    assert.deepEqual(
      rows.map((row) => row.replace(/^- (.*): .*\((\d\d)\.\d %.*$/, '$1 $2')),
      ['code of inlined functions 75', 'line 5 24'],
      text,
    );
  });

  it('count as lines of the file when the text has changed, as it may have been longer', async () => {
    const text = await hoverOfFind(1_000_000, [14, 400]);
    assert.match(text, /line 14[\s\S]*line 400|line 400[\s\S]*line 14/);
    assert.doesNotMatch(text, /inlined functions/);
  });
});

describe('figures of native functions, which have no file', () => {
  const recording = scratchFile('native.btrace');
  const native = (name: string) => ({ className: '', name, signature: '', file: '', line: 0 });

  after(closeAll);

  it('stand above what a C++ text declares by that name, with that many parameters', async () => {
    await writeRecording(recording, {
      methods: [
        native('shop::grind(int) (libwork.so)'),
        native('shop::grind(int, int) (libwork.so)'),
        native('long shop::twice<long>(long) (libwork.so)'),
        native('other::never() (libwork.so)'),
      ],
      stacks: [[1, 0], [1, 0], [2], [3]],
      samples: 400,
      startedMs: 0,
    });
    const { parts } = await btrace();
    await openRecording(recording);
    await until('the figures are there', () => parts.figures.figures?.recording.fsPath === recording);
    const uri = workspaceFile('native/work.cpp');
    await vscode.workspace.openTextDocument(uri);
    const shown = await titles(uri);
    assert.deepEqual(
      shown.map((title) => {
        const [, line, share] = /^(\d+) .*\(([\d.]+) %\)/.exec(title) ?? [];
        return [Number(line), Math.round(Number(share))];
      }),
      [
        [6, 50],
        [12, 50],
        [15, 25],
      ],
      shown.join('\n'),
    );
    const included = workspaceFile('native/work.ipp');
    await vscode.workspace.fs.copy(uri, included, { overwrite: true });
    await vscode.workspace.openTextDocument(included);
    assert.equal((await titles(included)).length, shown.length, 'in a text that others include, too');
    await vscode.workspace.fs.delete(included);
  });
});
