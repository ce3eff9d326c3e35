import assert from 'node:assert/strict';
import { mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { zipSync } from 'fflate';
import * as vscode from 'vscode';
import type { SourceKey } from '../../src/protocol/messages.js';
import { btrace, closeAll, scratchFile, withSetting, workspaceFile } from './btrace.js';
import { toastsOf, withPerson } from './person.js';
import { until } from '../rigs/until.js';

function key(className: string, method: string, file: string, line: number): SourceKey {
  return { className, method, signature: '', file, line };
}

async function opened(wanted: SourceKey): Promise<string> {
  const { parts } = await btrace();
  await parts.sources.open(wanted, 'replace');
  const editor = vscode.window.activeTextEditor;
  return editor === undefined
    ? ''
    : `${vscode.workspace.asRelativePath(editor.document.uri)}:${String(editor.selection.active.line + 1)}`;
}

function archive(file: string, sources: Readonly<Record<string, string>>): void {
  const entries = Object.entries(sources).map(([name, text]) => [name, new TextEncoder().encode(text)]);
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, zipSync(Object.fromEntries(entries) as Record<string, Uint8Array>));
}

// Jars are looked for once a window: it is there before any test.
const jar = workspaceFile('lib/abacus-1.0-sources.jar').fsPath;
archive(jar, { 'org/abacus/Bead.java': 'package org.abacus;\n\nclass Bead {\n  void slide() {}\n}\n' });

