/** The page's texts in the person's language, by key. It has English of its own for each key that is not here. */
export function pageTexts(): Readonly<Record<string, string>> {
  return {};
}
