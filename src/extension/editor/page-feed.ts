/** Sends one recording to one page: all there is, then what is added while it is being written, then the end. */
import type { Webview, Uri } from 'vscode';
import type { HostMessage, PageSettings } from '../../protocol/messages.js';
import type { Session } from '../../targets/target.js';
import type { NamedCode } from '../../trace/index.js';
import { mayHaveUnnamedCode } from './code-names.js';
import type { ReadFile } from './whole-bytes.js';

/** A growing recording is sent at most this often. */
const livePeriodMs = 1000;

export interface FeedRequest {
  readonly uri: Uri;
  readonly name: string;
  readonly readFile: ReadFile;
  readonly settings: PageSettings;
  /** Set while the recording is being made. */
  readonly session: Session | undefined;
  /** Names of code that stand in other files; undefined where they are not looked up. */
  readonly codeNames: () => Promise<readonly NamedCode[] | undefined>;
  /** Told how much of it there is at the page. */
  readonly onSent: (bytes: number) => void;
}

/** Resolves when all is sent. Each message is awaited, so that a slow page never piles up buffers here. */
export async function feedPage(webview: Webview, request: FeedRequest, signal: AbortSignal): Promise<void> {
  const { uri, name, readFile, settings, session, codeNames, onSent } = request;
  const send = async (message: HostMessage): Promise<void> => {
    if (!signal.aborted) await webview.postMessage(message);
  };
  const file = await readFile(uri);
  await send({ type: 'open', name, totalBytes: file.total, live: session !== undefined, settings });
  let sent = 0;
  const code = { isUnnamed: false };
  const sendRest = async (): Promise<void> => {
    for await (const piece of file.pieces(sent, signal)) {
      if (piece.offset === 0) code.isUnnamed = mayHaveUnnamedCode(piece.data);
      await send({ type: 'bytes', ...piece });
      sent = piece.offset + piece.data.byteLength;
      onSent(sent);
    }
  };
  await sendRest();
  if (session !== undefined) {
    const state = { over: false };
    const ended = session.ended.then(() => void (state.over = true));
    while (!state.over && !signal.aborted) {
      await Promise.race([ended, pause(livePeriodMs, signal)]);
      await sendRest();
    }
    await sendRest();
  }
  const names = code.isUnnamed ? await codeNames() : undefined;
  if (names !== undefined) await send({ type: 'codeNames', names });
  await send({ type: 'end' });
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(done, ms);
    signal.addEventListener('abort', done, { once: true });
    function done(): void {
      clearTimeout(timer);
      signal.removeEventListener('abort', done);
      resolve();
    }
  });
}
