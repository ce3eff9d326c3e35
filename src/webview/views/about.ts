/** What the page knows of a view before it draws it: its tab, its key, its title. */
import type { PageView } from '../../protocol/messages.js';
import type { Model } from '../model.js';
import type { TextKey } from '../texts.js';

export interface ViewAbout {
  readonly id: PageView;
  /** Shows the view, unless the person chose another key. */
  readonly key: string;
  /** Where the title depends on the recording; else it is the text `view.<id>`. */
  readonly titleKey?: (model: Model) => TextKey;
  /** Whether there is a tab; when missing, always. Keys and commands lead to the view all the same. */
  readonly isOffered?: (model: Model) => boolean;
}

export function titleKeyOf({ id, titleKey }: ViewAbout, model: Model): TextKey {
  return titleKey?.(model) ?? `view.${id}`;
}
