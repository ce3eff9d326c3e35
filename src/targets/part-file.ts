/** A file while it is not whole: beside its final place, which may be a folder that others write to. It is made with the flag "wx". */
import { randomBytes } from 'node:crypto';
import { constants } from 'node:fs';
import path from 'node:path';

/** Opens a part to be written from its begin, and nothing that a link in its place leads to. */
export const toFill = constants.O_WRONLY | constants.O_CREAT | constants.O_TRUNC | constants.O_NOFOLLOW;

/** What the system said of a part, told of the file that a person knows. */
export function ofWhole(error: unknown, part: string, file: string): unknown {
  if (!(error instanceof Error) || !('path' in error)) return error;
  return Object.assign(error, { message: error.message.replaceAll(part, file), path: file });
}

/** A name that nobody can guess, so that nobody can lay a link there. Fits also where the file's name is as long as names may be. */
export function partName(file: string): string {
  const name = path.basename(file).slice(0, 40);
  return path.join(path.dirname(file), `.${name}.${randomBytes(6).toString('hex')}.part`);
}
