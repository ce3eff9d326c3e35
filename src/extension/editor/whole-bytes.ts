/** A recording's bytes where only `workspace.fs` has them: read whole up to a setting. */
import { l10n, workspace, type Uri } from 'vscode';
import { formatBytes } from '../../trace/measure/quantities.js';
import { toldGone } from '../gone.js';
import { Problem } from '../notice.js';
import { setting } from '../settings.js';

/**
 * Each piece takes a turn of the host, in which other extensions wait. It is new memory twice or more, and a slow machine takes 3 ms to
 * touch a megabyte of that. 200 MB reach the page 3 % later than in pieces of 4 MB.
 */
export const pieceBytes = 2 ** 20;

export interface FileBytes {
  readonly total: number;
  /** Pieces from `offset` to what the file holds now. Each is an ArrayBuffer of its own, safe to hand on. */
  pieces(offset: number, signal: AbortSignal): AsyncIterable<{ offset: number; data: ArrayBuffer }>;
}

export type ReadFile = (uri: Uri) => Promise<FileBytes>;

export async function wholeBytes(uri: Uri): Promise<FileBytes> {
  const whole = await toldGone(uri, readWhole(uri));
  return {
    total: whole.byteLength,
    // oxlint-disable-next-line typescript/require-await -- the interface is async for the sake of files
    async *pieces(offset, signal) {
      for (let at = offset; at < whole.byteLength && !signal.aborted; at += pieceBytes) {
        const piece = new Uint8Array(whole.subarray(at, at + pieceBytes));
        yield { offset: at, data: piece.buffer };
      }
    },
  };
}

/** `workspace.fs` has no ranged read: refused where that is too large. */
export async function readWhole(uri: Uri): Promise<Uint8Array> {
  const { size: total } = await workspace.fs.stat(uri);
  const limit = setting('files.readWholeMegabytes') * 2 ** 20;
  if (total > limit) {
    throw new Problem(
      l10n.t('{0} is {1}, and can only be read as a whole from here.', uri.path, formatBytes(total)),
      l10n.t('Copy it to a disk, or raise btrace.files.readWholeMegabytes.'),
    );
  }
  return workspace.fs.readFile(uri);
}
