/** Where files are of another kind than here: a disk with a trash, one without, and what is no disk at all. */
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { readFile, rename, rm } from 'node:fs/promises';
import * as vscode from 'vscode';
import type { StoredRecording } from '../../src/extension/recording/store.js';
import { btrace, closeAll, scratchFile, withSetting } from './btrace.js';
import { titles } from './figures.js';
import { toastsOf, withPerson } from './person.js';
import { tillMethods, writeRecording } from './recordings.js';
import { until } from '../rigs/until.js';

/** Of `of`, while `work` runs. */
async function withValues<T>(of: object, values: object, work: () => Promise<T>): Promise<T> {
  const before = Object.keys(values).map((key) => [key, Object.getOwnPropertyDescriptor(of, key)] as const);
  for (const [key, value] of Object.entries(values))
    Object.defineProperty(of, key, { value, configurable: true, writable: true });
  try {
    return await work();
  } finally {
    for (const [key, descriptor] of before)
      if (descriptor !== undefined) Object.defineProperty(of, key, descriptor);
  }
}

/** As if the window were one on the person's own machine, where `delete` is what its disk does. */
function onDesktop<T>(remove: typeof vscode.workspace.fs.delete, work: () => Promise<T>): Promise<T> {
  return withValues(vscode.env, { remoteName: undefined, uiKind: vscode.UIKind.Desktop }, () =>
    withValues(vscode.workspace, { fs: { ...vscode.workspace.fs, delete: remove } }, work),
  );
}

describe('on a machine of its own', () => {
  let one: StoredRecording;
  beforeEach(async () => {
    const { store } = (await btrace()).parts.recorder;
    const file = await store.newFile('thrown away');
    await writeRecording(file, { methods: tillMethods, stacks: [[0]], samples: 5 });
    one = (await store.list()).find((each) => each.file === file)!;
  });
  afterEach(closeAll);

  const remove = () => vscode.commands.executeCommand('btrace.deleteRecording', one);

  it('a recording goes to the trash without a question', async () => {
    const trash = scratchFile('thrown away');
    const toasts = await toastsOf({}, () =>
      onDesktop(
        async ({ fsPath }, options) => {
          assert.equal(options?.useTrash, true);
          await rename(fsPath, trash);
        },
        async () => remove(),
      ),
    );
    assert.deepEqual(toasts, []);
    assert.ok(existsSync(trash) && !existsSync(one.file));
  });

  it('a recording on a disk without a trash is asked about', async () => {
    const noTrash = () => Promise.reject(vscode.FileSystemError.NoPermissions('no trash'));
    const [asked] = await toastsOf({}, () => onDesktop(noTrash, async () => remove()));
    assert.deepEqual([asked?.modal, asked?.buttons], [true, ['Delete']]);
    assert.ok(existsSync(one.file), 'without an answer it stays');
    await toastsOf({ buttons: ['Delete'] }, () => onDesktop(noTrash, async () => remove()));
    assert.ok(!existsSync(one.file));
  });

  it("a recording is shown in the system's file manager", async () => {
    const shown: vscode.Uri[] = [];
    const executeCommand = vscode.commands.executeCommand.bind(vscode.commands);
    const execute = (command: string, ...given: unknown[]) =>
      command === 'revealFileInOS' ? shown.push(given[0] as vscode.Uri) : executeCommand(command, ...given);
    const { recordings } = (await btrace()).parts;
    await withValues(vscode.commands, { executeCommand: execute }, () =>
      onDesktop(
        () => Promise.resolve(),
        () => recordings.reveal(one),
      ),
    );
    assert.deepEqual(
      shown.map(({ fsPath }) => fsPath),
      [one.file],
    );
    await rm(one.file);
  });
});

describe('a recording on what is no disk', () => {
  const changed = new vscode.EventEmitter<vscode.FileChangeEvent[]>();
  const files = new Map<string, { readonly bytes: Uint8Array; readonly size: number }>();
  const found = ({ path: where }: vscode.Uri) => {
    const file = files.get(where);
    if (file === undefined) throw vscode.FileSystemError.FileNotFound(where);
    return file;
  };
  const readOnly = (): never => {
    throw vscode.FileSystemError.NoPermissions();
  };
  const provider = vscode.workspace.registerFileSystemProvider(
    'shelf',
    {
      onDidChangeFile: changed.event,
      watch: () => new vscode.Disposable(() => undefined),
      stat: (uri) => ({ type: vscode.FileType.File, ctime: 0, mtime: 0, size: found(uri).size }),
      readFile: (uri) => found(uri).bytes,
      readDirectory: () => [],
      createDirectory: readOnly,
      writeFile: readOnly,
      delete: readOnly,
      rename: readOnly,
    },
    { isReadonly: true },
  );
  const uri = (name: string): vscode.Uri => vscode.Uri.from({ scheme: 'shelf', path: `/${name}` });
  const open = (name: string) => vscode.commands.executeCommand('vscode.open', uri(name));

  before(async () => {
    const file = scratchFile('till.btrace');
    await writeRecording(file, { methods: tillMethods, stacks: [[0, 1], [2]], samples: 200 });
    const bytes = new Uint8Array(await readFile(file));
    files.set('/till.btrace', { bytes, size: bytes.length });
    files.set('/huge.btrace', { bytes, size: 600 * 2 ** 20 });
  });
  afterEach(closeAll);
  after(async () => {
    await vscode.commands.executeCommand('btrace.hideFigures');
    provider.dispose();
    changed.dispose();
  });

  it('opens, and its figures stand above the sources of the workspace', async () => {
    const { parts } = await btrace();
    const opened = new Promise<vscode.Uri>((resolve) => parts.editors.onDidOpen(resolve));
    await open('till.btrace');
    assert.equal(String(await opened), String(uri('till.btrace')));
    await until('its figures are shown', () => parts.figures.figures?.recording.scheme === 'shelf');
    const [till] = await vscode.workspace.findFiles('**/Till.java');
    await vscode.workspace.openTextDocument(till!);
    assert.equal((await titles(till!)).length, 3);
    const to = scratchFile('till.csv');
    await vscode.commands.executeCommand('btrace.exportAs', uri('till.btrace'), {
      format: 'csv',
      to: vscode.Uri.file(to),
    });
    assert.match(await readFile(to, 'utf8'), /ring/);
  });

  it('is not read where it is larger than the settings allow, which is said with what to do', async () => {
    await withPerson({}, async ({ toasts }) => {
      await open('huge.btrace');
      await until('it is said', () => toasts.length > 0);
      assert.match(
        toasts[0]!.text,
        /^\/huge\.btrace is 600 MB, and can only be read as a whole from here\. Copy it to a disk, or raise btrace\.files\.readWholeMegabytes\.$/,
      );
    });
    const { parts } = await btrace();
    const [toast] = await toastsOf({}, () =>
      vscode.commands.executeCommand('btrace.exportAs', uri('huge.btrace'), {
        format: 'csv',
        to: vscode.Uri.file(scratchFile('huge.csv')),
      }),
    );
    assert.match(toast?.text ?? '', /^\/huge\.btrace is 600 MB, and can only be read as a whole from here\./);
    await closeAll();
    await withSetting('files.readWholeMegabytes', 700, async () => {
      const opened = new Promise<vscode.Uri>((resolve) => parts.editors.onDidOpen(resolve));
      await open('huge.btrace');
      assert.equal(String(await opened), String(uri('huge.btrace')));
    });
  });
});
