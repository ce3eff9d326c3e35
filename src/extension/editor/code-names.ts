/** Names of functions for a trace that holds addresses alone: the page cannot read the files that they stand in. */
import { l10n, ProgressLocation, window, workspace, type Uri } from 'vscode';
import type { NamedCode } from '../../trace/index.js';
import { baseName } from '../base-name.js';
import type { EngineClient } from '../engine/engine-client.js';

const magic = new TextEncoder().encode('PERFILE2');

/** Whether a file that begins so may have code whose names stand elsewhere. */
export function mayHaveUnnamedCode(begin: ArrayBuffer): boolean {
  const bytes = new Uint8Array(begin, 0, Math.min(magic.length, begin.byteLength));
  return magic.every((byte, at) => bytes[at] === byte);
}

/**
 * Undefined where nothing is looked up: of a file that is not on this machine, and in a workspace that is not trusted, because a
 * trace tells which files are read.
 */
export async function codeNames(
  recording: Uri,
  newEngine: () => EngineClient,
  signal: AbortSignal,
): Promise<readonly NamedCode[] | undefined> {
  if (signal.aborted || recording.scheme !== 'file' || !workspace.isTrusted) return undefined;
  const engine = newEngine();
  const stop = (): void => engine.dispose();
  signal.addEventListener('abort', stop, { once: true });
  try {
    const title = l10n.t('Naming the functions of {0}', baseName(recording));
    return await window.withProgress({ location: ProgressLocation.Window, title }, () =>
      engine.codeNames(recording.fsPath),
    );
  } catch {
    return undefined; // the page shows addresses, and says how many
  } finally {
    signal.removeEventListener('abort', stop);
    engine.dispose();
  }
}
