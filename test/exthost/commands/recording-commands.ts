/** From a program to its recording: `btrace.record` to `btrace.dump`. */
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { rm, writeFile } from 'node:fs/promises';
import * as vscode from 'vscode';
import { TargetError } from '../../../src/targets/target.js';
import { btrace } from '../btrace.js';
import { toastsOf, withPerson } from '../person.js';
import { until } from '../../rigs/until.js';
import { accept, isOneError, isOpen, recording, run, target } from './command-tests.js';
import type { CommandTests } from './command-tests.js';

export const recordingCommands: CommandTests = {
  async record() {
    const till = target('commands.Asked');
    await withPerson({}, async ({ picks }) => {
      const recorded = run<string>('record');
      await until('the targets are listed', () => picks.length === 1);
      await accept(picks[0]!, 'commands.Asked');
      await until('the presets are listed', () => picks.length === 2);
      await accept(picks[1]!, 'Memory');
      const [session] = await until('it records', () => till.sessions.length > 0 && till.sessions);
      assert.equal(till.options!.allocationIntervalBytes, 8 * 1024);
      await session!.stop();
      await isOpen(await recorded);
    });
    // Recorded from its launch alone, as an app that has our library in it.
    Object.assign(till, {
      refusal: 'It is not debuggable.',
      launchable: true,
      launchNeedsLibrary: true,
      label: 'Shop\u202etill',
    });
    isOneError(await toastsOf({}, () => run('record', { target: till.id })), /^It is not debuggable\./);
    await withPerson({}, async ({ picks }) => {
      const recorded = run<string>('record');
      await until('the targets are listed', () => picks.length === 1);
      await accept(picks[0]!, 'Shop till');
      const [{ description }] = picks[0]!.selectedItems as [vscode.QuickPickItem];
      assert.match(description ?? '', /^commands\.Asked · \d+ · Script$/);
      await until('the presets are listed', () => picks.length === 2);
      assert.match(picks[1]!.items[0]!.label, /^From launch, with BTrace's library in it/);
      await accept(picks[1]!, 'Balanced');
      const session = await until('it records', () => till.sessions[1]);
      assert.equal(till.options!.fromLaunch, true);
      await session.stop();
      await isOpen(await recorded);
    });
    till.refusal = undefined;
    till.failure = new TargetError('busy', 'Another agent is in there.', 'Stop the other one.');
    isOneError(
      await toastsOf({}, () => run('record', { target: till.id })),
      /^Another agent is in there\. Stop the other one\.$/,
    );
  },
  async recordFromStart() {
    // A command that ends without a Java program in it, or no agent on this machine: said once, and nothing is left.
    const { recorder } = (await btrace()).parts;
    await withPerson({ inputs: [''] }, async ({ picks, toasts }) => {
      const recorded = run('recordFromStart');
      await until('it asks for the command', () => picks.length === 1);
      picks[0]!.value = 'exit 0';
      await until('there is an entry', () => picks[0]!.activeItems.length > 0);
      await vscode.commands.executeCommand('workbench.action.acceptSelectedQuickOpenItem');
      await until('it asks for the preset', () => picks.length === 2);
      await accept(picks[1]!, 'Balanced');
      assert.equal(await recorded, undefined);
      isOneError(toasts, /./);
    });
    assert.deepEqual(recorder.sessions.all, []);
  },
  async recordTarget() {
    const till = target('commands.FromView');
    await withPerson({}, async ({ picks }) => {
      const recorded = run('recordTarget', { type: 'target', target: till });
      await until('the presets are listed', () => picks.length === 1);
      await accept(picks[0]!, 'Balanced');
      const [session] = await until('it records', () => till.sessions.length > 0 && till.sessions);
      await session!.cancel();
      await recorded;
    });
  },
  async refreshTargets() {
    const { targets } = (await btrace()).parts;
    const till = target('commands.Fresh');
    await run('refreshTargets');
    const top = await targets.getChildren();
    const all = [...top, ...(await Promise.all(top.map((node) => targets.getChildren(node)))).flat()];
    assert.ok(all.some((node) => node.type === 'target' && node.target === till));
  },
  async stop() {
    await recording(async (session, id) => {
      await run('stop', id);
      assert.equal((await session.ended).reason, 'stopped');
    });
    const toasts = await toastsOf({}, () => run('stop'));
    assert.deepEqual(
      toasts.map(({ text }) => text),
      ['Nothing is being recorded.'],
    );
  },
  async cancel() {
    await recording(async (session, id) => {
      await run('cancel', id);
      assert.equal((await session.ended).reason, 'stopped');
      await until('its file is out of sight', () => !existsSync(session.file));
    });
  },
  async undoCancel() {
    const { discarded } = (await btrace()).parts.recorder.store;
    const cancelled = async (): Promise<string> => {
      let file = '';
      const before = discarded.all.length;
      await toastsOf({}, () =>
        recording(async (session, id) => {
          ({ file } = session);
          await run('cancel', id);
        }),
      );
      assert.equal(discarded.all.length, before + 1);
      return file;
    };
    const earlier = discarded.all.length;
    const [first, second] = [await cancelled(), await cancelled()];
    // Of several the person chooses, the newest first.
    const back = await withPerson({ choices: ['commands.Till'] }, () => Promise.resolve(run('undoCancel')));
    assert.equal(back, second);
    await isOpen(second);
    assert.ok(!existsSync(first));
    // Its own place is taken.
    await writeFile(first, '');
    const elsewhere = await withPerson({ choices: ['commands.Till'] }, () =>
      Promise.resolve(run<string>('undoCancel')),
    );
    assert.ok(elsewhere && elsewhere !== first && existsSync(elsewhere));
    await isOpen(elsewhere);
    assert.equal(discarded.all.length, earlier);
    await rm(first);
  },
  async dump() {
    await recording(async (session, id) => {
      const file = await withPerson({ inputs: ['5'] }, () => Promise.resolve(run<string>('dump', id)));
      assert.deepEqual(session.dumped, [5e9]);
      await isOpen(file);
      session.dump = () => Promise.reject(new Error('The disk is full.'));
      isOneError(await toastsOf({ inputs: ['5'] }, () => run('dump', id)), /^The disk is full\./);
      session.whyNoDump = new TargetError('not-supported', 'It keeps no ring.', 'Record with one.');
      const told = await toastsOf({}, () => run('dump', id));
      isOneError(told, /^It keeps no ring\. Record with one\.$/);
    });
  },
};
