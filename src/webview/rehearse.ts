/**
 * Shows a made-up recording where nobody sees it: code that was never run and fonts that were never asked for take the first
 * page of a recording longer than drawing it. In one task, so that nothing of it is ever on the screen.
 */
import { element } from './element.js';
import { Model } from './model.js';
import type { PageActions } from './model.js';
import { DetailsPane } from './panes/details-pane.js';
import { TrustLine } from './panes/trust-line.js';
import { Store } from './store.js';
import { TimelineView } from './timeline/timeline-view.js';
import type { Snapshot } from './worker/messages.js';

const ignore = (): void => undefined;

/** Nobody is there to be told, and nobody answers. */
const nobody: PageActions = {
  openSource: ignore,
  copy: ignore,
  announce: ignore,
  ask: () => new Promise(ignore),
  showMenu: ignore,
  showCallers: ignore,
  showWait: ignore,
  showMoment: ignore,
  compareWith: ignore,
  showPart: ignore,
  focusView: ignore,
  canOpenSource: true,
};

export function rehearse(stage: HTMLElement, snapshot: Snapshot): void {
  // What V8 compiles while no buffer was ever given away it throws away when the first one is, and that is the recording's.
  const given = new ArrayBuffer(8);
  structuredClone(given, { transfer: [given] });
  const context = { store: new Store(), model: new Model(), actions: nobody };
  const timeline = new TimelineView(context);
  const details = new DetailsPane(context, {
    goTo: ignore,
    goToOwner: ignore,
    goToWait: ignore,
    focusSelection: ignore,
    showIn: ignore,
  });
  const trust = new TrustLine(context);
  const middle = element(
    'div',
    { class: 'middle' },
    element('div', { class: 'stage' }, timeline.root),
    details.root,
  );
  const hidden = element('div', { class: 'page' }, trust.root, middle);
  Object.assign(hidden.style, { position: 'absolute', inset: '0', visibility: 'hidden' });
  stage.append(hidden);
  context.model.take(snapshot);
  timeline.draw();
  hidden.remove();
}
