// Reads of a runtime's memory without a check, held by lint: in native-agent/rt each line that reads by a bare address,
// or makes a pointer from one to read by, is listed in native-agent/rt/unchecked-reads.txt with the reason why what it
// reads is there. All else goes through read_memory or checked_read.
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

/** What reads by an address that was a number: the two helpers, and a cast to a pointer that can be followed. */
const reads = [
  /\bplain_read</,
  /\bread_at</,
  /\breinterpret_cast<(?!(?:const )?void\s*\*)[^()]*\*(?: const)?\s*>\((?!&)/,
];
/** The same where a checked read takes it. */
const checked = /\b(?:read_memory|checked_read)\(\s*reinterpret_cast<[^()]*\*(?: const)?\s*>\(/g;

/** `file`, `text` (a part of the line) and `why` of each entry of the list; '#' begins a comment. */
export function parseList(list) {
  return list
    .split('\n')
    .map((line, index) => ({ line: line.trim(), number: index + 1 }))
    .filter(({ line }) => line !== '' && !line.startsWith('#'))
    .map(({ line, number }) => {
      const [file = '', text = '', why = ''] = line.split(' | ').map((part) => part.trim());
      return { file, text, why, number };
    });
}

/** The lines of a source that read without a check: their numbers and texts. */
export function uncheckedReads(source) {
  return source
    .split('\n')
    .map((line, index) => ({ number: index + 1, text: line.replace(/\/\/.*$/, '') }))
    .filter(({ text }) => reads.some((read) => read.test(text.replace(checked, 'read_memory('))));
}

/** What is wrong with the sources (path → text) and the list, in words; nothing where all is well. */
export function complaints(sources, list) {
  const said = [];
  const entries = parseList(list);
  const used = new Set();
  for (const { file, text, why, number } of entries)
    if (file === '' || text === '' || why.length < 20)
      said.push(`unchecked-reads.txt:${number}: an entry is FILE | TEXT OF THE LINE | WHY IT IS SAFE`);
  for (const [file, source] of Object.entries(sources))
    for (const { number, text } of uncheckedReads(source)) {
      const entry = entries.find((entry) => entry.file === file && text.includes(entry.text));
      if (entry) used.add(entry);
      else said.push(`${file}:${number}: reads without a check and is not listed: ${text.trim()}`);
    }
  for (const entry of entries)
    if (!used.has(entry))
      said.push(`unchecked-reads.txt:${entry.number}: no such read any more: ${entry.text}`);
  return said;
}

/** The sources below `folder`, by their path from there. */
export function sourcesBelow(folder) {
  return Object.fromEntries(
    readdirSync(folder, { recursive: true })
      .filter((name) => /\.(cc|h)$/.test(name))
      .sort()
      .map((name) => [name.split(path.sep).join('/'), readFileSync(path.join(folder, name), 'utf8')]),
  );
}
