/** Fold, pin, hide: changes of state only. */
import { plainText } from '../names.js';
import type { Store } from '../store.js';
import { text } from '../texts.js';
import type { ThreadSnapshot } from '../worker/messages.js';
import type { ThreadPlace } from './track-layout.js';

export function shownName(thread: ThreadSnapshot): string {
  return thread.name === '' ? text('thread.unnamed', { tid: thread.tid }) : plainText(thread.name, 120);
}

const without = (list: readonly number[], one: number): number[] => list.filter((entry) => entry !== one);
const toggled = (list: readonly number[], one: number): number[] =>
  list.includes(one) ? without(list, one) : [...list, one];

export function toggleFolded(store: Store, place: ThreadPlace): void {
  const { index } = place.thread;
  const { folded, unfolded } = store.state;
  if (place.isFolded)
    store.set({ folded: without(folded, index), unfolded: [...without(unfolded, index), index] });
  else store.set({ folded: [...without(folded, index), index], unfolded: without(unfolded, index) });
}

export function togglePinned(store: Store, index: number): void {
  store.set({ pinned: toggled(store.state.pinned, index) });
}

export function toggleHidden(store: Store, index: number): void {
  store.set({ hidden: toggled(store.state.hidden, index) });
}

export function toggleCounters(store: Store): void {
  store.set({ countersUnfolded: !store.state.countersUnfolded });
}
