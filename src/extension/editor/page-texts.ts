/**
 * The page's texts in the person's language. A bundle of l10n/ has them under the page's keys after "page."; the page has English of its
 * own for each that is not there, and in English there is no bundle.
 */
const prefix = 'page.';

/** `bundle`: vscode.l10n.bundle, of the person's language. */
export function pageTexts(bundle: Readonly<Record<string, string>> | undefined): Record<string, string> {
  const texts = Object.entries(bundle ?? {}).filter(([key, text]) => key.startsWith(prefix) && text !== '');
  return Object.fromEntries(texts.map(([key, text]) => [key.slice(prefix.length), text]));
}
