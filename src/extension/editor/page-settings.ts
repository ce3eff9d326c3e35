/** What the page is told of the workspace and of the person's language. */
import type { PageSettings } from '../../protocol/messages.js';
import { setting } from '../settings.js';
import { pageTexts } from './page-texts.js';

export function pageSettings(): PageSettings {
  return { myPackages: setting('sources.myPackages'), texts: pageTexts() };
}
