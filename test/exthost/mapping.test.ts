/** The recording of a minified program in VS Code: page, lenses and exports have the names of its source. */
import assert from 'node:assert/strict';
import { readFile, stat, utimes, writeFile } from 'node:fs/promises';
import * as vscode from 'vscode';
import { btrace, closeAll, openRecording, scratchFile, workspaceFile } from './btrace.js';
import { writeRecording } from './recordings.js';
import { until } from '../rigs/until.js';

describe('a mapping', () => {
  const recording = scratchFile('release.btrace');
  const mapping = scratchFile('mapping.txt');
  const till = workspaceFile('src/com/example/shop/Till.java').fsPath;
  const setting = (): vscode.WorkspaceConfiguration => vscode.workspace.getConfiguration('btrace');

  before(async () => {
    await writeRecording(recording, {
      methods: [{ className: 'a.b', name: 'a', signature: '(I)V', file: 'SourceFile', line: 1 }],
      stacks: [[0]],
      samples: 50,
      startedMs: Math.ceil((await stat(till)).mtimeMs) + 5_000,
    });
    await writeFile(mapping, 'com.example.shop.Till -> a.b:\n    1:1:void ring(int):8:8 -> a\n');
    await setting().update('sources.mapping', mapping, vscode.ConfigurationTarget.Global);
  });
  after(async () => {
    await setting().update('sources.mapping', undefined, vscode.ConfigurationTarget.Global);
    await closeAll();
  });

  it('is applied on the page, over the source and in what is exported', async () => {
    const { parts } = await btrace();
    const said: string[] = [];
    const listening = parts.editors.onDidSay(({ message }) => said.push(message.type));
    await openRecording(recording);
    listening.dispose();
    assert.deepEqual(said.slice(0, 3), ['ready', 'wantRetraceMapping', 'opened']);
    const figures = await until('the figures are those of the recording', () => {
      const { figures: shown } = parts.figures;
      return shown?.recording.fsPath === recording ? shown : undefined;
    });
    assert.deepEqual(figures.columns.fileKeys, ['com.example.shop/Till.java']);
    const exported = async (format: string): Promise<string> => {
      const to = scratchFile(`release.${format}`);
      await vscode.commands.executeCommand('btrace.exportAs', vscode.Uri.file(recording), {
        format,
        to: vscode.Uri.file(to),
      });
      return readFile(to, 'utf8');
    };
    assert.match(await exported('collapsed'), /com\.example\.shop\.Till\.ring \d/);
    const page = await exported('html');
    assert.match(page, /"mapping":\{"file":"mapping\.txt","text":"com\.example\.shop\.Till -> a\.b:/);
    assert.ok(!page.includes(mapping), 'where the mapping lies is not told');
  });

  it('is found in the outputs of the build, the newest first, for what the Android Runtime ran', async () => {
    const { parts } = await btrace();
    await setting().update('sources.mapping', undefined, vscode.ConfigurationTarget.Global);
    const outputs = workspaceFile('app/build/outputs/mapping');
    const write = async (variant: string, original: string, ageSeconds: number): Promise<void> => {
      const file = vscode.Uri.joinPath(outputs, variant, 'mapping.txt');
      const text = `com.example.shop.${original} -> a.b:\n    1:1:void ring(int):8:8 -> a\n`;
      await vscode.workspace.fs.writeFile(file, Buffer.from(text));
      const time = new Date(Date.now() - 1000 * ageSeconds);
      await utimes(file.fsPath, time, time);
    };
    const filesOf = async (runtime: string): Promise<readonly string[] | undefined> => {
      const file = scratchFile('build.btrace');
      const method = { className: 'a.b', name: 'a', signature: '(I)V', file: 'SourceFile', line: 1 };
      await writeRecording(file, { methods: [method], stacks: [[0]], samples: 50, runtime });
      await vscode.commands.executeCommand('btrace.showFigures', vscode.Uri.file(file));
      const { figures } = parts.figures;
      assert.equal(figures?.recording.fsPath, file);
      return figures.columns.fileKeys;
    };
    try {
      await write('debug', 'Old', 600);
      await write('release', 'Till', 60);
      assert.deepEqual(await filesOf('ART 14'), ['com.example.shop/Till.java']);
      await write('debug', 'Newer', 0);
      assert.deepEqual(await filesOf('ART 14'), ['com.example.shop/Newer.java']);
      assert.deepEqual(await filesOf('HotSpot 17.0.15'), ['a/b.java', 'a/b.kt']);
    } finally {
      await vscode.workspace.fs.delete(workspaceFile('app'), { recursive: true });
      await setting().update('sources.mapping', mapping, vscode.ConfigurationTarget.Global);
    }
  });

  it('tells which of the sources as written changed since', async () => {
    const { changed } = (await btrace()).parts;
    assert.deepEqual(await changed.since(recording), []);
    const { mtimeMs } = await stat(till);
    await until('it is told', async () => {
      // Each time anew: the watcher may not be up yet.
      await utimes(till, new Date(), new Date(mtimeMs + 60_000));
      return (await changed.since(recording)).join() === 'src/com/example/shop/Till.java';
    });
    await utimes(till, new Date(), new Date(mtimeMs));
  });
});
