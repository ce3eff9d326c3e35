/** Runs the key table. */
import { bindingFor, keyOf } from './keys.js';
import type { CommandId } from './keys.js';
import type { ViewContext } from './model.js';
import type { TimelineView } from './timeline/timeline-view.js';

export class KeyHandler {
  readonly #context: ViewContext;
  readonly #timeline: TimelineView;

  constructor(context: ViewContext, timeline: TimelineView) {
    this.#context = context;
    this.#timeline = timeline;
  }

  listen(target: Document): void {
    target.addEventListener('keydown', (event) => {
      if (event.defaultPrevented || event.altKey || isTyping(event)) return;
      const binding = bindingFor(keyOf(event));
      if (binding === undefined) return;
      const isOnChart = target.activeElement === this.#timeline.chart || target.activeElement === target.body;
      if (binding.where === 'chart' && !isOnChart) return;
      if (binding.where !== undefined && this.#context.store.state.view !== 'timeline') return;
      event.preventDefault();
      this.run(binding.command);
    });
  }

  run(command: CommandId): void {
    const { navigation } = this.#timeline;
    const { store, model, actions } = this.#context;
    switch (command) {
      case 'zoomIn': {
        navigation.zoom(1);
        return;
      }
      case 'zoomOut': {
        navigation.zoom(-1);
        return;
      }
      case 'panLeft': {
        navigation.pan(-1);
        return;
      }
      case 'panRight': {
        navigation.pan(1);
        return;
      }
      case 'zoomAll': {
        navigation.zoomAll();
        return;
      }
      case 'focus': {
        navigation.focus();
        return;
      }
      case 'caller':
      case 'callee':
      case 'before':
      case 'after': {
        navigation.walk(command);
        return;
      }
      case 'openSource':
      case 'openBeside': {
        const method = model.methodOf(store.state.selection);
        if (method !== undefined) actions.openSource(method, command === 'openBeside');
        return;
      }
      case 'escape': {
        // In layers: the innermost thing first.
        const { range, selection } = store.state;
        if (this.#timeline.overlay.measured !== undefined) {
          this.#timeline.overlay.measured = undefined;
          this.#timeline.requestDraw();
        } else if (selection !== undefined) store.set({ selection: undefined });
        else if (range !== undefined) store.set({ range: undefined });
        return;
      }
    }
  }
}

function isTyping(event: KeyboardEvent): boolean {
  const [target] = event.composedPath();
  return (
    target instanceof HTMLInputElement ||
    target instanceof HTMLTextAreaElement ||
    target instanceof HTMLSelectElement
  );
}
