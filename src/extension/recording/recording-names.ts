/** The names that recordings get, and how they are shown. */
const generated = / \d{4}-\d\d-\d\d \d\d\.\d\d\.\d\d(?: \d+)?\.btrace$/;

/** Whether the name is one we gave: what a person named is theirs, and never deleted by us. */
export function isGeneratedName(name: string): boolean {
  return generated.test(name);
}

/** What was recorded, or what a person named it: when it was is told beside it. */
export function shownName(name: string): string {
  return name.replace(generated, '').replace(/\.btrace$/, '');
}
