// In a workspace that is not trusted: recordings open, nothing is recorded.
import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { btrace, closeAll, openRecording, scratchFile } from '../btrace.js';
import { tillMethods, writeRecording } from '../recordings.js';
import { toastsOf } from '../person.js';
import { ScriptedTarget, ScriptedTargets } from '../scripted-targets.js';

describe('restricted mode', () => {
  after(closeAll);

  it('opens recordings', async () => {
    assert.equal(vscode.workspace.isTrusted, false);
    const file = scratchFile('till.btrace');
    await writeRecording(file, { methods: tillMethods, stacks: [[0, 1]], samples: 20 });
    await openRecording(file);
  });

  it('records nothing', async () => {
    const source = new ScriptedTargets();
    const till = new ScriptedTarget('till', 900_000);
    source.targets.push(till);
    const added = (await btrace()).addTargetSource(source);
    try {
      const toasts = await toastsOf({}, () =>
        vscode.commands.executeCommand('btrace.record', { target: 'till' }),
      );
      assert.equal(till.sessions.length, 0);
      assert.deepEqual(
        toasts.map(({ text, buttons }) => [text.replace(/,.*?\. /, '. '), buttons[0]]),
        [
          [
            'Recording is switched off in Restricted Mode. Trust this workspace to record; recordings can be opened either way.',
            'Manage Workspace Trust',
          ],
        ],
      );
    } finally {
      added.dispose();
    }
  });

  it('takes no setting of the workspace that names a program, a folder or a server', () => {
    const manifest = vscode.extensions.getExtension('btrace.btrace')!.packageJSON as {
      capabilities: { untrustedWorkspaces: { restrictedConfigurations: string[] } };
    };
    assert.deepEqual(manifest.capabilities.untrustedWorkspaces.restrictedConfigurations.toSorted(), [
      'btrace.adb.path',
      'btrace.adb.server',
      'btrace.agent.folder',
      'btrace.ios.symbols',
      'btrace.recording.folder',
      'btrace.recording.systemConfig',
      'btrace.sources.jdk',
      'btrace.sources.mapping',
    ]);
  });
});
