/** The page around its views: takes what host and engine say, runs commands, keeps the state. */
import type { HostMessage, PageSettings } from '../protocol/messages.js';
import type { EngineClient, EngineListener } from './engine-client.js';
import { element } from './element.js';
import { formatShare } from './figures.js';
import type { Host } from './host.js';
import { KeyHandler } from './key-handler.js';
import { Model } from './model.js';
import type { PageActions, ViewContext } from './model.js';
import { plainText } from './names.js';
import type { Store, ViewState } from './store.js';
import { text } from './texts.js';
import { describeCall } from './timeline/accessible-mirror.js';
import { TimelineView } from './timeline/timeline-view.js';
import type { Snapshot } from './worker/messages.js';

/** What is kept is written at most this often: a drag changes it every frame. */
const keepMs = 250;

export class PageShell implements EngineListener, PageActions {
  readonly root = element('main', { class: 'page' });
  readonly model = new Model();
  readonly timeline: TimelineView;
  readonly #host: Host;
  readonly #store: Store;
  readonly #notice = element('div', { class: 'notice', role: 'status' });
  readonly #live = element('div', { class: 'sr-only', 'aria-live': 'polite' });
  readonly #context: ViewContext;
  #engine: EngineClient | undefined;
  #name = '';
  #isRestored = false;
  #keepTimer: ReturnType<typeof setTimeout> | undefined;

  constructor(host: Host, store: Store) {
    this.#host = host;
    this.#store = store;
    this.#context = { store, model: this.model, actions: this };
    this.timeline = new TimelineView(this.#context);
    this.root.append(this.timeline.root, this.#notice, this.#live);
    this.#say(text('open.waiting'));
    new KeyHandler(this.#context, this.timeline).listen(document);
    store.onChange((state, changed) => {
      this.#keepSoon(state);
      if (changed.has('selection')) this.#announceSelection();
    });
  }

  connect(engine: EngineClient): void {
    this.#engine = engine;
  }

  take(message: HostMessage, engine: EngineClient): void {
    switch (message.type) {
      case 'open':
        this.#name = plainText(message.name);
        this.#useSettings(message.settings, engine);
        engine.send({
          type: 'open',
          name: message.name,
          totalBytes: message.totalBytes,
          live: message.live,
        });
        return;
      case 'bytes':
        engine.send({ type: 'bytes', data: message.data }, [message.data]);
        return;
      case 'end':
        engine.send({ type: 'end' });
        return;
      case 'settings': {
        this.#useSettings(message.settings, engine);
        return;
      }
      case 'problem': {
        this.#say(message.message);
        return;
      }
      case 'reveal':
      case 'command':
        return;
    }
  }

  #useSettings(settings: PageSettings, engine: EngineClient): void {
    this.model.use(settings);
    engine.send({ type: 'mine', prefixes: settings.myPackages, fold: this.#store.state.onlyMine });
  }

  snapshot(snapshot: Snapshot): void {
    const isFirst = this.model.snapshot === undefined;
    this.model.take(snapshot);
    const samples = snapshot.threads.reduce((sum, thread) => sum + thread.sampleCount, 0);
    const isEmpty = snapshot.threads.every((thread) => thread.chart.count === 0);
    this.#say(isEmpty ? text('open.empty') : '');
    if (isFirst && !this.#isRestored) {
      this.#isRestored = true;
      this.timeline.restoreScroll();
    }
    if (!snapshot.live) {
      this.#host.post({
        type: 'opened',
        threads: snapshot.threads.length,
        samples,
        problems: snapshot.problems.length,
      });
    }
  }

  progress(bytes: number, totalBytes: number): void {
    if (totalBytes > 0)
      this.#say(text('open.reading', { name: this.#name, share: formatShare(bytes / totalBytes) }));
  }

  notTrace(what: string): void {
    this.#say(text('open.notTrace', { what }));
    this.#host.post({ type: 'notTrace', what });
  }

  failed(message: string): void {
    this.#say(text('open.failed', { what: message }));
    this.#host.post({ type: 'failed', message });
  }

  themeChanged(): void {
    this.timeline.themeChanged();
  }

  openSource(method: number, beside: boolean): void {
    this.#engine?.ask({ kind: 'source', method }).then(
      (key) => this.#host.post({ type: 'openSource', key, beside }),
      (error: unknown) => this.failed(String(error)),
    );
  }

  copy(copied: string): void {
    this.#host.post({ type: 'copy', text: copied });
  }

  announce(message: string): void {
    this.#live.textContent = message;
  }

  #announceSelection(): void {
    const { selection } = this.#store.state;
    const call = selection?.kind === 'call' ? this.model.call(selection) : undefined;
    if (call !== undefined) this.announce(describeCall(this.#context, call.thread.index, call.row));
  }

  #say(notice: string): void {
    this.#notice.textContent = notice;
    this.#notice.hidden = notice === '';
  }

  #keepSoon(state: ViewState): void {
    clearTimeout(this.#keepTimer);
    this.#keepTimer = setTimeout(() => this.#host.keepState(state), keepMs);
  }
}
