/** *Compare With…*: chosen, remembered, given up; what is gone is said. */
import assert from 'node:assert/strict';
import { open, readdir, readlink, rm, truncate, writeFile } from 'node:fs/promises';
import * as vscode from 'vscode';
import type { PageMessage } from '../../src/protocol/messages.js';
import { synthesize } from '../../src/trace/index.js';
import { btrace, closeAll, openRecording, scratchFile } from './btrace.js';
import { withPerson } from './person.js';
import { tillMethods, writeRecording } from './recordings.js';
import { until } from '../rigs/until.js';

/** Of this process, which is the extension's. */
async function openFiles(): Promise<string[]> {
  const descriptors = await readdir('/proc/self/fd');
  return Promise.all(descriptors.map((one) => readlink(`/proc/self/fd/${one}`).catch(() => '')));
}

describe('a recording and the one from before', () => {
  const [earlier, later] = [scratchFile('earlier.btrace'), scratchFile('later.btrace')];
  const uri = vscode.Uri.file(later);
  const compared: string[] = [];
  let listening: vscode.Disposable;

  before(async () => {
    await writeRecording(earlier, { methods: tillMethods, stacks: [[0, 1], [2]], samples: 200 });
    await writeRecording(later, { methods: tillMethods, stacks: [[0, 1], [0, 1], [2]], samples: 300 });
    const { parts } = await btrace();
    listening = parts.editors.onDidSay(({ message }: { message: PageMessage }) => {
      if (message.type === 'compared') compared.push(message.problem);
    });
  });
  afterEach(async () => {
    compared.length = 0;
    await closeAll();
  });
  after(() => void listening.dispose());

  it('is opened and compared by one command, and again when its tab comes back', async () => {
    await vscode.commands.executeCommand('btrace.compareWith', uri, vscode.Uri.file(earlier));
    await until('it is compared', () => compared.length === 1);
    assert.deepEqual(compared, ['']);
    await closeAll();
    await openRecording(later);
    await until('it is compared again', () => compared.length === 2);
  });

  it('asks for the other one: any file', async () => {
    await openRecording(later);
    await until('it is compared with the last one', () => compared.length === 1);
    await withPerson({ choices: ['Another File…'], openFiles: [vscode.Uri.file(earlier)] }, async () => {
      await vscode.commands.executeCommand('btrace.compareWith');
      await until('it is compared', () => compared.length === 2);
    });
    // Who closes the list leaves all as it is.
    await withPerson({}, async () => {
      await vscode.commands.executeCommand('btrace.compareWith');
      assert.equal(compared.length, 2);
    });
  });

  it('is compared, too, where one asks while the page is still at work on it', async () => {
    const large = scratchFile('large.btrace');
    const handle = await open(large, 'w');
    const write = async (bytes: Uint8Array): Promise<void> => {
      await handle.write(bytes);
    };
    await synthesize({ write }, { samples: 600_000, threads: 4, methods: 500, depth: 20 });
    await handle.close();
    const said: string[] = [];
    const hearing = (await btrace()).parts.editors.onDidSay(({ message }) => said.push(message.type));
    await vscode.commands.executeCommand('vscode.openWith', vscode.Uri.file(large), 'btrace.recording');
    await until('it is asked for', () => said.includes('ready'));
    await until('it is read', async () => !(await openFiles()).includes(large));
    await vscode.commands.executeCommand(
      'btrace.compareWith',
      vscode.Uri.file(large),
      vscode.Uri.file(earlier),
    );
    await until('it is compared', () => compared.length > 0);
    assert.equal(compared[0], '');
    hearing.dispose();
  });

  it('is not sent to its end where it is none', async () => {
    const letter = scratchFile('letter.btrace');
    await writeFile(letter, 'To whom it may concern.\n');
    await truncate(letter, 64 * 2 ** 30); // takes no room, and long to read
    await openRecording(later);
    await vscode.commands.executeCommand('btrace.compareWith', uri, vscode.Uri.file(letter));
    assert.match(compared.at(-1)!, /./);
    assert.ok(!(await openFiles()).includes(letter));
    await vscode.commands.executeCommand('btrace.compareWith', uri, vscode.Uri.file(earlier));
    await until('it is compared again', () => compared.at(-1) === '');
    await rm(letter);
  });

  it('says so when the other one is gone, in the page and nowhere else', async () => {
    const gone = scratchFile('gone.btrace');
    await writeRecording(gone, { methods: tillMethods, stacks: [[2]], samples: 20 });
    await vscode.commands.executeCommand('btrace.compareWith', uri, vscode.Uri.file(gone));
    await until('it is compared', () => compared.length === 1);
    await closeAll();
    await rm(gone);
    await withPerson({}, async ({ toasts }) => {
      await openRecording(later);
      await until('the page is told', () => compared.length === 2);
      assert.match(compared[1]!, /gone\.btrace/);
      assert.deepEqual(toasts, []);
    });
  });
});
