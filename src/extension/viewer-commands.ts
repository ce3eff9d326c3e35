/** Commands that need no machine behind the editor: what they do is the same in a browser. */
import { commands, Disposable, l10n, Uri, window, type LogOutputChannel } from 'vscode';
import { pageViews } from '../protocol/messages.js';
import type { Baselines } from './editor/baselines.js';
import { exportHtml, type HtmlServices } from './editor/export-html.js';
import { offerToOpen } from './editor/offer-to-open.js';
import { recordingOfActiveTab, type RecordingEditors } from './editor/recording-editor.js';
import { showRecording } from './editor/show-recording.js';
import type { Memory } from './memory.js';
import type { Notices } from './notice.js';
import type { StoredRecording } from './recording/store.js';
import type { SampleSources } from './sources/sample-sources.js';

export interface Viewer {
  readonly log: LogOutputChannel;
  readonly notices: Notices;
  readonly memory: Memory;
  readonly editors: RecordingEditors;
  readonly baselines: Baselines;
  readonly sample: SampleSources;
  readonly exporting: HtmlServices;
}

/** A recording as a tree item, a resource of the explorer, or not named at all. */
export type GivenRecording = Uri | StoredRecording | undefined;

/** What VS Code hands a command is known to who asks for it, not here. */
export function guardedCommand(
  notices: Notices,
  name: string,
  work: (...given: never[]) => unknown,
): Disposable {
  return commands.registerCommand(`btrace.${name}`, (...given: unknown[]) =>
    notices.guard(() => work(...(given as never[]))),
  );
}

export interface ViewerCommands {
  /** Without "btrace.". */
  readonly names: readonly string[];
  readonly registered: Disposable;
}

export function viewerCommands(viewer: Viewer): ViewerCommands {
  const { log, notices, memory, editors, baselines, sample, exporting } = viewer;
  const works: Record<string, (...given: never[]) => unknown> = {
    showLog: () => log.show(),
    openRecording,
    openWith: openRecording,
    openSample: () => showRecording(sample.recording),
    async compareWith(given?: GivenRecording, before?: unknown) {
      const recording = await givenOrShown(given, editors);
      if (recording === undefined) return;
      const baseline = before instanceof Uri ? before : await baselines.choose(recording);
      if (baseline !== undefined) await editors.compare(recording, baseline);
    },
    async forgetSources() {
      await memory.sourceChoices.set({});
      await memory.allowedFolders.set([]);
      void window.showInformationMessage(l10n.t('Remembered source files and folders are forgotten.'));
    },
    async 'page.exportHtml'() {
      const uri = recordingOfActiveTab() ?? editors.active;
      if (uri !== undefined) await exportHtml(exporting, uri);
    },
  };
  for (const name of ['find', ...pageViews] as const)
    works[`page.${name}`] = () => editors.post({ type: 'command', command: name });
  const registered = Disposable.from(
    ...Object.entries(works).map(([name, work]) => guardedCommand(notices, name, work)),
    offerToOpen(memory),
    // For the walkthrough.
    editors.onDidOpen((recording) => {
      if (sample.isSample(recording)) void commands.executeCommand('setContext', 'btrace.openedSample', true);
    }),
  );
  return { names: Object.keys(works), registered };
}

/** The one that is meant where none is named: the one in front, the last one, or one that the person chooses. */
export async function givenOrShown(
  given: GivenRecording,
  editors: RecordingEditors,
): Promise<Uri | undefined> {
  if (given !== undefined) return given instanceof Uri ? given : Uri.file(given.file);
  return recordingOfActiveTab() ?? editors.active ?? (await chooseRecordings())[0];
}

export async function openRecording(given?: Uri): Promise<void> {
  const chosen = given === undefined ? await chooseRecordings() : [given];
  for (const uri of chosen) await showRecording(uri);
}

export async function chooseRecordings(): Promise<readonly Uri[]> {
  const chosen = await window.showOpenDialog({
    title: l10n.t('Open Recording'),
    canSelectMany: true,
    filters: { [l10n.t('BTrace recordings')]: ['btrace'], [l10n.t('All files')]: ['*'] },
  });
  return chosen ?? [];
}
