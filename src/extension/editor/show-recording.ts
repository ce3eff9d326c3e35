/** Where recordings come up among the editors. */
import { commands, Uri, type ViewColumn, window } from 'vscode';

export const recordingView = 'btrace.recording';
export const foreignView = 'btrace.foreign';

/** Foreign formats have an editor of their own, so that they open in it only where a person says so. */
export function viewFor(uri: Uri): string {
  return uri.path.endsWith('.btrace') ? recordingView : foreignView;
}

/** The recording of a tab's input; undefined where it is something else. */
export function recordingOf(input: unknown): Uri | undefined {
  if (typeof input !== 'object' || input === null || !('viewType' in input) || !('uri' in input))
    return undefined;
  const ours = input.viewType === recordingView || input.viewType === foreignView;
  return ours && input.uri instanceof Uri ? input.uri : undefined;
}

/** Opens it where it is open already, else where another recording is: in front may be a source, beside the recordings. */
export async function showRecording(uri: Uri): Promise<void> {
  await commands.executeCommand('vscode.openWith', uri, viewFor(uri), columnFor(uri.toString()));
}

/** Closes its tabs. */
export async function closeRecording(uri: Uri): Promise<void> {
  const tabs = window.tabGroups.all.flatMap((group) => group.tabs);
  await window.tabGroups.close(tabs.filter(({ input }) => recordingOf(input)?.toString() === uri.toString()));
}

function columnFor(recording: string): ViewColumn | undefined {
  // Of several groups the active one is first.
  const groups = [...window.tabGroups.all].sort((a, b) => Number(b.isActive) - Number(a.isActive));
  const recordings = groups.map(({ tabs, viewColumn }) => ({
    viewColumn,
    shown: tabs.flatMap(({ input }) => recordingOf(input)?.toString() ?? []),
  }));
  const withThis = recordings.find(({ shown }) => shown.includes(recording));
  return (withThis ?? recordings.find(({ shown }) => shown.length > 0))?.viewColumn;
}
