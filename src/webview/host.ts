/**
 * Whom the page talks to: VS Code, a window that opened or framed it, or nobody, when it stands alone with its data.
 * The rest of the page knows only `Host`.
 */
import type { HostMessage, MappingExcerpt, PageMessage, PageSettings } from '../protocol/messages.js';

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

function listen(listener: (message: HostMessage) => void, fits: (event: MessageEvent) => boolean): void {
  window.addEventListener('message', (event: MessageEvent<unknown>) => {
    const message = event.data;
    if (!fits(event) || typeof message !== 'object' || message === null || !('type' in message)) return;
    listener(message as HostMessage);
  });
}

function vsCodeHost(api: VsCodeApi): Host {
  return {
    post: (message) => api.postMessage(message),
    onMessage: (listener) => listen(listener, () => true),
    keptState: api.getState(),
    keepState: (state) => api.setState(state),
    canOpenSource: true,
  };
}

/** A frame, or a window another opened; alone, the window itself (its own scripts are the host then). */
function windowHost(): Host {
  const other: Window =
    window.parent !== window ? window.parent : ((window.opener as Window | null) ?? window);
  const key = 'btrace.state';
  return {
    post: (message) => {
      if (other === window) window.dispatchEvent(new CustomEvent('btrace', { detail: message }));
      else other.postMessage(message, '*');
    },
    onMessage: (listener) => listen(listener, (event) => event.source === other),
    keptState: readHistory(key),
    keepState: (state) => writeHistory(key, state),
    canOpenSource: true,
  };
}

interface StandAloneOpen {
  readonly name: string;
  readonly settings: PageSettings;
  readonly mapping?: MappingExcerpt;
}

function standAloneHost(open: string): Host {
  const { name, settings, mapping } = JSON.parse(open) as StandAloneOpen;
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
      else if (message.type === 'mapping') answer?.({ type: 'mapping', file: '', text: '', ...mapping });
    },
    onMessage: (listener) => {
      answer = listener;
    },
    keptState: readHistory(key),
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
