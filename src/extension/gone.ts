/** A file that is asked for and not there: what a person is told, wherever that shows. */
import { commands, l10n, type Uri } from 'vscode';
import { baseName } from './base-name.js';
import { Problem } from './notice.js';

/** As Node says it, or as `workspace.fs` does. */
function isGone(error: unknown): boolean {
  return error instanceof Error && 'code' in error && ['ENOENT', 'FileNotFound'].includes(String(error.code));
}

export function goneRecording(uri: Uri, cause: unknown): Problem {
  return new Problem(
    l10n.t('{0} is not there any more.', baseName(uri)),
    l10n.t('It was moved, renamed or deleted: open it from where it is now.'),
    [],
    { cause },
  );
}

/** Says what a person reads where the file that is being read is not there. */
export async function toldGone<T>(uri: Uri, reading: Promise<T>): Promise<T> {
  try {
    return await reading;
  } catch (error) {
    throw isGone(error) ? goneRecording(uri, error) : error;
  }
}

export function goneRetraceMapping(uri: Uri, cause: unknown): Problem {
  return new Problem(
    l10n.t('{0} is not there any more.', baseName(uri)),
    l10n.t('Build the program again, or choose another mapping (btrace.sources.mapping comes first).'),
    [{ title: l10n.t('Choose R8 Mapping'), run: () => commands.executeCommand('btrace.chooseMapping') }],
    { cause },
  );
}
