/** For where names and command lines are shown, and what is typed is looked for in them: some programs have very long ones. */
const mostCharacters = 500;

export function cutOff(text: string): string {
  return text.length > mostCharacters ? `${text.slice(0, mostCharacters)}…` : text;
}

/** In rows of a list VS Code draws icons for `$(name)`: a command line, `echo $(date)` for example, shall stay text. */
export function withoutIcons(text: string): string {
  return text.replaceAll('$(', '$ (');
}

/** A Java class without its package, where there is little room: of many rows that is all that tells one from the next. */
export function shortName(name: string): string {
  return name.replace(/^(?:\p{Ll}[\w$]*\.)+(?=\p{Lu})/u, '');
}
