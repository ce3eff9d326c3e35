/** One recording with another file: exports, a baseline, a system trace. */
import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import * as vscode from 'vscode';
import { proposedFile } from '../../../src/extension/editor/exported-file.js';
import { systemWords } from '../../../src/extension/system-words.js';
import { decodeRecording } from '../../../src/trace/index.js';
import { btrace, openRecording, scratchFile, workspaceFile } from '../btrace.js';
import { toastsOf } from '../person.js';
import { isOneError, isOpen, run, stored } from './command-tests.js';
import type { CommandTests } from './command-tests.js';

export const exportsCommands: CommandTests = {
  async exportAs() {
    const { file } = await stored('exported');
    await openRecording(file);
    await isOpen(file);
    const to = scratchFile('exported.csv');
    await toastsOf({ choices: [/CSV/], saveFiles: [vscode.Uri.file(to)] }, () => run('exportAs'));
    assert.match(await readFile(to, 'utf8'), /ring/);
    // A trace opens in BTrace: most are no text.
    const trace = scratchFile('exported.perfetto-trace');
    await toastsOf({ choices: [/Perfetto/], saveFiles: [vscode.Uri.file(trace)], buttons: ['Open'] }, () =>
      run('exportAs', vscode.Uri.file(file)),
    );
    await isOpen(trace);
    const nowhere = { format: 'csv', to: vscode.Uri.file('/no/such/folder/x.csv') };
    isOneError(
      await toastsOf({}, () => run('exportAs', vscode.Uri.file(file), nowhere)),
      /^\/no\/such\/folder\/x\.csv is not there\. See that its folder is, or choose another one\.$/,
    );
    // A folder that takes no new files, of whoever asks.
    for (const format of ['csv', 'html']) {
      const to = vscode.Uri.file(`/proc/self/x.${format}`);
      isOneError(
        await toastsOf({}, () => run('exportAs', vscode.Uri.file(file), { format, to })),
        new RegExp(`^/proc/self/x\\.${format} (is not there|may not be read or written)\\. `),
      );
    }
    assert.deepEqual(systemWords('ENOSPC: no space left on device, write'), {
      message: 'The disk is full.',
      nextStep: 'Make room on it, or choose a folder on another one.',
    });
  },
  async 'page.exportHtml'() {
    const { file } = await stored('page');
    await openRecording(file);
    await isOpen(file);
    const to = scratchFile('page.html');
    const said = await toastsOf({ saveFiles: [vscode.Uri.file(to)] }, () => run('page.exportHtml'));
    assert.deepEqual(
      said.map(({ text, buttons }) => [text.replace(/: .*/, ''), buttons]),
      [['page.html written', ['Open', vscode.env.remoteName === undefined ? 'Reveal' : 'Copy Path']]],
    );
    // A recording is kept where nobody looks; what is made of it is proposed where the person works.
    assert.equal(
      proposedFile(vscode.Uri.file(file), '.html').path,
      workspaceFile(`${path.basename(file, '.btrace')}.html`).path,
    );
    assert.equal(proposedFile(workspaceFile('a/x.btrace'), '.csv').path, workspaceFile('a/x.csv').path);
    assert.match(await readFile(to, 'utf8'), /^<!DOCTYPE html>/);
    const nowhere = vscode.Uri.file('/no/such/folder/page.html');
    isOneError(await toastsOf({ saveFiles: [nowhere] }, () => run('page.exportHtml')), /\/no\/such\/folder/);
  },
  async compareWith() {
    const { editors } = (await btrace()).parts;
    const [earlier, later] = [await stored('earlier'), await stored('later')];
    const compared = new Promise<string>((resolve) => {
      const listening = editors.onDidSay(({ message }) => {
        if (message.type !== 'compared') return;
        listening.dispose();
        resolve(message.problem);
      });
    });
    await run('compareWith', vscode.Uri.file(later.file), vscode.Uri.file(earlier.file));
    assert.equal(await compared, '');
    await isOpen(later.file);
  },
  async addSystemTrace() {
    const { file } = await stored('scheduled');
    const systemTrace = scratchFile('system.txt');
    const line = (seconds: string, from: string, to: string): string =>
      `  <idle>-0 [001] d... ${seconds}: sched_switch: ${from} prev_prio=120 prev_state=S ==> ${to} next_prio=120\n`;
    await writeFile(
      systemTrace,
      '# tracer: nop\n' +
        line('0.001000', 'prev_comm=swapper/1 prev_pid=0', 'next_comm=till next_pid=1') +
        line('0.005000', 'prev_comm=till prev_pid=1', 'next_comm=swapper/1 next_pid=0'),
    );
    const to = scratchFile('with-system.btrace');
    await toastsOf({ openFiles: [vscode.Uri.file(systemTrace)], saveFiles: [vscode.Uri.file(to)] }, () =>
      run('addSystemTrace', vscode.Uri.file(file)),
    );
    await isOpen(to);
    const { system, complete } = decodeRecording(await readFile(to)).trace();
    assert.deepEqual([system?.switches.count, complete], [2, true]);
    // One is enough, and a file without the scheduler's events is none.
    const again = {
      systemTrace: vscode.Uri.file(systemTrace),
      to: vscode.Uri.file(scratchFile('twice.btrace')),
    };
    isOneError(
      await toastsOf({}, () => run('addSystemTrace', vscode.Uri.file(to), again)),
      /^with-system\.btrace has a system trace already\. /,
    );
    await writeFile(systemTrace, '# tracer: nop\n');
    isOneError(
      await toastsOf({}, () => run('addSystemTrace', vscode.Uri.file(file), again)),
      /^system\.txt has no events of the kernel’s scheduler\. /,
    );
  },
};
