/** Where recordings go when nobody says: a folder that git ignores, named by target and time. */
import { mkdir, readdir, writeFile } from 'node:fs/promises';
import path from 'node:path';

/** "Shop 2026-05-04 13.37.00.btrace": sorts by time, and holds nothing a file system refuses. */
export function recordingName(target: string, when: Date): string {
  const two = (n: number) => String(n).padStart(2, '0');
  const day = `${when.getFullYear()}-${two(when.getMonth() + 1)}-${two(when.getDate())}`;
  const time = `${two(when.getHours())}.${two(when.getMinutes())}.${two(when.getSeconds())}`;
  return `${safeName(target)} ${day} ${time}.btrace`;
}

/** Windows refuses more than the others do, so its rules hold everywhere: a recording may travel. */
export function safeName(name: string): string {
  const plain = name
    .normalize('NFC')
    .replace(/[\p{Cc}\p{Cf}<>:"/\\|?*]/gu, '_')
    .replace(/\s+/g, ' ')
    .slice(0, 80)
    .replace(/^[\s.]+/, '')
    .replace(/(?<![\s.])[\s.]+$/, '');
  if (plain === '') return 'recording';
  return /^(con|prn|aux|nul|com\d|lpt\d)(\.|$)/i.test(plain) ? `_${plain}` : plain;
}

/** Makes the folder if it is not there: private, and ignored by git whatever is above it. */
async function makeRecordingFolder(folder: string): Promise<void> {
  const made = await mkdir(folder, { recursive: true, mode: 0o700 });
  if (made !== undefined) {
    await writeFile(
      path.join(folder, '.gitignore'),
      '# Recordings tell of the program and the machine.\n*\n',
      { flag: 'wx' },
    );
  }
}

/** Paths that this process gave to recordings whose files have not been seen yet. */
const given = new Set<string>();

/**
 * The path of a new recording in `folder`, which is there afterwards: one that no file has and that was given to no other
 * recording, though both are of one target and second.
 */
export async function newRecordingFile(folder: string, target: string, when: Date): Promise<string> {
  await makeRecordingFolder(folder);
  const there = new Set(await readdir(folder));
  for (const name of there) given.delete(path.resolve(folder, name));
  const isTaken = (name: string) => there.has(name) || given.has(path.resolve(folder, name));
  const first = recordingName(target, when);
  let name = first;
  for (let n = 2; isTaken(name); n++) name = first.replace(/\.btrace$/, ` ${n}.btrace`);
  given.add(path.resolve(folder, name));
  return path.join(folder, name);
}
