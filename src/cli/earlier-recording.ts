/** The last recording of the same program before another one, in the same folder. */
import { open, readdir, stat } from 'node:fs/promises';
import path from 'node:path';
import { RecordingDecoder, type Trace } from '../trace/index.js';
import { CliError, ExitCode } from './exit-codes.js';
import { plainText } from './plain-text.js';

/** The header, which names the program, is in these bytes. */
const headBytes = 64 * 1024;
/** Older ones are not looked at. */
const mostLookedAt = 200;

export async function earlierRecording(file: string, { info }: Trace): Promise<string> {
  const folder = path.dirname(file);
  const { mtimeMs } = await stat(file);
  const names = (await readdir(folder)).filter(
    (name) => name.endsWith('.btrace') && name !== path.basename(file),
  );
  const dated = await Promise.all(
    names.map(async (name) => ({ name, at: (await stat(path.join(folder, name))).mtimeMs })),
  );
  const earlier = dated.filter(({ at }) => at <= mtimeMs).sort((a, b) => b.at - a.at);
  for (const { name } of earlier.slice(0, mostLookedAt))
    if ((await targetOf(path.join(folder, name))) === info.targetName) return path.join(folder, name);
  throw new CliError(
    ExitCode.File,
    `${folder} has no earlier recording of ${plainText(info.targetName) || 'this program'}.`,
    'Name one: --since FILE.',
  );
}

/** The name of the program that was recorded; undefined if the file is no recording. */
async function targetOf(file: string): Promise<string | undefined> {
  const handle = await open(file);
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(headBytes), 0, headBytes, 0);
    const decoder = new RecordingDecoder();
    decoder.append(buffer.subarray(0, bytesRead));
    return decoder.refused === '' ? decoder.trace().info.targetName : undefined;
  } finally {
    await handle.close();
  }
}
