/** The page's entry: finds its host, starts the engine's worker, and puts the shell on the screen once there is something to open. */
import type { HostMessage } from '../protocol/messages.js';
import { EngineClient, startWorker } from './engine-client.js';
import { findHost } from './host.js';
import { PageShell } from './shell.js';
import { restoreState, Store } from './store.js';
import styles from './styles.css';
import { setTexts } from './texts.js';
import { watchTheme } from './theme-watch.js';
import { registerControls } from './toolkit.js';

addStyles();
registerControls();
const host = findHost();
let shell: PageShell | undefined;

/** The texts come with what is opened, and must be there before anything is written. */
function shellWith(texts: Readonly<Record<string, string>>): PageShell {
  if (shell !== undefined) return shell;
  setTexts(texts);
  const made = new PageShell(host, new Store(restoreState(host.keptState)));
  shell = made;
  document.getElementById('btrace')?.append(made.root);
  watchTheme(() => made.themeChanged());
  return made;
}

startWorker(document).then(
  (worker) => {
    const waiting: HostMessage[] = [];
    host.onMessage((message) => {
      if (shell === undefined && message.type !== 'open') {
        waiting.push(message);
        return;
      }
      const isFirst = shell === undefined;
      const opened = shellWith(message.type === 'open' ? message.settings.texts : {});
      if (isFirst) opened.connect(new EngineClient(worker, opened));
      opened.take(message);
      for (const early of waiting.splice(0)) opened.take(early);
    });
    host.post({ type: 'ready' });
  },
  (error: unknown) => shellWith({}).failed(error instanceof Error ? error.message : String(error)),
);

/** A style element made by a trusted script still needs the document's nonce; it is copied from the page's own script. */
function addStyles(): void {
  const style = document.createElement('style');
  style.nonce = document.getElementById('btrace-page')?.nonce ?? '';
  style.textContent = styles;
  document.head.append(style);
}
