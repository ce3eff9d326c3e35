/** The page's entry: finds its host, starts the engine's worker, and puts the shell on the screen. */
import type { HostMessage } from '../protocol/messages.js';
import { EngineClient, startWorker } from './engine-client.js';
import { findHost } from './host.js';
import { PageShell } from './shell.js';
import { restoreState, Store } from './store.js';
import styles from './styles.css';
import { setTexts } from './texts.js';
import { registerControls } from './toolkit.js';
import { watchTheme } from './theme-watch.js';

addStyles();
registerControls();
const host = findHost();
const store = new Store(restoreState(host.keptState));
const shell = new PageShell(host, store);
document.getElementById('btrace')?.append(shell.root);
watchTheme(() => shell.themeChanged());

let engine: EngineClient | undefined;
const early: HostMessage[] = [];
const take = (message: HostMessage): void => {
  // Texts come with the first message and must be there before anything is written.
  if (message.type === 'open' || message.type === 'settings') setTexts(message.settings.texts);
  if (engine === undefined) early.push(message);
  else shell.take(message, engine);
};
host.onMessage(take);

startWorker(document).then(
  (worker) => {
    engine = new EngineClient(worker, shell);
    shell.connect(engine);
    for (const message of early.splice(0)) shell.take(message, engine);
    host.post({ type: 'ready' });
  },
  (error: unknown) => shell.failed(error instanceof Error ? error.message : String(error)),
);

/** A style element made by a trusted script still needs the document's nonce; it is copied from the page's own script. */
function addStyles(): void {
  const style = document.createElement('style');
  style.nonce = document.getElementById('btrace-page')?.nonce ?? '';
  style.textContent = styles;
  document.head.append(style);
}
