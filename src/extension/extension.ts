/** Puts the parts together. Each part owns its own file; what lives as long as the extension is disposed of with it. */
import { commands, languages, tasks, Uri, window, workspace, type ExtensionContext } from 'vscode';
import { RecordingEditors, recordingOfActiveTab, type PageServices } from './editor/recording-editor.js';
import { addSystemTrace, isSystemTraceChoice } from './editor/add-system-trace.js';
import { Baselines } from './editor/baselines.js';
import { codeNames } from './editor/code-names.js';
import { exportAs, isExportChoice } from './editor/export-as.js';
import { exportHtml } from './editor/export-html.js';
import { fileBytes } from './editor/file-bytes.js';
import { htmlOnDisk } from './editor/html-on-disk.js';
import { pageSettings } from './editor/page-settings.js';
import { CurrentFigures } from './figures/current-figures.js';
import { EngineClient } from './engine/engine-client.js';
import { chooseFigures, pickFigures } from './figures/choose-figures.js';
import { Hovers } from './figures/hovers.js';
import { Lenses } from './figures/lenses.js';
import { LineDecorations } from './figures/line-decorations.js';
import { Memory } from './memory.js';
import { Notices } from './notice.js';
import { Recorder, type RecordArguments } from './recording/recorder.js';
import { Sessions } from './recording/sessions.js';
import { WorkspacePrograms } from './recording/workspace-programs.js';
import { recordingStatusItem } from './recording/status-item.js';
import type { DiscardedRecordings } from './recording/discarded.js';
import { RecordingStore, type StoredRecording } from './recording/store.js';
import { TargetRegistry } from './recording/target-registry.js';
import { RecordTasks } from './recording/record-task.js';
import { localOptions, targetSources } from './recording/target-sources.js';
import { ArchiveSources } from './sources/archive-sources.js';
import { ChangedSources } from './sources/changed-sources.js';
import { RetraceMappingChoice } from './sources/retrace-mapping-choice.js';
import { SampleSources } from './sources/sample-sources.js';
import { SourceOpener } from './sources/open-source.js';
import { FilesOfThisMachine } from './sources/outside-files.js';
import { WorkspaceFiles } from './sources/workspace-files.js';
import { WorkspacePackages } from './sources/workspace-packages.js';
import { setting } from './settings.js';
import { Queries } from './query/queries.js';
import { ModelTools } from './tools/model-tools.js';
import {
  chooseRecordings,
  givenOrShown,
  guardedCommand,
  openRecording,
  viewerCommands,
  type GivenRecording,
} from './viewer-commands.js';
import { LagsView, type LagNode } from './views/lags-view.js';
import { RecordingsView } from './views/recordings-view.js';
import { TargetsView, type TargetNode } from './views/targets-view.js';
import type { PageSettings } from '../protocol/messages.js';
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
  readonly lags: LagsView;
  readonly figures: CurrentFigures;
  readonly sources: SourceOpener;
  /** As a click on a recording's page does it. */
  readonly openSource: PageServices['openSource'];
  readonly packages: WorkspacePackages;
  readonly changed: ChangedSources;
  readonly queries: Queries;
  readonly tools: ModelTools;
}

