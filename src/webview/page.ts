/** The page's entry: finds its host, starts the engine's worker, feeds it, and puts the shell on the screen. */
import type { HostMessage } from '../protocol/messages.js';
import { usualMemoryBytes } from '../trace/assemble/budget.js';
import { EngineClient, startWorker } from './engine-client.js';
import { findHost } from './host.js';
import { PageShell } from './shell.js';
import { restoreState, Store } from './store.js';
import { styles } from './styles/styles.js';
import { setTexts } from './texts.js';
import { rowHeight } from './timeline/metrics.js';
import { watchTheme } from './theme-watch.js';
import { registerControls } from './toolkit.js';

/** A Letter or an A4 on its side, without its margins, in CSS pixels. */
const paperWidth = 960;

addStyles();
registerControls();
addEventListener('beforeprint', keepScreenSize);
const host = findHost();
const store = new Store(restoreState(host.keptState));
let shell: PageShell | undefined;
let memoryBytes = usualMemoryBytes;

/** Texts come with what is opened, and must be there before anything is written. */
function shellOf(engine: EngineClient): PageShell {
  if (shell !== undefined) return shell;
  const made = new PageShell(host, store, engine);
  shell = made;
  document.getElementById('btrace')?.append(made.root);
  watchTheme(() => made.themeChanged());
  return made;
}

/** What goes to the engine goes there at once, also before there is a shell to show it in. */
function feed(engine: EngineClient, message: HostMessage): void {
  if (message.type === 'open') {
    const { totalBytes, live, settings } = message;
    engine.send({ type: 'myCode', myPackages: settings.myPackages, hideLibraries: store.state.myCode });
    engine.send({ type: 'naming', mapping: settings.mapping, asRecorded: store.state.namesAsRecorded });
    memoryBytes = settings.memoryBytes ?? usualMemoryBytes;
    const part = { from: store.state.parts.at(-1) ?? 0, mostBytes: memoryBytes };
    const rowsInSight = Math.ceil(innerHeight / rowHeight);
    engine.send({ type: 'open', totalBytes, live, part, rowsInSight });
  } else if (message.type === 'bytes') {
    engine.send({ type: 'bytes', data: message.data }, [message.data]);
  } else if (message.type === 'codeNames' || message.type === 'baselineCodeNames') {
    engine.send(message);
  } else if (message.type === 'baseline') {
    engine.send({ type: 'baseline', part: { mostBytes: memoryBytes } });
  } else if (message.type === 'baselineBytes') {
    engine.send({ type: 'baselineBytes', data: message.data }, [message.data]);
  } else if (message.type === 'baselineEnd') {
    engine.send({ type: 'baselineEnd' });
  } else if (message.type === 'noBaseline') {
    engine.send({ type: 'baseline', part: undefined });
  } else if (message.type === 'retraceMapping') {
    engine.send({ type: 'retraceExcerpt', text: message.text });
  } else if (message.type === 'end') {
    engine.send({ type: 'end' });
  }
}

startWorker(document).then(
  (worker) => {
    const engine = new EngineClient(worker);
    const waiting: HostMessage[] = [];
    const show = (): void => {
      const isFirst = shell === undefined;
      const made = shellOf(engine);
      for (const early of waiting.splice(0)) made.take(early);
      if (isFirst) engine.listen(made);
    };
    host.onMessage((message) => {
      feed(engine, message);
      waiting.push(message);
      if (message.type === 'open') {
        setTexts(message.settings.texts);
        // A task later: bytes that have come already are with the engine by then, and it decodes while the shell takes this.
        setTimeout(show);
      } else if (shell !== undefined && waiting.length === 1) show();
    });
    // English is what the page has without being told: it is put together before anything is there to be shown in it.
    if (/^en\b/i.test(document.documentElement.lang)) show();
    host.post({ type: 'ready' });
  },
  (error: unknown) => {
    const what = error instanceof Error ? error.message : String(error);
    shellOf(EngineClient.missing()).failed(what);
  },
);

/** A style element made by a trusted script still needs the document's nonce; it is copied from the page's own script. */
function addStyles(): void {
  const style = document.createElement('style');
  style.nonce = document.getElementById('btrace-page')?.nonce ?? '';
  style.textContent = styles;
  document.head.append(style);
}

/** On paper a window would have another size than what was drawn for the screen. */
function keepScreenSize(): void {
  const { style } = document.documentElement;
  style.setProperty('--screen-width', `${innerWidth}px`);
  style.setProperty('--screen-height', `${innerHeight}px`);
  style.setProperty('--paper-zoom', `${Math.min(1, paperWidth / innerWidth)}`);
}
