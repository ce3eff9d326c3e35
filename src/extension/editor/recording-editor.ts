/** The custom editor: a readonly document that is only an address, and the page in a webview that holds the rest. */
import {
  commands,
  env,
  EventEmitter,
  l10n,
  Uri,
  window,
  type CustomDocument,
  type CustomReadonlyEditorProvider,
  Disposable,
  type Event,
  type ExtensionContext,
  type WebviewPanel,
} from 'vscode';
import { pageMessageChecker } from '../../protocol/check-message.js';
import type {
  HostMessage,
  RetraceExcerpt,
  PageMessage,
  PageSettings,
  SourceOpening,
  SourceKey,
  ThreadStretch,
  WantedRetraceMapping,
} from '../../protocol/messages.js';
import { pageHtml } from '../../protocol/page-html.js';
import type { Notices } from '../notice.js';
import type { Sessions } from '../recording/sessions.js';
import { baseName } from '../base-name.js';
import { type Baselines, feedBaseline } from './baselines.js';
import type { NamedCode } from '../../trace/index.js';
import { withoutRoom } from './kept-pages.js';
import { nonce } from './nonce.js';
import { feedPage } from './page-feed.js';
import { foreignView, recordingOf, recordingView, showRecording } from './show-recording.js';
import type { ReadFile } from './whole-bytes.js';

export class RecordingDocument implements CustomDocument {
  constructor(readonly uri: Uri) {}
  dispose(): void {
    // Holds an address only.
  }
}

export interface PageServices {
  readonly sessions: Pick<Sessions, 'writing'>;
  readonly notices: Notices;
  readonly settings: () => PageSettings;
  readonly readFile: ReadFile;
  /** `isRecorded`: the key is still to be retraced. */
  openSource(
    recording: Uri,
    key: SourceKey,
    how: SourceOpening,
    line: number,
    isRecorded: boolean,
  ): Promise<void>;
  /** Names of functions that stand in other files than the recording; undefined where nothing is looked up. */
  codeNames(recording: Uri, signal: AbortSignal): Promise<readonly NamedCode[] | undefined>;
  /** What the mapping of now says. */
  mapping(wanted: WantedRetraceMapping): Promise<RetraceExcerpt>;
  /** Sources written after the recording began. */
  changedSources(recording: Uri): Promise<readonly string[]>;
  exportHtml(recording: Uri): Promise<unknown>;
  readonly baselines: Baselines;
}

interface OpenPage {
  readonly uri: Uri;
  readonly panel: WebviewPanel;
  /** Sent once the page has its recording. */
  pending: HostMessage[];
  opened: boolean;
  /** Of view, weight and filters, as the page said last; empty: nothing yet. */
  kept: string;
  /** It has all bytes of its recording. */
  isSent: boolean;
  /** The recording to compare with that it has, or gets. */
  baseline: string;
  /** Of its recording and of the one that it is compared with, as far as they were sent. */
  ownBytes: number;
  comparedBytes: number;
  readonly bytes: number;
  /** When it was hidden, in the order of such events. */
  left: number;
  /** Hidden, and nothing of it is kept. */
  isDown: boolean;
  /** Ends the sending of its recording. */
  feeding: AbortController;
  /** Ends the sending of the recording that it is compared with. */
  comparing: AbortController;
}

export class RecordingEditors implements CustomReadonlyEditorProvider<RecordingDocument>, Disposable {
  readonly #pages = new Set<OpenPage>();
  readonly #opened = new EventEmitter<Uri>();
  readonly #said = new EventEmitter<{ readonly uri: Uri; readonly message: PageMessage }>();
  #lastActive: OpenPage | undefined;
  #left = 0;

  /** A page has decoded its recording. */
  readonly onDidOpen: Event<Uri> = this.#opened.event;
  /** Everything a page says, after it was dealt with. */
  readonly onDidSay: Event<{ readonly uri: Uri; readonly message: PageMessage }> = this.#said.event;
  readonly #context: ExtensionContext;
  readonly #services: PageServices;

