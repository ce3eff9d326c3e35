/** A trace of another program that opened as text: that BTrace opens it is said once, ever. */
import { l10n, TabInputText, window, type Disposable, type Tab } from 'vscode';
import { baseName } from '../base-name.js';
import type { Memory } from '../memory.js';
import { showRecording } from './show-recording.js';
import { traceNames } from './trace-names.js';

export function offerToOpen(memory: Memory): Disposable {
  const offerFor = (tabs: readonly (Tab | undefined)[]): void => {
    for (const tab of tabs) void offer(tab?.input, memory);
  };
  // A file may be what the extension is activated by.
  offerFor(window.tabGroups.all.map(({ activeTab }) => activeTab));
  return window.tabGroups.onDidChangeTabs(({ opened }) => offerFor(opened));
}

async function offer(input: unknown, memory: Memory): Promise<void> {
  if (!(input instanceof TabInputText) || !traceNames.test(input.uri.path) || memory.openingOffered.get())
    return;
  await memory.openingOffered.set(true);
  const open = l10n.t('Open with BTrace');
  const text = l10n.t('{0} is a trace or profile that BTrace can show.', baseName(input.uri));
  if ((await window.showInformationMessage(text, open)) === open) await showRecording(input.uri);
}
