/** adb's file service over a folder: push, pull, stat and list, with a phone's error texts. */
import { lstat, mkdir, open, readFile, readdir, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import type { Duplex } from 'node:stream';
import { ByteReader, words } from './wire.js';

const noSuchFile = 2;
const chunkBytes = 64 * 1024;

export interface SyncFaults {
  /** Storage is full: a push is refused after its first piece. */
  readonly full: boolean;
}

const message = (id: string, argument: number, data: Buffer | string = '') =>
  Buffer.concat([Buffer.from(id), words(argument), Buffer.from(data)]);
const failure = (text: string) => message('FAIL', Buffer.byteLength(text), text);

/** `resolve` maps a device's path to this machine's. */
export async function serveSync(
  stream: Duplex,
  resolve: (devicePath: string) => string,
  faults: SyncFaults,
): Promise<void> {
  const reader = new ByteReader(stream);
  for (;;) {
    const request = await reader.read(8);
    const id = request.toString('latin1', 0, 4);
    if (id === 'QUIT') {
      stream.end();
      return;
    }
    const asked = (await reader.read(request.readUInt32LE(4))).toString();
    if (id === 'STAT') stream.write(await oldStat(resolve(asked)));
    else if (id === 'STA2' || id === 'LST2') stream.write(await newStat(id, resolve(asked)));
    else if (id === 'RECV') await send(stream, resolve(asked));
    else if (id === 'SEND') stream.write(await receive(reader, resolve, asked, faults));
    else if (id === 'LIST') await list(stream, resolve(asked));
    else stream.write(failure(`unknown command ${id}`));
  }
}

async function oldStat(file: string): Promise<Buffer> {
  const found = await lstat(file).catch(() => undefined);
  return message('STAT', found?.mode ?? 0, words(found?.size ?? 0, Math.floor((found?.mtimeMs ?? 0) / 1000)));
}

/** struct sync_stat_v2: error, device, inode, mode, links, uid, gid, size, three times. */
async function newStat(id: string, file: string): Promise<Buffer> {
  const found = await (id === 'LST2' ? lstat(file) : stat(file)).catch(() => undefined);
  const answer = Buffer.alloc(72);
  answer.write(id, 0);
  if (!found) {
    answer.writeUInt32LE(noSuchFile, 4);
    return answer;
  }
  answer.writeUInt32LE(found.mode, 24);
  answer.writeUInt32LE(found.nlink, 28);
  answer.writeBigUInt64LE(BigInt(found.size), 40);
  for (const at of [48, 56, 64]) answer.writeBigInt64LE(BigInt(Math.floor(found.mtimeMs / 1000)), at);
  return answer;
}

async function send(stream: Duplex, file: string): Promise<void> {
  const data = await readFile(file).catch(() => undefined);
  if (!data) {
    stream.write(failure('open failed: No such file or directory'));
    return;
  }
  for (let at = 0; at < data.length; at += chunkBytes) {
    const chunk = data.subarray(at, at + chunkBytes);
    stream.write(message('DATA', chunk.length, chunk));
  }
  stream.write(message('DONE', 0));
}

/** `asked` is "path,mode"; DATA pieces follow, then DONE with the time. */
async function receive(
  reader: ByteReader,
  resolve: (devicePath: string) => string,
  asked: string,
  faults: SyncFaults,
): Promise<Buffer> {
  const comma = asked.lastIndexOf(',');
  const file = resolve(asked.slice(0, comma));
  // As it comes, under its name; what does not come whole is removed.
  await mkdir(path.dirname(file), { recursive: true });
  await rm(file, { force: true });
  const into = await open(file, 'w', Number(asked.slice(comma + 1)) & 0o777);
  try {
    for (;;) {
      const header = await reader.read(8);
      if (header.toString('latin1', 0, 4) !== 'DATA') break;
      await into.write(await reader.read(header.readUInt32LE(4)));
    }
    if (!faults.full) return message('OKAY', 0);
    await rm(file, { force: true });
    return failure('write failed: No space left on device');
  } catch (error) {
    await rm(file, { force: true });
    throw error;
  } finally {
    await into.close();
  }
}

async function list(stream: Duplex, folder: string): Promise<void> {
  for (const name of await readdir(folder).catch(() => [])) {
    const found = await lstat(path.join(folder, name)).catch(() => undefined);
    if (!found) continue;
    const facts = words(found.size, Math.floor(found.mtimeMs / 1000), Buffer.byteLength(name));
    stream.write(message('DENT', found.mode, Buffer.concat([facts, Buffer.from(name)])));
  }
  stream.write(Buffer.concat([Buffer.from('DONE'), Buffer.alloc(16)]));
}
