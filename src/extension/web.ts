/**
 * The extension where there is no machine behind the editor (vscode.dev): it shows recordings and traces, and opens their sources. It
 * has no Node, no processes, and no files but those of `workspace.fs`; the page decodes by itself here as everywhere.
 */
import { commands, l10n, window, workspace, type ExtensionContext, type Uri } from 'vscode';
import { Baselines } from './editor/baselines.js';
import { exportHtml, type HtmlServices } from './editor/export-html.js';
import { htmlByVSCode } from './editor/html-by-vscode.js';
import { pageSettings } from './editor/page-settings.js';
import { RecordingEditors } from './editor/recording-editor.js';
import { wholeBytes } from './editor/whole-bytes.js';
import { Memory } from './memory.js';
import { Notices } from './notice.js';
import { SourceOpener } from './sources/open-source.js';
import { SampleSources } from './sources/sample-sources.js';
import { WorkspaceFiles } from './sources/workspace-files.js';
import { WorkspacePackages } from './sources/workspace-packages.js';
import { viewerCommands } from './viewer-commands.js';
import type { PageSettings } from '../protocol/messages.js';

export function activate(context: ExtensionContext): void {
  const own = <T extends { dispose(): unknown }>(part: T): T => {
    context.subscriptions.push(part);
    return part;
  };
  const log = own(window.createOutputChannel('BTrace', { log: true }));
  const notices = new Notices(log);
  const memory = new Memory(context);
  const files = own(new WorkspaceFiles());
  const packages = own(new WorkspacePackages(files));
  let ledBy: Uri | undefined;
  const sample = new SampleSources(context.extensionUri, () => ledBy);
  own(sample.register());
  const sources = new SourceOpener(files, [sample], memory, notices, undefined);
  const baselines = new Baselines(memory, { list: () => Promise.resolve([]) });
  const settings = (): PageSettings => pageSettings(packages.prefixes, undefined);
  const mapping = () => Promise.resolve({ file: '', text: '' });
  const exporting: HtmlServices = {
    extensionUri: context.extensionUri,
    files: htmlByVSCode,
    settings,
    shown: (recording) => editors.shown(recording),
    mapping,
  };
  const editors = own(
    new RecordingEditors(context, {
      sessions: { writing: () => undefined },
      notices,
      settings,
      readFile: wholeBytes,
      openSource: (recording, key, how, line) => {
        ledBy = recording;
        return sources.open(key, how, line);
      },
      codeNames: () => Promise.resolve(undefined),
      mapping,
      changedSources: () => Promise.resolve([]),
      exportHtml: (recording) => exportHtml(exporting, recording),
      baselines,
    }),
  );
  editors.register().forEach(own);
  const tellSettings = (): void => editors.postAll({ type: 'settings', settings: settings() });
  own(packages.onDidChange(tellSettings));
  own(
    workspace.onDidChangeConfiguration((event) => {
      if (event.affectsConfiguration('btrace.sources.myPackages')) tellSettings();
    }),
  );
  const viewer = { log, notices, memory, editors, baselines, sample, exporting };
  const { names, registered } = viewerCommands(viewer);
  own(registered);
  // Empty, so that it shows what can be opened.
  own(
    window.registerTreeDataProvider('btrace.recordings', {
      getChildren: () => [],
      getTreeItem: (none: never) => none,
    }),
  );
  const { contributes } = context.extension.packageJSON as {
    contributes: { commands: readonly { readonly command: string; readonly title: string }[] };
  };
  for (const { command, title } of contributes.commands) {
    if (names.includes(command.replace('btrace.', ''))) continue;
    own(
      commands.registerCommand(command, () =>
        notices.warning(
          l10n.t('“{0}” needs VS Code on a computer. Here BTrace shows recordings and traces.', title),
        ),
      ),
    );
  }
}
