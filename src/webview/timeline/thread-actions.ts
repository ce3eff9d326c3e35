/** Collapse, pin, hide: changes of state only. */
import type { Store } from '../store.js';
import type { ThreadPlace } from './track-layout.js';

const without = (list: readonly number[], one: number): number[] => list.filter((entry) => entry !== one);
const toggled = (list: readonly number[], one: number): number[] =>
  list.includes(one) ? without(list, one) : [...list, one];

export function toggleCollapsed(store: Store, place: ThreadPlace): void {
  const { index } = place.thread;
  const { collapsed, expanded } = store.state;
  if (place.isCollapsed)
    store.set({ collapsed: without(collapsed, index), expanded: [...without(expanded, index), index] });
  else store.set({ collapsed: [...without(collapsed, index), index], expanded: without(expanded, index) });
}

export function togglePinned(store: Store, index: number): void {
  store.set({ pinned: toggled(store.state.pinned, index) });
}

export function toggleHidden(store: Store, index: number): void {
  store.set({ hidden: toggled(store.state.hidden, index) });
}

export function toggleCounters(store: Store): void {
  store.set({ countersExpanded: !store.state.countersExpanded });
}

export function toggleCores(store: Store): void {
  store.set({ coresExpanded: !store.state.coresExpanded });
}
