/** Where recordings go when nobody says: a folder that git ignores, named by target and time. */
import { mkdir, writeFile } from 'node:fs/promises';
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
    .replace(/^[\s.]+|[\s.]+$/g, '');
  if (plain === '') return 'recording';
  return /^(con|prn|aux|nul|com\d|lpt\d)(\.|$)/i.test(plain) ? `_${plain}` : plain;
}

/** Makes the folder if it is not there: private, and ignored by git whatever is above it. */
export async function makeRecordingFolder(folder: string): Promise<void> {
  const made = await mkdir(folder, { recursive: true, mode: 0o700 });
  if (made !== undefined) {
    await writeFile(
      path.join(folder, '.gitignore'),
      '# Recordings tell of the program and the machine.\n*\n',
    );
  }
}

/** The path of a new recording in `folder`, which is there afterwards. */
export async function newRecordingFile(folder: string, target: string, when: Date): Promise<string> {
  await makeRecordingFolder(folder);
  return path.join(folder, recordingName(target, when));
}
