/** What the page is told of the workspace and of the person's language. */
import { l10n } from 'vscode';
import type { PageSettings } from '../../protocol/messages.js';
import { openedMemoryBytes, setting } from '../settings.js';
import { pageTexts } from './page-texts.js';

/** `mapping`: the one that a person chose; empty: none; undefined: none can be read. */
export function pageSettings(myPackages: readonly string[], mapping: string | undefined): PageSettings {
  return {
    myPackages,
    mapping: mapping === undefined ? undefined : { chosen: mapping },
    keys: chosenKeys(),
    clickSelectsOnly: !setting('sources.openOnClick'),
    memoryBytes: openedMemoryBytes(),
    texts: pageTexts(l10n.bundle),
  };
}

/** Settings are edited by hand: what is no list of keys is left out. */
function chosenKeys(): Record<string, readonly string[]> {
  const chosen: Record<string, readonly string[]> = {};
  for (const [command, keys] of Object.entries(setting('chart.keys'))) {
    const list: unknown = typeof keys === 'string' ? [keys] : keys;
    if (Array.isArray(list) && list.every((key) => typeof key === 'string')) chosen[command] = list;
  }
  return chosen;
}