  constructor(context: ExtensionContext, services: PageServices) {
    this.#context = context;
    this.#services = services;
  }

  register(): Disposable[] {
    return [recordingView, foreignView].map((view) =>
      window.registerCustomEditorProvider(view, this, {
        supportsMultipleEditorsPerDocument: true,
        // Not for all of them: see `#makeRoom`.
        webviewOptions: { retainContextWhenHidden: true },
      }),
    );
  }

  openCustomDocument(uri: Uri): RecordingDocument {
    return new RecordingDocument(uri);
  }

  resolveCustomEditor(document: RecordingDocument, panel: WebviewPanel): void {
    const dist = Uri.joinPath(this.#context.extensionUri, 'dist');
    const { webview } = panel;
    webview.options = { enableScripts: true, localResourceRoots: [dist] };
    const page: OpenPage = {
      uri: document.uri,
      panel,
      pending: [],
      opened: false,
      kept: '',
      isSent: false,
      baseline: '',
      ownBytes: 0,
      comparedBytes: 0,
      get bytes() {
        return this.ownBytes + this.comparedBytes;
      },
      left: 0,
      isDown: false,
      feeding: new AbortController(),
      comparing: new AbortController(),
    };
    this.#pages.add(page);
    if (panel.active) this.#lastActive = page;
    const restart = (): void => {
      stopFeeding(page);
      page.feeding = new AbortController();
      void this.#feed(page, page.feeding.signal);
    };
    const check = pageMessageChecker((why) => this.#services.notices.log.warn(why));
    const listening = [
      webview.onDidReceiveMessage((sent: unknown) => {
        const message = check(sent);
        if (message === undefined) return;
        if (message.type === 'ready') restart();
        // What is no trace is not sent to its end.
        if (message.type === 'notTrace' || message.type === 'failed') page.feeding.abort();
        if (message.type !== 'ready') void this.#services.notices.guard(() => this.#answer(page, message));
        this.#said.fire({ uri: page.uri, message });
      }),
      panel.onDidChangeViewState(() => {
        if (panel.active) this.#lastActive = page;
        if (!panel.visible) {
          page.left = ++this.#left;
          this.#makeRoom();
        } else if (page.isDown) this.#putUp(page);
      }),
    ];
    panel.onDidDispose(() => {
      stopFeeding(page);
      Disposable.from(...listening).dispose();
      this.#pages.delete(page);
      if (this.#lastActive === page) this.#lastActive = undefined;
    });
    this.#putUp(page);
  }

  #putUp(page: OpenPage): void {
    const dist = Uri.joinPath(this.#context.extensionUri, 'dist');
    const { webview } = page.panel;
    page.isDown = false;
    webview.html = pageHtml({
      scriptUri: String(webview.asWebviewUri(Uri.joinPath(dist, 'page.js'))),
      workerUri: String(webview.asWebviewUri(Uri.joinPath(dist, 'page-worker.js'))),
      nonce: nonce(),
      cspSource: webview.cspSource,
      language: env.language,
    });
  }

  /** Takes hidden pages down: what they are to show waits until they are there again, with the state that VS Code keeps. */
  #makeRoom(): void {
    const hidden = [...this.#pages].filter(({ panel, isDown }) => !panel.visible && !isDown);
    for (const page of withoutRoom(hidden)) {
      stopFeeding(page);
      page.isDown = true;
      page.panel.webview.html = '';
    }
  }

  /** The recording whose page is in front, or was last. */
  get active(): Uri | undefined {
    return this.#lastActive?.uri;
  }

  /** What a page of the recording shows, as it said last; undefined: none has said so. */
  shown(recording: Uri): string | undefined {
    const pages = [...this.#pages].filter(({ uri }) => uri.toString() === recording.toString());
    const page = pages.find((one) => one === this.#lastActive) ?? pages[0];
    return page === undefined || page.kept === '' ? undefined : page.kept;
  }

  /** To the page in front. */
  post(message: HostMessage): void {
    void this.#lastActive?.panel.webview.postMessage(message);
  }

  /** To every page. */
  postAll(message: HostMessage): void {
    for (const page of this.#pages) void page.panel.webview.postMessage(message);
  }

  /** To every page, what it may no longer be right about. */
  tellChangedSources(): void {
    for (const page of this.#pages) void this.#tellChangedSources(page);
  }

  async #tellChangedSources(page: OpenPage): Promise<void> {
    if (!page.opened || page.uri.scheme !== 'file') return;
    try {
      const files = await this.#services.changedSources(page.uri);
      await page.panel.webview.postMessage({ type: 'changedSources', files } satisfies HostMessage);
    } catch (error) {
      this.#services.notices.log.debug('Changed sources are not known:', error);
    }
  }

  /** Brings a recording's page to the front, opening it if need be, and shows a method there. */
  async reveal(uri: Uri, key: SourceKey): Promise<void> {
    await this.#postTo(uri, { type: 'reveal', key });
  }

  /** The same with a stretch of a thread, on the timeline. */
  async revealStretch(uri: Uri, stretch: ThreadStretch): Promise<void> {
    await this.#postTo(uri, { type: 'revealStretch', ...stretch });
  }

  async #postTo(uri: Uri, message: HostMessage): Promise<void> {
    const existing = this.#page(uri);
    if (existing !== undefined) {
      existing.panel.reveal(existing.panel.viewColumn);
      if (existing.opened) await existing.panel.webview.postMessage(message);
      else existing.pending.push(message);
      return;
    }
    await showRecording(uri);
    const page = this.#page(uri);
    if (page === undefined) return;
    if (page.opened) await page.panel.webview.postMessage(message);
    else page.pending.push(message);
  }

  #page(uri: Uri): OpenPage | undefined {
    const text = uri.toString();
    return [...this.#pages].find((page) => page.uri.toString() === text);
  }

  async #feed(page: OpenPage, signal: AbortSignal): Promise<void> {
    const { sessions, notices } = this.#services;
    try {
      await feedPage(
        page.panel.webview,
        {
          uri: page.uri,
          name: baseName(page.uri),
          readFile: this.#services.readFile,
          settings: this.#services.settings(),
          session: page.uri.scheme === 'file' ? sessions.writing(page.uri.fsPath)?.session : undefined,
          codeNames: () => this.#services.codeNames(page.uri, signal),
          onSent: (bytes) => {
            page.ownBytes = bytes;
            if (!page.panel.visible) this.#makeRoom();
          },
        },
        signal,
      );
      if (signal.aborted) return;
      page.isSent = true;
      const baseline = this.#services.baselines.of(page.uri);
      // Of what is still being recorded it may be there already.
      if (baseline !== undefined && baseline.toString() !== page.baseline)
        await this.#feedBaseline(page, baseline);
    } catch (error) {
      if (signal.aborted) return;
      const message = error instanceof Error ? error.message : String(error);
      await page.panel.webview.postMessage({ type: 'problem', message } satisfies HostMessage);
      void notices.error(error);
    }
  }

  /** Shows a recording beside the one that it is compared with. */
  async compare(uri: Uri, baseline: Uri): Promise<void> {
    await this.#services.baselines.set(uri, baseline);
    const known = this.#page(uri);
    if (known === undefined) await showRecording(uri);
    else known.panel.reveal(known.panel.viewColumn);
    const page = known ?? this.#page(uri);
    if (page === undefined) return;
    const show: HostMessage = { type: 'command', command: 'compare' };
    if (page.opened) await page.panel.webview.postMessage(show);
    else page.pending.push(show);
    // One that is still being sent its recording gets the other one afterwards.
    if (known !== undefined && (page.opened || page.isSent)) await this.#feedBaseline(page, baseline);
  }

  async #feedBaseline(page: OpenPage, baseline: Uri): Promise<void> {
    const { webview } = page.panel;
    page.comparing.abort();
    page.comparing = new AbortController();
    page.baseline = baseline.toString();
    page.comparedBytes = 0;
    const { signal } = page.comparing;
    const names = () => this.#services.codeNames(baseline, signal);
    await feedBaseline(webview, baseline, this.#services.readFile, signal, names, (bytes) => {
      page.comparedBytes = bytes;
      if (!page.panel.visible) this.#makeRoom();
    });
  }

  async #compareWith(page: OpenPage, another: boolean): Promise<void> {
    const { baselines } = this.#services;
    if (another) {
      const chosen = await baselines.choose(page.uri);
      if (chosen !== undefined) await this.compare(page.uri, chosen);
      return;
    }
    page.comparing.abort();
    page.baseline = '';
    await baselines.set(page.uri, undefined);
    await page.panel.webview.postMessage({ type: 'noBaseline', name: '', why: '' } satisfies HostMessage);
  }

  async #answer(page: OpenPage, message: PageMessage): Promise<void> {
    const { notices } = this.#services;
    switch (message.type) {
      case 'ready':
        return;
      case 'openSource':
        return this.#services.openSource(
          page.uri,
          message.key,
          message.how,
          message.line,
          message.isRecorded,
        );
      case 'wantRetraceMapping':
        return this.#sendRetraceMapping(page, message);
      case 'copy':
        await env.clipboard.writeText(message.text);
        return;
      case 'compareWith':
        return this.#compareWith(page, message.another);
      case 'kept':
        page.kept = message.state;
        return;
      case 'exportHtml':
        await this.#services.exportHtml(page.uri);
        return;
      case 'opened':
        page.opened = true;
        notices.log.info(
          `${baseName(page.uri)}: ${String(message.threads)} threads, ${String(message.samples)} samples, ${String(message.problems)} problems`,
        );
        for (const waiting of page.pending.splice(0)) await page.panel.webview.postMessage(waiting);
        void commands.executeCommand('setContext', 'btrace.opened', true);
        this.#opened.fire(page.uri);
        void this.#tellChangedSources(page);
        return;
      case 'compared':
        notices.log.info(`${baseName(page.uri)}: compared ${message.problem}`.trimEnd());
        // What is no trace is not sent to its end.
        if (message.problem !== '') page.comparing.abort();
        return;
      case 'notTrace':
        // Not awaited: the toast may stay for long.
        void notices.warning(
          l10n.t('{0} is not a recording that BTrace can read: {1}', baseName(page.uri), message.what),
          '',
          [{ title: l10n.t('Open as Text'), run: () => openAsText(page) }],
        );
        return;
      case 'failed':
        void notices.error(new Error(message.message));
    }
  }

  /** Always answered: the page shows nothing before. */
  async #sendRetraceMapping(page: OpenPage, wanted: WantedRetraceMapping): Promise<void> {
    let mapping: RetraceExcerpt = { file: '', text: '' };
    try {
      mapping = await this.#services.mapping(wanted);
    } finally {
      await page.panel.webview.postMessage({ type: 'retraceMapping', ...mapping } satisfies HostMessage);
    }
  }

  dispose(): void {
    this.#opened.dispose();
    this.#said.dispose();
  }
}

function stopFeeding(page: OpenPage): void {
  page.feeding.abort();
  page.comparing.abort();
  page.opened = page.isSent = false;
  page.baseline = '';
}

async function openAsText(page: OpenPage): Promise<void> {
  const column = page.panel.viewColumn;
  page.panel.dispose();
  await commands.executeCommand('vscode.openWith', page.uri, 'default', column);
}

/** The recording whose tab is in front, also right after a reload when no page has spoken yet. */
export function recordingOfActiveTab(): Uri | undefined {
  return recordingOf(window.tabGroups.activeTabGroup.activeTab?.input);
}
