/**
 * Dumps of a ring that another `btrace record` keeps: it listens on a socket named by the target's pid in this user's
 * private folder, and `btrace dump` asks there. One line of JSON each way.
 */
import { lstat, rm } from 'node:fs/promises';
import net from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { newRecordingFile } from '../../targets/recording-folder.js';
import { SharedFolder } from '../../targets/shared-folder.js';
import { type Session, type SessionEnd, TargetError } from '../../targets/target.js';
import { recordingsFolder } from './request.js';

const signalFileEveryMs = 200;
const maxLineBytes = 64 * 1024;

export interface DumpRequest {
  readonly file: string;
  /** How far back; 0: all there is. */
  readonly lastNs: number;
}

type Answer = { readonly end: SessionEnd } | { readonly error: string; readonly nextStep: string };

/** Private to this user. To be closed by the caller. */
async function controlFolder(): Promise<SharedFolder> {
  const temporary = await SharedFolder.open('', os.tmpdir());
  try {
    return await temporary.ownFolder(`btrace-control-${process.geteuid?.() ?? 0}`);
  } finally {
    await temporary.close();
  }
}

function socketName(pid: number): string {
  return `${pid}.sock`;
}

/** The first line that comes on a connection. */
function lineOf(connection: net.Socket): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = '';
    connection.setEncoding('utf8');
    connection.on('data', (part: string) => {
      text += part;
      const end = text.indexOf('\n');
      if (end >= 0) resolve(text.slice(0, end));
      else if (text.length > maxLineBytes) reject(new Error('a line without an end'));
    });
    connection.once('error', reject);
    connection.once('close', () => reject(new Error('closed without a word')));
  });
}

/** Answers `btrace dump` while a ring is kept. */
export class DumpService {
  readonly #server: net.Server;
  readonly #folder: SharedFolder;
  readonly #socket: string;

  private constructor(server: net.Server, folder: SharedFolder, socket: string) {
    this.#server = server;
    this.#folder = folder;
    this.#socket = socket;
  }

  static async open(session: Session): Promise<DumpService> {
    const folder = await controlFolder();
    const socket = socketName(session.target.pid);
    await folder.remove(socket); // of a recording that was killed: the agent takes one at a time
    const server = net.createServer((connection) => {
      connection.on('error', () => connection.destroy());
      void answer(connection, session);
    });
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen(folder.at(socket), resolve);
    });
    return new DumpService(server, folder, socket);
  }

  async close(): Promise<void> {
    this.#server.close();
    await this.#folder.remove(this.#socket);
    await this.#folder.close();
  }
}

async function answer(connection: net.Socket, session: Session): Promise<void> {
  let said: Answer;
  try {
    const { file, lastNs } = JSON.parse(await lineOf(connection)) as DumpRequest;
    said = { end: await session.dump(file, lastNs) };
  } catch (error) {
    said =
      error instanceof TargetError
        ? { error: error.message, nextStep: error.nextStep }
        : { error: String(error), nextStep: '' };
  }
  connection.end(`${JSON.stringify(said)}\n`);
}

/** The pids of the targets whose rings are kept now. */
export async function ringTargets(): Promise<number[]> {
  const folder = await controlFolder();
  try {
    const names = await folder.names();
    return names.filter((name) => /^\d+\.sock$/.test(name)).map((name) => parseInt(name));
  } finally {
    await folder.close();
  }
}

export async function requestDump(pid: number, request: DumpRequest): Promise<SessionEnd> {
  const folder = await controlFolder();
  const connection = net.connect(folder.at(socketName(pid)));
  try {
    connection.write(`${JSON.stringify(request)}\n`);
    const said = JSON.parse(await lineOf(connection)) as Answer;
    if ('end' in said) return said.end;
    throw new TargetError('io', said.error, said.nextStep);
  } catch (error) {
    if (error instanceof TargetError) throw error;
    throw new TargetError(
      'not-found',
      `No recording keeps a ring of process ${pid}.`,
      `Start one with: btrace record --pid ${pid} --ring 30s`,
      { cause: error },
    );
  } finally {
    connection.destroy();
    await folder.close();
  }
}

/**
 * A program, a script or a person without a terminal asks for a dump by making a file: one of this user's, since in /tmp others can make one,
 * too. Returns how to stop looking.
 */
export function dumpWhenFileAppears(file: string, session: Session, say: (line: string) => void): () => void {
  let busy = false;
  const look = async () => {
    if (busy || (await lstat(file).catch(() => undefined))?.uid !== process.geteuid?.()) return;
    busy = true;
    try {
      await rm(file, { force: true });
      const to = await newRecordingFile(recordingsFolder, `${session.target.name} ring`, new Date());
      const end = await session.dump(path.resolve(to), 0);
      say(end.message === '' ? `Dumped the ring to ${end.file}` : end.message);
    } catch (error) {
      say(`The ring was not dumped: ${error instanceof Error ? error.message : String(error)}`);
    } finally {
      busy = false;
    }
  };
  const timer = setInterval(() => void look(), signalFileEveryMs);
  return () => clearInterval(timer);
}
