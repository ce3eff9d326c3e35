import assert from 'node:assert/strict';
import { appendFile } from 'node:fs/promises';
import * as vscode from 'vscode';
import { encodeChunk } from '../../src/trace/recording/chunk.js';
import { btrace, closeAll, scratchFile } from './btrace.js';
import { withPerson } from './person.js';
import { tillMethods, writeRecording } from './recordings.js';
import { until } from '../rigs/until.js';

describe('the pages of tabs that are hidden', () => {
  const files = ['one', 'other', 'large'].map((name) => scratchFile(`${name}.btrace`));
  const [one, other, large] = files as [string, string, string];
  const said: { readonly file: string; readonly type: string; readonly text: string }[] = [];
  let listening: vscode.Disposable;

  before(async () => {
    for (const file of files)
      await writeRecording(file, { methods: tillMethods, stacks: [[0, 1], [2]], samples: 200 });
    // Of a kind that nobody knows yet, which is passed over: it takes room and no time.
    for (let sequence = 1000; sequence < 1003; sequence++)
      await appendFile(large, encodeChunk(60, new Uint8Array(12 << 20), sequence));
    const { parts } = await btrace();
    listening = parts.editors.onDidSay(({ uri, message }) =>
      said.push({ file: uri.fsPath, type: message.type, text: message.type === 'copy' ? message.text : '' }),
    );
  });
  beforeEach(() => void said.splice(0));
  after(() => void listening.dispose());
  afterEach(closeAll);

  const count = (file: string, type: string): number =>
    said.filter((heard) => heard.file === file && heard.type === type).length;
  async function show(file: string): Promise<void> {
    await vscode.commands.executeCommand('vscode.open', vscode.Uri.file(file), { preview: false });
    await until('it is opened', () => count(file, 'opened') > 0);
  }

  it('keep their state, and receive messages while hidden', async () => {
    const { parts } = await btrace();
    await show(one);
    await show(other);
    await show(one);
    await withPerson({}, async () => {
      parts.editors.post({ type: 'command', command: 'exportHtml' });
      await until('it does what it is told', () => count(one, 'exportHtml') === 1);
    });
    assert.equal(count(one, 'ready'), 1, 'it was never made anew');
    assert.equal(count(other, 'ready'), 1);
  });

  it('are unloaded when their recording is large, and restore the selection when shown again', async () => {
    const { editors } = (await btrace()).parts;
    const copied = async (times: number): Promise<string | undefined> => {
      await until('its selection is copied', () => {
        if (count(large, 'copy') >= times) return true;
        editors.post({ type: 'command', command: 'copyName' });
        return false;
      });
      return said.findLast(({ file, type }) => file === large && type === 'copy')?.text;
    };
    await show(large);
    const { name, ...key } = tillMethods[1]!;
    await editors.reveal(vscode.Uri.file(large), { ...key, method: name });
    assert.equal(await copied(1), `${key.className}.${name}`);
    await show(other);
    await show(large);
    await until('it is opened again', () => count(large, 'opened') === 2);
    assert.equal(count(large, 'ready'), 2);
    const before = count(large, 'copy');
    assert.equal(await copied(before + 1), `${key.className}.${name}`);
    await show(other);
    assert.equal(count(other, 'ready'), 1);
  });
});