describe('sources', () => {
  afterEach(closeAll);

  it('open by package, file and line', async () => {
    assert.equal(
      await opened(key('com.example.shop.Till', 'count', 'Till.java', 12)),
      'src/com/example/shop/Till.java:12',
    );
  });

  it('open where Kotlin left the folders of the package out', async () => {
    assert.equal(
      await opened(key('com.example.prices.Prices', 'find', 'Prices.kt', 5)),
      'kotlin/Prices.kt:5',
    );
    assert.equal(await opened(key('com.example.prices.PricesKt', 'price', '', 13)), 'kotlin/Prices.kt:13');
  });

  /** The document in front, where its cursor is, and whether somebody may write there. */
  async function shown(wanted: SourceKey): Promise<unknown[]> {
    await opened(wanted);
    const { document, selection } = vscode.window.activeTextEditor!;
    const { scheme, query, fsPath } = document.uri;
    const line = document.lineAt(selection.active.line).text;
    return [
      scheme,
      query,
      fsPath,
      document.languageId,
      line,
      vscode.workspace.fs.isWritableFileSystem(scheme),
    ];
  }

  it('open out of the jars of sources that libraries come with', async () => {
    assert.deepEqual(await shown(key('org.abacus.Bead', 'slide', 'Bead.java', 4)), [
      'btrace-source',
      jar,
      '/org/abacus/Bead.java',
      'java',
      '  void slide() {}',
      undefined,
    ]);
  });

  it('open out of the JDK that was chosen', async () => {
    const home = path.dirname(scratchFile('jdk'));
    const zip = path.join(home, 'lib', 'src.zip');
    archive(zip, {
      'java.base/java/lang/Imagined.java': 'package java.lang;\nclass Imagined {\n  // here\n}\n',
    });
    await withSetting('sources.jdk', home, async () => {
      assert.deepEqual(await shown(key('java.lang.Imagined', 'think', 'Imagined.java', 3)), [
        'btrace-source',
        zip,
        '/java.base/java/lang/Imagined.java',
        'java',
        '  // here',
        undefined,
      ]);
    });
  });

  it('serve nothing but archives of sources to a link that somebody else made', async () => {
    const uri = vscode.Uri.from({ scheme: 'btrace-source', path: '/etc/passwd', query: '/etc/passwd' });
    await assert.rejects(Promise.resolve(vscode.workspace.openTextDocument(uri)), /no archive of sources/);
  });

  it("open where the editor's languages know the symbol, if no file has the name", async () => {
    const uri = workspaceFile('src/com/example/shop/Coin.java');
    const asked: string[] = [];
    const provider = vscode.languages.registerWorkspaceSymbolProvider({
      provideWorkspaceSymbols: (name) => {
        asked.push(name);
        const at = new vscode.Location(uri, new vscode.Position(5, 0));
        return [new vscode.SymbolInformation('Penny', vscode.SymbolKind.Class, 'com.example.shop', at)];
      },
    });
    try {
      const place = 'src/com/example/shop/Coin.java';
      assert.equal(await opened(key('com.example.shop.Penny', 'clink', 'Penny.java', 7)), `${place}:7`);
      assert.equal(await opened(key('com.example.shop.Penny', 'clink', '', 0)), `${place}:6`);
      await closeAll();
      assert.equal(await opened(key('com.other.Penny', 'clink', 'Penny.java', 7)), '', 'of another package');
      assert.ok(asked.includes('Penny'));
    } finally {
      provider.dispose();
    }
  });

  it('open C and C++ by the path in debug data, however it lay where it was built', async () => {
    const native = (method: string, file: string, line: number) => opened(key('', method, file, line));
    assert.equal(await native('shop::never()', '/build/ci/app/native/work.cpp', 20), 'native/work.cpp:20');
    assert.equal(await native('plain_sum', 'C:\\ci\\native\\plain.c', 6), 'native/plain.c:6');
    await closeAll();
    assert.equal(await native('plain_sum', 'plain.c', 7), 'native/plain.c:7', 'of a name alone');
  });

  it('open C and C++ at what declares a function, where nothing tells of its file', async () => {
    const native = async (method: string): Promise<string> => {
      await closeAll();
      return opened(key('', method, '', 0));
    };
    assert.equal(await native('shop::grind(int) (libwork.so)'), 'native/work.cpp:6');
    assert.equal(await native('shop::grind(int, int) (libwork.so)'), 'native/work.cpp:12');
    assert.equal(await native('long shop::twice<long>(long) (libwork.so)'), 'native/work.cpp:15');
    assert.equal(await native('plain_sum (libplain.so)'), 'native/plain.c:4');
    const said = await toastsOf({}, () => native('shop::gone(int) (libwork.so)'));
    assert.deepEqual(
      said.map(({ text }) => text),
      ['No source found for shop::gone(int) (libwork.so). Looked for: gone.'],
    );
    assert.equal(vscode.window.activeTextEditor, undefined);
  });

  it("ask the editor's languages for a native function first", async () => {
    const asked: string[] = [];
    const provider = vscode.languages.registerWorkspaceSymbolProvider({
      provideWorkspaceSymbols: (name) => {
        asked.push(name);
        const at = new vscode.Location(workspaceFile('native/work.cpp'), new vscode.Position(18, 0));
        return [new vscode.SymbolInformation('plain_sum(int)', vscode.SymbolKind.Function, '', at)];
      },
    });
    try {
      assert.equal(await opened(key('', 'plain_sum (libplain.so)', '', 0)), 'native/work.cpp:19');
      assert.deepEqual(asked, ['plain_sum']);
    } finally {
      provider.dispose();
    }
  });

  it('ask which of two native functions is meant when the file does not tell', async () => {
    const three = key('', 'shop::grind(int, int, int) (libwork.so)', '', 0);
    for (const line of [12, 6]) {
      await closeAll();
      await withPerson({ choices: [`work.cpp:${String(line)}`] }, async () => {
        assert.equal(await opened(three), `native/work.cpp:${String(line)}`);
      });
    }
    await vscode.commands.executeCommand('btrace.forgetSources');
  });

  it('open beside where that is asked for, and what is in front stays', async () => {
    const { parts } = await btrace();
    await opened(key('com.example.shop.Coin', 'round', 'Coin.java', 7));
    await parts.sources.open(key('com.example.shop.Till', 'count', 'Till.java', 12), 'go');
    const groups = vscode.window.tabGroups.all;
    assert.deepEqual(
      groups.map(({ activeTab }) => activeTab?.label),
      ['Coin.java', 'Till.java'],
    );
    assert.equal(vscode.window.activeTextEditor?.viewColumn, groups[1]!.viewColumn);
  });

  it('never open a file of another package', async () => {
    assert.equal(await opened(key('com.other.Till', 'count', 'Till.java', 12)), '');
  });

  it('open the one of several whose lines fit, without a question', async () => {
    const coin = (method: string, line: number): SourceKey =>
      key('com.example.shop.Coin', method, 'Coin.java', line);
    assert.equal(await opened(coin('round', 7)), 'src/com/example/shop/Coin.java:7');
    assert.equal(await opened(coin('lambda$round$0', 6)), 'src/com/example/shop/Coin.java:6');
    assert.equal(await opened(coin('round', 16)), 'other/com/example/shop/Coin.java:16');
  });

  it('ask when several fit, and remember', async () => {
    const { parts } = await btrace();
    const twice = key('com.example.shop.Twice', 'here', 'Twice.java', 4);
    const opening = parts.sources.open(twice, 'replace');
    // The list is up: take its second entry.
    await until('a choice was made', async () => {
      await vscode.commands.executeCommand('workbench.action.quickOpenSelectNext');
      await vscode.commands.executeCommand('workbench.action.acceptSelectedQuickOpenItem');
      return vscode.window.activeTextEditor !== undefined;
    });
    await opening;
    const first = vscode.window.activeTextEditor!.document.uri.toString();
    assert.match(first, /Twice\.java$/);
    await closeAll();
    assert.match(await opened(twice), /Twice\.java:4$/);
    assert.equal(vscode.window.activeTextEditor!.document.uri.toString(), first);
    await vscode.commands.executeCommand('btrace.forgetSources');
  });

  it('follow no path out of the workspace without asking, and treat names as plain text', async () => {
    const hostile = ['../../../../etc/passwd', '**', '{a,b}', '<img src=x>', 'x\u202ey.java', ''];
    for (const file of hostile) {
      assert.equal(await opened(key('com.example.shop.Nowhere', 'm', file, 1)), '', JSON.stringify(file));
    }
  });

  it('ask before they open a path outside of the workspace', async () => {
    const { parts } = await btrace();
    // The extension host refuses dialogs while it runs tests, and says which one it refused.
    await assert.rejects(
      parts.sources.open(key('', 'main', '/etc/../etc/passwd', 1), 'replace'),
      /refused to show dialog.*outside of the workspace/,
    );
    assert.equal(vscode.window.activeTextEditor, undefined);
  });

  it('open a path outside of the workspace once, or always from its folder, and nothing where that is refused', async () => {
    const file = scratchFile('outside.cpp');
    writeFileSync(file, 'int main() {\n  return 0;\n}\n');
    const outside = key('', 'main', file, 2);
    const answered = async (...buttons: string[]) => {
      await closeAll();
      const toasts = await toastsOf({ buttons }, () => opened(outside));
      const { activeTextEditor: editor } = vscode.window;
      return {
        asked: toasts.map(({ text, modal }) => modal && /points to a file outside/.test(text)),
        place: editor && [editor.document.uri.fsPath, editor.selection.active.line + 1],
      };
    };
    const place = [file, 2];
    assert.deepEqual(await answered(), { asked: [true], place: undefined }, 'one question, no complaint');
    assert.deepEqual(await answered('Open Once'), { asked: [true], place });
    assert.deepEqual(await answered('Always from This Folder'), { asked: [true], place });
    assert.deepEqual(await answered(), { asked: [], place });
    await vscode.commands.executeCommand('btrace.forgetSources');
    assert.deepEqual(await answered(), { asked: [true], place: undefined });
    const gone = await toastsOf({ buttons: ['Open Once'] }, () =>
      opened({ ...outside, file: `${file}.gone` }),
    );
    assert.match(gone[1]?.text ?? '', /^No source found for main\. Looked for: outside\.cpp\.gone/);
  });

  it('ask as well where a link in the workspace leads out of it', async () => {
    const elsewhere = scratchFile('led.cpp');
    writeFileSync(elsewhere, 'int led() {\n  return 0;\n}\n');
    const file = workspaceFile('native/led.cpp').fsPath;
    const folder = workspaceFile('led-folder').fsPath;
    const within = workspaceFile('led-within.cpp').fsPath;
    const textShown = (): string | undefined => vscode.window.activeTextEditor?.document.getText();
    symlinkSync(elsewhere, file);
    symlinkSync(path.dirname(elsewhere), folder);
    symlinkSync(workspaceFile('native/work.cpp').fsPath, within);
    try {
      for (const named of [file, path.join(folder, 'led.cpp')]) {
        const led = key('', 'led', named, 2);
        await closeAll();
        const choices = ['led.cpp'];
        const refused = await toastsOf({ buttons: [], choices }, () => opened(led));
        const asked = refused.filter(({ text }) => /points to a file outside/.test(text));
        assert.equal(asked.length, 1, named);
        assert.equal(textShown(), undefined, named);
        await toastsOf({ buttons: ['Open Once'], choices }, () => opened(led));
        assert.match(textShown() ?? '', /int led/, named);
      }
      const toasts = await toastsOf({}, () => opened(key('', 'main', within, 2)));
      assert.deepEqual(toasts, [], 'a link that stays within');
    } finally {
      for (const link of [file, folder, within]) rmSync(link);
      await vscode.commands.executeCommand('btrace.forgetSources');
    }
  });

  it('open at the method where its line is not known, or is none of the file', async () => {
    const at = (className: string, method: string, line: number): Promise<string> =>
      opened(key(`com.example.shop.${className}`, method, 'Till.java', line));
    const till = 'src/com/example/shop/Till.java';
    assert.equal(await at('Till', 'count', 0), `${till}:11`);
    assert.equal(await at('Till', 'lambda$count$0', 9999), `${till}:11`);
    assert.equal(await at('Till', '<init>', 0), `${till}:4`);
    // Code that Kotlin inlined has lines beyond the last one.
    assert.equal(await opened(key('com.example.prices.PricesKt', 'price', '', 400)), 'kotlin/Prices.kt:13');
  });

  it('put the cursor at the end of a file that has become shorter', async () => {
    const place = await opened(key('com.example.shop.Gone', 'gone', 'Till.java', 9999));
    const lines = (await vscode.workspace.openTextDocument(workspaceFile('src/com/example/shop/Till.java')))
      .lineCount;
    assert.equal(place, `src/com/example/shop/Till.java:${String(lines)}`);
  });
});
