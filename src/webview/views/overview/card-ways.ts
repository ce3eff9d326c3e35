/** Where rows and links of cards lead. */
import type { ViewContext } from '../../model.js';
import { openingOf } from '../../source-opening.js';
import type { Weight } from '../../worker/messages.js';

export function openMethod(context: ViewContext, method: number, event: MouseEvent): void {
  const { store, actions } = context;
  store.set({ selection: { kind: 'method', method } });
  actions.openSource(method, openingOf(event));
}

export function showView(
  context: ViewContext,
  view: 'timeline' | 'messages' | 'flameGraph' | 'methods',
  weight?: Weight,
): void {
  context.store.set(weight === undefined ? { view } : { view, weight });
  context.actions.focusView();
}
