import { readFile } from 'node:fs/promises';

/** The name of a user of this machine; "user 1234" where it has none. */
export async function userName(uid: number): Promise<string> {
  const text = await readFile('/etc/passwd', 'utf8').catch(() => '');
  return new RegExp(`^([^:\\n]+):[^:]*:${uid}:`, 'm').exec(text)?.[1] ?? `user ${uid}`;
}
