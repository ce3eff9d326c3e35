/**
 * Texts that are made in English, with figures and names in them, in the person's language: errors of targets and of the command line,
 * and the command line's help. A bundle of l10n/ has the English with places ("{0} is there already.") after a prefix, by which a
 * text is known again.
 */
export type TextPrefix = 'error.' | 'help.';

type Bundle = Readonly<Record<string, string>>;

/** The keys of a bundle that have a prefix, those with most words of their own first: others may fit by chance. */
const known = new WeakMap<Bundle, Map<TextPrefix, string[]>>();

function keysOf(bundle: Bundle, prefix: TextPrefix): string[] {
  const sorted = known.get(bundle) ?? new Map<TextPrefix, string[]>();
  known.set(bundle, sorted);
  const found =
    sorted.get(prefix) ??
    Object.keys(bundle)
      .filter((key) => key.startsWith(prefix))
      .sort((one, other) => wordsOf(other).length - wordsOf(one).length);
  sorted.set(prefix, found);
  return found;
}

/** `bundle`: vscode.l10n.bundle, or the command line's. What it does not have stays in English. */
export function errorText(said: string, bundle: Bundle | undefined, prefix: TextPrefix = 'error.'): string {
  if (bundle === undefined) return said;
  for (const key of keysOf(bundle, prefix)) {
    const values = valuesIn(said, key.slice(prefix.length));
    const translation = bundle[key];
    if (values !== undefined && translation !== undefined && translation !== '')
      // A value may be a part of the sentence that is known itself.
      return withValues(
        translation,
        values.map((value) => bundle[prefix + value] || value),
      );
  }
  return said;
}

/** Fills {0}, {1} … of a text. */
export function withValues(text: string, values: readonly unknown[]): string {
  return text.replace(/\{(\d+)\}/g, (whole, at: string) =>
    Number(at) < values.length ? String(values[Number(at)]) : whole,
  );
}

const place = /\{\d+\}/g;

function wordsOf(template: string): string {
  return template.replace(place, '');
}

/** What stands in the places of a template; undefined if the text is of another one. */
function valuesIn(said: string, template: string): string[] | undefined {
  const [first = '', ...rest] = template.split(place);
  const last = rest.pop();
  if (last === undefined) return said === first ? [] : undefined;
  if (!said.startsWith(first) || !said.endsWith(last)) return undefined;
  const values: string[] = [];
  const end = said.length - last.length;
  let at = first.length;
  for (const part of rest) {
    const found = said.indexOf(part, at);
    if (found < 0) return undefined;
    values.push(said.slice(at, found));
    at = found + part.length;
  }
  return at > end ? undefined : [...values, said.slice(at, end)];
}
