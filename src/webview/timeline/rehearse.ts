/**
 * Draws a made-up recording once, in a chart that nobody sees: code that was never run and fonts that were never asked for
 * take the first chart longer than drawing it. In one task, so that nothing of it is ever on the screen.
 */
import type { ViewContext } from '../model.js';
import { Model } from '../model.js';
import { Store } from '../store.js';
import type { Snapshot } from '../worker/messages.js';
import { TimelineView } from './timeline-view.js';

export function rehearse(stage: HTMLElement, context: ViewContext, snapshot: Snapshot): void {
  const model = new Model();
  const view = new TimelineView({ ...context, model, store: new Store() });
  Object.assign(view.root.style, { position: 'absolute', inset: '0', visibility: 'hidden' });
  stage.append(view.root);
  model.take(snapshot);
  view.draw();
  view.root.remove();
}
