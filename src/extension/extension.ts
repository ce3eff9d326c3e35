/** Puts the parts together. Each part owns its own file; what lives as long as the extension is disposed of with it. */
import {
  commands,
  l10n,
  Uri,
  window,
  workspace,
  type ExtensionContext,
  type OpenDialogOptions,
} from 'vscode';
import { RecordingEditors, recordingOfActiveTab, recordingView } from './editor/recording-editor.js';
import { exportHtml } from './editor/export-html.js';
import { pageSettings } from './editor/page-settings.js';
import { Memory } from './memory.js';
import { Notices } from './notice.js';
import { Recorder, type RecordArguments } from './recording/recorder.js';
import { Sessions } from './recording/sessions.js';
import { recordingStatusItem } from './recording/status-item.js';
import { RecordingStore, type StoredRecording } from './recording/store.js';
import { TargetRegistry } from './recording/target-registry.js';
import { targetSources } from './recording/target-sources.js';
import { SourceOpener } from './sources/open-source.js';
import { WorkspaceFiles } from './sources/workspace-files.js';
import { RecordingsView } from './views/recordings-view.js';
import { TargetsView, type TargetNode } from './views/targets-view.js';
import type { PageCommand } from '../protocol/messages.js';
import type { TargetSource } from '../targets/target.js';

/** What other extensions, and the tests, may use. */
export interface BTraceApi {
  /** Adds a kind of target to the lists. */
  addTargetSource(source: TargetSource): { dispose(): void };
  readonly parts: Parts;
}

export interface Parts {
  readonly recorder: Recorder;
  readonly editors: RecordingEditors;
  readonly targets: TargetsView;
  readonly recordings: RecordingsView;
}

const pageCommands: readonly PageCommand[] = [
  'find',
  'timeline',
  'flameGraph',
  'callTree',
  'bottomUp',
  'methods',
  'callers',
];

let sessionsToStop: Sessions | undefined;

export function activate(context: ExtensionContext): BTraceApi {
  const own = <T extends { dispose(): unknown }>(part: T): T => {
    context.subscriptions.push(part);
    return part;
  };
  const log = own(window.createOutputChannel('BTrace', { log: true }));
  const notices = new Notices(log);
  const memory = new Memory(context);
  const registry = new TargetRegistry();
  const sessions = own(new Sessions());
  sessionsToStop = sessions;
  const store = new RecordingStore(context);
  const recorder = new Recorder(registry, sessions, store, memory, notices);
  for (const source of targetSources(context, log)) registry.add(source);

  const files = own(new WorkspaceFiles());
  const sources = new SourceOpener(files, [], (key) => key, memory, notices);
  const editors = own(
    new RecordingEditors(context, {
      sessions,
      notices,
      settings: pageSettings,
      openSource: (key, beside) => sources.open(key, beside),
    }),
  );
  editors.register().forEach(own);
  own(recordingStatusItem(sessions));
  const targets = own(new TargetsView(registry, sessions));
  const recordings = own(new RecordingsView(store, sessions));

  /** What VS Code hands a command is known to who asks for it, not here. */
  const command = (name: string, work: (given: never) => unknown): void => {
    own(
      commands.registerCommand(`btrace.${name}`, (given: unknown) =>
        notices.guard(() => work(given as never)),
      ),
    );
  };
  command('record', (given?: RecordArguments) => recorder.record(given));
  command('recordTarget', (node?: TargetNode) =>
    node?.type === 'target' ? recorder.recordTarget(node.target) : recorder.record(),
  );
  command('stop', (which?: number | TargetNode) => recorder.stop(sessionId(which)));
  command('cancel', (which?: number | TargetNode) => recorder.cancel(sessionId(which)));
  command('dump', (which?: number | TargetNode) => recorder.dump(sessionId(which)));
  command('watch', (id: number) => recorder.watch(id));
  command('showLog', () => log.show());
  command('openRecording', (uri?: Uri) => openRecording(uri));
  command('refreshTargets', () => targets.refresh());
  command('refreshRecordings', () => recordings.refresh());
  const onRecording = (name: string, work: (recording: StoredRecording) => unknown): void =>
    command(name, (given?: StoredRecording) => {
      const recording = given ?? recordings.selected;
      return recording === undefined ? undefined : work(recording);
    });
  onRecording('reopenRecording', (recording) => openRecording(Uri.file(recording.file)));
  onRecording('renameRecording', (recording) => recordings.rename(recording));
  onRecording('deleteRecording', (recording) => recordings.delete(recording));
  onRecording('revealRecording', (recording) => recordings.reveal(recording));
  command('forgetSources', async () => {
    await memory.sourceChoices.set({});
    await memory.allowedFolders.set([]);
    void window.showInformationMessage(l10n.t('Remembered source files and folders are forgotten.'));
  });
  for (const name of pageCommands) {
    command(`page.${name}`, () => editors.post({ type: 'command', command: name }));
  }
  command('page.exportHtml', async () => {
    const uri = recordingOfActiveTab() ?? editors.active;
    if (uri !== undefined) await exportHtml(context.extensionUri, uri);
  });
  own(
    workspace.onDidChangeConfiguration((event) => {
      if (event.affectsConfiguration('btrace'))
        editors.postAll({ type: 'settings', settings: pageSettings() });
    }),
  );
  return {
    addTargetSource: (source) => registry.add(source),
    parts: { recorder, editors, targets, recordings },
  };
}

/** The window goes away: what was recorded so far is made whole. */
export async function deactivate(): Promise<void> {
  await sessionsToStop?.stopAll();
}

function sessionId(which: number | TargetNode | undefined): number | undefined {
  if (typeof which === 'number') return which;
  return which?.type === 'session' ? which.active.id : undefined;
}

async function openRecording(given: Uri | undefined): Promise<void> {
  const dialog: OpenDialogOptions = {
    title: l10n.t('Open Recording'),
    canSelectMany: true,
    filters: { [l10n.t('BTrace recordings')]: ['btrace'], [l10n.t('All files')]: ['*'] },
  };
  const chosen = given === undefined ? await window.showOpenDialog(dialog) : [given];
  for (const uri of chosen ?? []) await commands.executeCommand('vscode.openWith', uri, recordingView);
}
