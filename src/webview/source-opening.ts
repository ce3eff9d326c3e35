/** How a click or a key opens a source: one rule for every view. */
import type { SourceOpening } from '../protocol/messages.js';

/** A click looks beside and keeps the keyboard here; Enter goes there, as does a click with Ctrl or Cmd; Ctrl+Enter in the recording's place. */
export function openingOf(event: MouseEvent | KeyboardEvent): SourceOpening {
  const isModified = event.ctrlKey || event.metaKey;
  if (event instanceof KeyboardEvent) return isModified ? 'replace' : 'go';
  return isModified ? 'go' : 'peek';
}