let sessionsToStop: Sessions | undefined;
let discardedToClear: DiscardedRecordings | undefined;

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
  discardedToClear = store.discarded;
  const files = own(new WorkspaceFiles());
  const packages = own(new WorkspacePackages(files));
  const recorder = new Recorder(
    registry,
    sessions,
    store,
    memory,
    notices,
    localOptions(context, log),
    new WorkspacePrograms(packages, files),
  );
  for (const source of targetSources(context, log)) registry.add(source);

  const figures = own(new CurrentFigures(context.extensionPath, files, log));
  const mapping = own(new RetraceMappingChoice(memory, () => new EngineClient(context.extensionPath)));
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
  let ledBy: Uri | undefined;
  const sample = new SampleSources(context.extensionUri, () => ledBy);
  own(sample.register());
  const sources = new SourceOpener(
    files,
    [sample, archives],
    memory,
    notices,
    new FilesOfThisMachine(memory),
  );
  const exporting = {
    shown: (recording: Uri): string | undefined => editors.shown(recording),
    extensionUri: context.extensionUri,
    files: htmlOnDisk,
    settings,
    newEngine: () => new EngineClient(context.extensionPath),
    mapping: (recording: Uri) => mapping.excerpt(recording),
    currentRetraceMapping: () => mapping.current(),
  };
  const baselines = new Baselines(memory, store);
  const openSource: PageServices['openSource'] = async (recording, key, how, line, isRecorded) => {
    ledBy = recording;
    followSource(recording);
    const written = isRecorded ? await mapping.retrace(key) : key;
    // A mapping that moved the method has moved its lines.
    await sources.open(written, how, written.line === key.line ? line : 0);
  };
  const editors = own(
    new RecordingEditors(context, {
      sessions,
      notices,
      settings,
      readFile: fileBytes,
      openSource,
      mapping: (wanted) => mapping.excerpt(wanted),
      changedSources: (recording) => changed.since(recording.fsPath),
      codeNames: (recording, signal) => codeNames(recording, exporting.newEngine, signal),
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
  /** Figures beside a source are those of the recording that led there. */
  const followSource = (recording: Uri): void => {
    const isLive = sessions.writing(recording.fsPath) !== undefined;
    if (isLive || setting('figures.show') === 'off' || figures.isOf(recording)) return;
    shown.add(recording.toString());
    void notices.guard(() => showFigures(recording));
  };
  const showOnce = (recording: Uri): void => {
    const isLive = sessions.writing(recording.fsPath) !== undefined;
    if (isLive || shown.has(recording.toString()) || setting('figures.show') === 'off') return;
    shown.add(recording.toString());
    void notices.guard(() => showFigures(recording));
  };
  own(editors.onDidOpen(showOnce));
  /** What a person has done, for the walkthrough. */
  const did = (what: 'recorded' | 'recordedApp'): void =>
    void commands.executeCommand('setContext', `btrace.${what}`, true);
  own(
    recorder.onDidRecord((target) => {
      did('recorded');
      if (target.kind === 'android') did('recordedApp');
    }),
  );
  own(recorder.onDidFinish((file) => showOnce(Uri.file(file))));
  const sourceFiles = { pattern: `**/*.{java,kt,kts,${nativeExtensions.join()}}` };
  own(languages.registerCodeLensProvider(sourceFiles, own(new Lenses(figures))));
  own(languages.registerHoverProvider(sourceFiles, new Hovers(figures)));
  own(new LineDecorations(figures));
  own(recordingStatusItem(sessions));
  void notices.guard(() => recorder.tellUnfinished());
  void notices.guard(() => store.discarded.sweep());
  own(tasks.registerTaskProvider(RecordTasks.type, new RecordTasks(recorder, memory, notices)));
  const targets = own(new TargetsView(registry, sessions));
  const recordings = own(new RecordingsView(store, sessions, changed));
  const lags = own(
    new LagsView({
      newEngine: () => new EngineClient(context.extensionPath),
      mapping: () => mapping.current(),
      memory,
    }),
  );
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

  own(viewerCommands({ log, notices, memory, editors, baselines, sample, exporting }).registered);
  const command = (name: string, work: (...given: never[]) => unknown): void =>
    void own(guardedCommand(notices, name, work));
  command('record', (given?: RecordArguments) => recorder.record(given));
  command('recordFromStart', () => recorder.recordFromStart());
  command('recordTarget', (node?: TargetNode) =>
    node?.type === 'target' ? recorder.recordTarget(node.target) : recorder.record(),
  );
  command('stop', (which?: number | TargetNode) => recorder.stop(sessionId(which)));
  command('cancel', (which?: number | TargetNode) => recorder.cancel(sessionId(which)));
  command('undoCancel', () => recorder.undoCancel());
  command('dump', (which?: number | TargetNode) => recorder.dump(sessionId(which)));
  command('watch', (id: number) => recorder.watch(id));
  command('explain', (error: Error) => {
    throw error;
  });
  command('refreshTargets', () => targets.refresh());
  command('refreshRecordings', () => recordings.refresh());
  command('showLags', (folder?: Uri) => lags.show(folder));
  command('refreshLags', () => lags.refresh());
  command('openLag', async (given?: LagNode) => {
    const node = given ?? lags.selected;
    if (node?.type !== 'lag') return;
    const { file, thread, beginNs, ns } = node.lag;
    await editors.revealStretch(Uri.file(file), { thread, beginNs, endNs: beginNs + ns });
  });
  const onRecording = (name: string, work: (recording: StoredRecording) => unknown): void =>
    command(name, (given?: StoredRecording) => {
      const recording = given ?? recordings.selected;
      return recording === undefined ? undefined : work(recording);
    });
  onRecording('reopenRecording', (recording) => openRecording(Uri.file(recording.file)));
  onRecording('renameRecording', (recording) => recordings.rename(recording));
  onRecording('deleteRecording', (recording) => recordings.delete(recording));
  onRecording('revealRecording', (recording) => recordings.reveal(recording));
  command('showFigures', async (given?: GivenRecording) => {
    const uri = await givenOrShown(given, editors);
    if (uri === undefined) return;
    await showFigures(uri);
    if (setting('figures.show') === 'off') {
      await chooseFigures('all');
    }
  });
  command('exportAs', async (given?: GivenRecording, choice?: unknown) => {
    const recording = await givenOrShown(given, editors);
    return recording && exportAs(recording, exporting, isExportChoice(choice) ? choice : undefined);
  });
  command('addSystemTrace', async (given?: GivenRecording, choice?: unknown) => {
    const recording = await givenOrShown(given, editors);
    const known = isSystemTraceChoice(choice) ? choice : undefined;
    return recording && addSystemTrace(recording, exporting.newEngine, known);
  });
  const queries = own(
    new Queries(context.extensionPath, {
      recording: async () =>
        recordingOfActiveTab() ??
        editors.active ??
        figures.figures?.recording ??
        (await chooseRecordings())[0],
      openSource: async (key) => sources.open(await mapping.retrace(key), 'go'),
      reveal: (recording, key) => editors.reveal(recording, key),
      guard: (work) => notices.guard(work),
    }),
  );
  queries.register().forEach(own);
  const tools = own(
    new ModelTools({
      ...{ extensionPath: context.extensionPath, registry, recorder, files },
      mapping: () => mapping.current(),
    }),
  );
  command('query', () => queries.open());
  command('runQuery', () => queries.run());
  command('chooseFigures', () => pickFigures(figures));
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
  own(
    workspace.onDidChangeConfiguration((event) => {
      const ours = ['btrace.sources.myPackages', 'btrace.sources.mapping'];
      if (ours.some((name) => event.affectsConfiguration(name))) tellSettings();
      if (event.affectsConfiguration('btrace.figures')) figures.redraw();
    }),
  );
  return {
    addTargetSource: (source) => registry.add(source),
    parts: {
      recorder,
      editors,
      targets,
      recordings,
      lags,
      figures,
      sources,
      openSource,
      packages,
      changed,
      queries,
      tools,
    },
  };
}

/** The window goes away: what was recorded so far is made whole. */
export async function deactivate(): Promise<void> {
  await sessionsToStop?.close();
  await discardedToClear?.clear();
}

function sessionId(which: number | TargetNode | undefined): number | undefined {
  if (typeof which === 'number') return which;
  return which?.type === 'session' ? which.active.id : undefined;
}
