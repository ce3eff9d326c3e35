/**
 * Whom the page talks to: VS Code, a window that opened or framed it, or nobody, when it stands alone with its data.
 * The rest of the page knows only `Host`.
 */
import { hostMessageChecker } from '../protocol/check-message.js';
import type { HostMessage, RetraceExcerpt, PageMessage, PageSettings } from '../protocol/messages.js';

export interface Host {
  post(message: PageMessage): void;
  onMessage(listener: (message: HostMessage) => void): void;
  /** Kept over a reload of the page; undefined when there is none. */
  readonly keptState: unknown;
  keepState(state: unknown): void;
  /** False where nobody can open a source or write a file. */
  readonly canOpenSource: boolean;
}

interface VsCodeApi {
  postMessage(message: PageMessage): void;
  getState(): unknown;
  setState(state: unknown): void;
}

declare global {
  interface Window {
    acquireVsCodeApi?: () => VsCodeApi;
  }
}

export function findHost(): Host {
  const acquire = window.acquireVsCodeApi;
  if (acquire !== undefined) return vsCodeHost(acquire());
  const open = document.getElementById('btrace-open');
  return open === null ? windowHost() : standAloneHost(open.textContent);
}

/** The only way in: what is no message, or comes from elsewhere, ends here. */
function listen(listener: (message: HostMessage) => void, fits: (event: MessageEvent) => boolean): void {
  const check = hostMessageChecker((why) => console.warn(why));
  window.addEventListener('message', (event: MessageEvent<unknown>) => {
    if (!fits(event)) return;
    const message = check(event.data);
    if (message !== undefined) listener(message);
  });
}

function vsCodeHost(api: VsCodeApi): Host {
  return {
    post: (message) => api.postMessage(message),
    // VS Code's own frame around the page has the page's origin; no other window has it.
    onMessage: (listener) => listen(listener, ({ origin }) => origin === window.origin),
    keptState: api.getState(),
    keepState: (state) => api.setState(state),
    canOpenSource: true,
  };
}

/**
 * A frame, or a window another opened; alone, the window itself (its own scripts are the host then). The other window may go to another
 * site meanwhile: only the origin that spoke first is heard and told anything from then on.
 */
function windowHost(): Host {
  const other: Window =
    window.parent !== window ? window.parent : ((window.opener as Window | null) ?? window);
  const key = 'btrace.state';
  let peer: string | undefined;
  return {
    post: (message) => {
      if (other === window) window.dispatchEvent(new CustomEvent('btrace', { detail: message }));
      // Before the host has spoken only `ready` is said. A file and a sandboxed frame have no origin that could be named.
      else other.postMessage(message, peer === undefined || peer === 'null' ? '*' : peer);
    },
    onMessage: (listener) =>
      listen(
        (message) => listener(message),
        ({ source, origin }) => source === other && origin === (peer ??= origin),
      ),
    keptState: readHistory(key),
    keepState: (state) => writeHistory(key, state),
    canOpenSource: true,
  };
}

interface StandAloneOpen {
  readonly name: string;
  readonly settings: PageSettings;
  readonly mapping?: RetraceExcerpt;
  readonly state?: string;
}

function standAloneHost(open: string): Host {
  const { name, settings, mapping, state } = JSON.parse(open) as StandAloneOpen;
  let answer: ((message: HostMessage) => void) | undefined;
  const key = 'btrace.state';
  const feed = (listener: (message: HostMessage) => void): void => {
    listener({ type: 'open', name, totalBytes: 0, live: false, settings });
    let offset = 0;
    for (const piece of document.querySelectorAll('script.btrace-data')) {
      const data = decodeBase64(piece.textContent);
      listener({ type: 'bytes', offset, data });
      offset += data.byteLength;
    }
    listener({ type: 'end' });
  };
  return {
    post: (message) => {
      if (message.type === 'copy') void navigator.clipboard.writeText(message.text);
      else if (message.type === 'ready' && answer !== undefined) feed(answer);
      else if (message.type === 'wantRetraceMapping')
        answer?.({ type: 'retraceMapping', file: '', text: '', ...mapping });
    },
    onMessage: (listener) => {
      answer = listener;
    },
    // What was shown when it was exported, until a reload has something newer.
    keptState: readHistory(key) ?? (state === undefined ? undefined : (JSON.parse(state) as unknown)),
    keepState: (state) => writeHistory(key, state),
    canOpenSource: false,
  };
}

function decodeBase64(base64: string): ArrayBuffer {
  const binary = atob(base64);
  const bytes = new Uint8Array(binary.length);
  for (let at = 0; at < binary.length; at++) bytes[at] = binary.charCodeAt(at);
  return bytes.buffer;
}

/** The history's own state lives exactly as long as this tab shows this document, and needs no permission. */
function readHistory(key: string): unknown {
  const state: unknown = history.state;
  return typeof state === 'object' && state !== null ? (state as Record<string, unknown>)[key] : undefined;
}

function writeHistory(key: string, state: unknown): void {
  history.replaceState({ [key]: state }, '');
}
