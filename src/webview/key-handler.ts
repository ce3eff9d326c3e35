/** Runs the key table. */
import { bindingFor, keyOf } from './keys.js';
import type { CommandId } from './keys.js';
import type { Store } from './store.js';

export interface Commands {
  run(command: CommandId): void;
  /** The chart, or what stands in for the whole page. */
  isOnChart(focused: Element | null): boolean;
}

export function listenForKeys(target: Document, store: Store, commands: Commands): void {
  target.addEventListener('keydown', (event) => {
    if (event.defaultPrevented || isTyping(event)) return;
    if (target.querySelector('dialog[open]') !== null) return;
    const binding = bindingFor(keyOf(event));
    if (binding === undefined) return;
    if (binding.where !== undefined && store.state.view !== 'timeline') return;
    if (binding.where === 'chart' && !commands.isOnChart(target.activeElement)) return;
    event.preventDefault();
    commands.run(binding.command);
  });
}

function isTyping(event: KeyboardEvent): boolean {
  const [inner] = event.composedPath();
  if (inner instanceof HTMLInputElement) return inner.type !== 'checkbox';
  const isList = inner instanceof Element && inner.closest('vscode-dropdown') !== null;
  return isList || inner instanceof HTMLTextAreaElement || inner instanceof HTMLSelectElement;
}
