/** The view of lags: what a folder holds, from causes to a file, and the file at its lag. */
import assert from 'node:assert/strict';
import { copyFileSync, mkdirSync, rmSync } from 'node:fs';
import path from 'node:path';
import * as vscode from 'vscode';
import type { LagNode } from '../../src/extension/views/lags-view.js';
import { wide } from '../rigs/scale.js';
import { btrace, closeAll, scratchFile } from './btrace.js';
import { assertShortTurns } from './longest-turn.js';
import { tillMethods, writeRecording } from './recordings.js';

describe('the view of lags', () => {
  const first = scratchFile('lag-1.btrace');
  const folder = path.dirname(first);
  const frames = (...names: string[]) =>
    names.map((method) => ({ className: 'com.example.shop.Till', method, file: 'Till.java', line: 8 }));
  const write = (file: string, lag: object) =>
    writeRecording(file, {
      methods: tillMethods,
      stacks: [[0, 1], [2]],
      samples: 200,
      lag: { thread: 1, beginNs: 20e6, detectedNs: 150e6, realtimeNs: 1_700_000_000_000_000_000n, ...lag },
    });

  before(async () => {
    await write(first, { frames: frames('count', 'ring', 'serve'), user: 1n, appVersion: '1.0' });
    await write(path.join(folder, 'lag-2.freeze.btrace'), {
      frames: frames('count', 'ring', 'serve'),
      user: 2n,
      appVersion: '1.1',
      endNs: 180e6,
    });
    await write(path.join(folder, 'lag-3.btrace'), { frames: frames('idle', 'close') });
    await writeRecording(path.join(folder, 'other.btrace'), { methods: tillMethods, stacks: [], samples: 0 });
  });
  after(async () => {
    await (await btrace()).parts.lags.forget();
    await closeAll();
    rmSync(folder, { recursive: true });
  });

  const shown = async (node?: LagNode) => {
    const { lags } = (await btrace()).parts;
    const nodes = await lags.getChildren(node);
    return nodes.map((one) => ({ node: one, item: lags.getTreeItem(one) }));
  };
  const show = (uri = vscode.Uri.file(folder)) => vscode.commands.executeCommand('btrace.showLags', uri);

  it('leads from causes by places to files, and a file opens at its lag', async () => {
    await show();
    const groups = await shown();
    assert.deepEqual(
      groups.map(({ item }) => [item.label, item.description]),
      [
        ['Till.count < Till.ring', '2 lags · 2 users · worst 160 ms'],
        ['Till.idle < Till.close', '1 lag · 1 user · worst 130 ms'],
      ],
    );
    assert.match(
      groups[0]!.item.tooltip as string,
      /1 ended in a kill.*\nBy version: 1\.[01]: 1, 1\.[01]: 1\nBy day, up to Nov 14, 2023: 2$/s,
    );
    const [place, ...others] = await shown(groups[0]!.node);
    assert.deepEqual([place!.item.label, others.length], ['From Till.serve', 0]);
    const files = await shown(place!.node);
    assert.deepEqual(
      files.map(({ item }) => [item.label, path.basename(item.tooltip as string)]),
      [
        ['160 ms', 'lag-2.freeze.btrace'],
        ['130 ms', 'lag-1.btrace'],
      ],
    );
    const { editors, lags } = (await btrace()).parts;
    assert.match(lags.message, /^3 lags, 3 users\. 1 file is no lag file: .*other\.btrace$/);
    const opened = new Promise<vscode.Uri>((resolve) => editors.onDidOpen(resolve));
    const { command, arguments: given = [] } = files[1]!.item.command!;
    await vscode.commands.executeCommand(command, ...(given as unknown[]));
    assert.equal((await opened).fsPath, first);
  });

  it('says so where there is nothing, or no folder', async () => {
    const { lags } = (await btrace()).parts;
    const empty = path.join(folder, 'empty');
    mkdirSync(empty);
    await show(vscode.Uri.file(empty));
    assert.deepEqual(await shown(), []);
    assert.equal(lags.message, `There are no .btrace files in ${empty}.`);
    rmSync(empty, { recursive: true });
    await vscode.commands.executeCommand('btrace.refreshLags');
    assert.deepEqual(await shown(), []);
    assert.match(lags.message, /empty is not there\./);
  });

  it('holds the host up for less than 50 ms with many files, and may be cancelled', async () => {
    const files = wide ? 2000 : 300;
    const many = path.join(folder, 'many');
    mkdirSync(many);
    for (let at = 0; at < files; at++) copyFileSync(first, path.join(many, `lag-${at}.btrace`));
    const { lags } = (await btrace()).parts;
    await assertShortTurns(async () => {
      await show(vscode.Uri.file(many));
      assert.equal((await shown())[0]!.item.description, `${files} lags · 1 user · worst 130 ms`);
    });
    await vscode.commands.executeCommand('btrace.refreshLags');
    const reading = lags.getChildren();
    lags.cancel();
    assert.deepEqual(await reading, []);
    assert.match(lags.message, /^Reading was cancelled after \d+ files\.$/);
  });
});
