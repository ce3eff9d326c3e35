/** What the page is told of the workspace and of the person's language. */
import { l10n } from 'vscode';
import type { PageSettings } from '../../protocol/messages.js';
import { pageTexts } from './page-texts.js';

export function pageSettings(myPackages: readonly string[]): PageSettings {
  return { myPackages, texts: pageTexts(l10n.bundle) };
}
