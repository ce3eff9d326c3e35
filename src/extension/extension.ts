/** Puts the parts together. Each part owns its own file; what lives as long as the extension is disposed of with it. */
import {
  commands,
  ConfigurationTarget,
  l10n,
  languages,
  tasks,
  Uri,
  window,
  workspace,
  type ExtensionContext,
} from 'vscode';
import { RecordingEditors, recordingOfActiveTab, viewFor } from './editor/recording-editor.js';
import { Baselines } from './editor/baselines.js';
import { exportAs, isExportChoice } from './editor/export-as.js';
import { exportHtml } from './editor/export-html.js';
import { pageSettings } from './editor/page-settings.js';
import { CurrentFigures } from './figures/current-figures.js';
import { EngineClient } from './engine/engine-client.js';
import { Hovers } from './figures/hovers.js';
import { Lenses } from './figures/lenses.js';
import { LineDecorations } from './figures/line-decorations.js';
import { Memory } from './memory.js';
import { Notices } from './notice.js';
import { Recorder, type RecordArguments } from './recording/recorder.js';
import { Sessions } from './recording/sessions.js';
import { recordingStatusItem } from './recording/status-item.js';
import { RecordingStore, type StoredRecording } from './recording/store.js';
import { TargetRegistry } from './recording/target-registry.js';
import { RecordTasks } from './recording/record-task.js';
import { localOptions, targetSources } from './recording/target-sources.js';
import { ArchiveSources } from './sources/archive-sources.js';
import { ChangedSources } from './sources/changed-sources.js';
import { MappingChoice } from './sources/mapping-choice.js';
import { SourceOpener } from './sources/open-source.js';
import { WorkspaceFiles } from './sources/workspace-files.js';
import { WorkspacePackages } from './sources/workspace-packages.js';
import { setting } from './settings.js';
import { RecordingsView } from './views/recordings-view.js';
import { TargetsView, type TargetNode } from './views/targets-view.js';
import { pageViews, type PageSettings } from '../protocol/messages.js';
import { nativeExtensions } from '../symbols/scan/declarations.js';
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
  readonly figures: CurrentFigures;
  readonly sources: SourceOpener;
  readonly packages: WorkspacePackages;
  readonly changed: ChangedSources;
}

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
  const store = own(new RecordingStore(context));
  const recorder = new Recorder(registry, sessions, store, memory, notices, localOptions(context, log));
  for (const source of targetSources(context, log)) registry.add(source);

  const files = own(new WorkspaceFiles());
  const packages = own(new WorkspacePackages(files));
  const figures = own(new CurrentFigures(context.extensionPath, files, log));
  const mapping = own(new MappingChoice(memory, () => new EngineClient(context.extensionPath)));
  const changed = own(
    new ChangedSources(
      files,
      () => new EngineClient(context.extensionPath),
      () => mapping.current(),
    ),
  );
  const settings = (): PageSettings => pageSettings(packages.prefixes, mapping.chosen);
  const archives = new ArchiveSources(() => figures.figures?.columns.runtime ?? '');
  own(archives.register());
  const sources = new SourceOpener(files, [archives], memory, notices);
  const exporting = {
    extensionUri: context.extensionUri,
    settings,
    newEngine: () => new EngineClient(context.extensionPath),
    mapping: (recording: Uri) => mapping.excerpt(recording),
    currentMapping: () => mapping.current(),
  };
  const baselines = new Baselines(memory, store);
  const editors = own(
    new RecordingEditors(context, {
      sessions,
      notices,
      settings,
      openSource: async (key, beside, isRecorded) =>
        sources.open(isRecorded ? await mapping.unmap(key) : key, beside),
      mapping: (wanted) => mapping.excerpt(wanted),
      changedSources: (recording) => changed.since(recording.fsPath),
      exportHtml: (recording) => exportHtml(exporting, recording),
      baselines,
    }),
  );
  editors.register().forEach(own);
  const tellSettings = (): void => {
    editors.postAll({ type: 'settings', settings: settings() });
    changed.mappingChanged();
  };
  own(packages.onDidChange(tellSettings));
  own(changed.onDidChange(() => editors.tellChangedSources()));
  const showFigures = async (recording: Uri): Promise<boolean> =>
    figures.show(recording, await mapping.current());
  /** By itself only once for each recording: a page is made anew whenever its tab comes back. */
  const shown = new Set<string>();
  const showOnce = (recording: Uri): void => {
    const isLive = sessions.writing(recording.fsPath) !== undefined;
    if (isLive || shown.has(recording.toString()) || setting('figures.show') === 'off') return;
    shown.add(recording.toString());
    void notices.guard(() => showFigures(recording));
  };
  own(editors.onDidOpen(showOnce));
  own(recorder.onDidFinish((file) => showOnce(Uri.file(file))));
  const sourceFiles = { pattern: `**/*.{java,kt,kts,${nativeExtensions.join()}}` };
  own(languages.registerCodeLensProvider(sourceFiles, own(new Lenses(figures))));
  own(languages.registerHoverProvider(sourceFiles, new Hovers(figures)));
  own(new LineDecorations(figures));
  own(recordingStatusItem(sessions));
  void notices.guard(() => recorder.tellUnfinished());
  own(tasks.registerTaskProvider(RecordTasks.type, new RecordTasks(recorder, memory, notices)));
  const targets = own(new TargetsView(registry, sessions));
  const recordings = own(new RecordingsView(store, sessions, changed));
  own(
    workspace.onDidRenameFiles(({ files: renamed }) => {
      for (const { oldUri, newUri } of renamed) {
        figures.renamed(oldUri, newUri);
        if (shown.has(oldUri.toString())) shown.add(newUri.toString());
      }
    }),
  );
  own(
    recordings.onDidDelete((uri) => {
      if (figures.figures?.recording.toString() === uri.toString()) figures.hide();
    }),
  );

  /** What VS Code hands a command is known to who asks for it, not here. */
  const command = (name: string, work: (given: never) => unknown): void => {
    own(
      commands.registerCommand(`btrace.${name}`, (given: unknown) =>
        notices.guard(() => work(given as never)),
      ),
    );
  };
  command('record', (given?: RecordArguments) => recorder.record(given));
  command('recordFromStart', () => recorder.recordFromStart());
  command('recordTarget', (node?: TargetNode) =>
    node?.type === 'target' ? recorder.recordTarget(node.target) : recorder.record(),
  );
  command('stop', (which?: number | TargetNode) => recorder.stop(sessionId(which)));
  command('cancel', (which?: number | TargetNode) => recorder.cancel(sessionId(which)));
  command('dump', (which?: number | TargetNode) => recorder.dump(sessionId(which)));
  command('watch', (id: number) => recorder.watch(id));
  command('showLog', () => log.show());
  command('openRecording', (uri?: Uri) => openRecording(uri));
  command('explain', (error: Error) => {
    throw error;
  });
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
  command('showFigures', async (given?: Uri | StoredRecording) => {
    const uri = uriOf(given) ?? recordingOfActiveTab() ?? editors.active ?? (await chooseRecordings())[0];
    if (uri === undefined) return;
    await showFigures(uri);
    if (setting('figures.show') === 'off') {
      await workspace.getConfiguration('btrace').update('figures.show', 'lens', ConfigurationTarget.Global);
    }
  });
  own(
    commands.registerCommand('btrace.exportAs', (given?: Uri | StoredRecording, choice?: unknown) =>
      notices.guard(async () => {
        const recording =
          uriOf(given) ?? recordingOfActiveTab() ?? editors.active ?? (await chooseRecordings())[0];
        return recording && exportAs(recording, exporting, isExportChoice(choice) ? choice : undefined);
      }),
    ),
  );
  own(
    commands.registerCommand('btrace.compareWith', (given?: Uri | StoredRecording, before?: unknown) =>
      notices.guard(async () => {
        const recording =
          uriOf(given) ?? recordingOfActiveTab() ?? editors.active ?? (await chooseRecordings())[0];
        if (recording === undefined) return;
        const baseline = before instanceof Uri ? before : await baselines.choose(recording);
        if (baseline !== undefined) await editors.compare(recording, baseline);
      }),
    ),
  );
  command('hideFigures', () => figures.hide());
  command('revealMethod', async (row: number) => {
    const [key, recording] = [figures.keyOf(row), figures.figures?.recording];
    if (key !== undefined && recording !== undefined) await editors.reveal(recording, key);
  });
  command('chooseMapping', async () => {
    const shown = figures.figures?.recording;
    if (!(await mapping.choose())) return;
    tellSettings();
    if (shown !== undefined) await showFigures(shown);
  });
  command('forgetSources', async () => {
    await memory.sourceChoices.set({});
    await memory.allowedFolders.set([]);
    void window.showInformationMessage(l10n.t('Remembered source files and folders are forgotten.'));
  });
  for (const name of ['find', ...pageViews] as const) {
    command(`page.${name}`, () => editors.post({ type: 'command', command: name }));
  }
  command('page.exportHtml', async () => {
    const uri = recordingOfActiveTab() ?? editors.active;
    if (uri !== undefined) await exportHtml(exporting, uri);
  });
  own(
    workspace.onDidChangeConfiguration((event) => {
      const ours = ['btrace.sources.myPackages', 'btrace.sources.mapping'];
      if (ours.some((name) => event.affectsConfiguration(name))) tellSettings();
      if (event.affectsConfiguration('btrace.figures')) figures.redraw();
    }),
  );
  return {
    addTargetSource: (source) => registry.add(source),
    parts: { recorder, editors, targets, recordings, figures, sources, packages, changed },
  };
}

/** The window goes away: what was recorded so far is made whole. */
export async function deactivate(): Promise<void> {
  await sessionsToStop?.close();
}

function sessionId(which: number | TargetNode | undefined): number | undefined {
  if (typeof which === 'number') return which;
  return which?.type === 'session' ? which.active.id : undefined;
}

/** A recording as a tree item, a resource of the explorer, or not named at all. */
function uriOf(given: Uri | StoredRecording | undefined): Uri | undefined {
  return given === undefined || given instanceof Uri ? given : Uri.file(given.file);
}

async function openRecording(given: Uri | undefined): Promise<void> {
  const chosen = given === undefined ? await chooseRecordings() : [given];
  for (const uri of chosen) await commands.executeCommand('vscode.openWith', uri, viewFor(uri));
}

async function chooseRecordings(): Promise<readonly Uri[]> {
  const chosen = await window.showOpenDialog({
    title: l10n.t('Open Recording'),
    canSelectMany: true,
    filters: { [l10n.t('BTrace recordings')]: ['btrace'], [l10n.t('All files')]: ['*'] },
  });
  return chosen ?? [];
}
