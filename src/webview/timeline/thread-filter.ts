/** The field above the names of the threads: those that have its words stay in sight. */
import { control } from '../element.js';
import type { ViewContext } from '../model.js';
import { text } from '../texts.js';
import type { ValueControl } from '../toolkit.js';

/** `back`: to where keys go when all is typed. */
export function threadFilter({ store, model }: ViewContext, back: () => void): HTMLElement {
  const field = control('vscode-text-field', {
    class: 'thread-filter',
    placeholder: text('timeline.filter'),
    'aria-label': text('timeline.filter'),
    title: text('timeline.filter.hint'),
  }) as ValueControl;
  field.addEventListener('input', () => store.set({ threadFilter: field.value }));
  field.addEventListener('keydown', (event) => {
    if (event.key === 'Escape') store.set({ threadFilter: '' });
    else if (event.key !== 'Enter') return;
    event.preventDefault();
    event.stopPropagation();
    back();
  });
  const show = (): void => {
    const { threadFilter: words } = store.state;
    if (field.value !== words) field.value = words;
    // Of one there is nothing to choose. There from the start: what comes later has the chart laid out anew.
    field.hidden = words === '' && model.snapshot !== undefined && model.threads.length < 2;
  };
  show();
  store.onChange((_state, changed) => {
    if (changed.has('threadFilter')) show();
  });
  model.onChange(show);
  return field;
}
