/**
 * What a ring holds, written to a file of its own while the recording goes on. The session's file has the names and
 * stacks of all that time; they are copied first, then the samples that the agent sends follow.
 */
import { createReadStream } from 'node:fs';
import { EndReason } from '../../trace/model/kinds.js';
import { type Chunk, ChunkKind, ChunkParser } from '../../trace/recording/chunk.js';
import { RecordingWriter } from '../../trace/recording/writer.js';
import type { SessionEnd } from '../target.js';
import { FileError, RecordingFile } from './recording-file.js';

/** Of these the ring holds a stretch; all other kinds hold for the whole session. */
const ringKinds: ReadonlySet<number> = new Set([
  ChunkKind.Samples,
  ChunkKind.Links,
  ChunkKind.OffCarrierWaits,
  ChunkKind.HeldMemory,
  ChunkKind.Counters,
  ChunkKind.Losses,
]);

export class RingDump {
  readonly ended: Promise<SessionEnd>;
  #settle: (end: SessionEnd) => void = () => undefined;
  readonly #writer: RecordingWriter;
  #open = true;
  readonly #file: RecordingFile;

  private constructor(file: RecordingFile) {
    this.#file = file;

    this.#writer = new RecordingWriter(file);
    this.ended = new Promise((resolve) => (this.#settle = resolve));
  }

  static async begin(path: string, sessionFile: string): Promise<RingDump> {
    const file = await RecordingFile.create(path);
    try {
      const dump = new RingDump(file);
      const parser = new ChunkParser({ magic: true });
      for await (const bytes of createReadStream(sessionFile)) {
        if (bytes instanceof Uint8Array) parser.push(bytes);
        for (let chunk = parser.next(); chunk; chunk = parser.next()) await dump.#writer.append(chunk);
      }
      return dump;
    } catch (error) {
      await file.close();
      await file.remove();
      throw error;
    }
  }

  /** True when the chunk belongs to the dump alone. A dump that cannot be written ends; the recording does not. */
  async take(chunk: Chunk): Promise<boolean> {
    try {
      if (this.#open) await this.#writer.append(chunk);
    } catch (error) {
      await this.#giveUp(error);
    }
    return ringKinds.has(chunk.kind);
  }

  async finish(): Promise<void> {
    await this.#end('stopped', '', EndReason.Dumped);
  }

  async fail(message: string): Promise<void> {
    await this.#end('connection-lost', message, EndReason.ConnectionLost);
  }

  async #end(
    reason: SessionEnd['reason'],
    message: string,
    footer: (typeof EndReason)[keyof typeof EndReason],
  ): Promise<void> {
    if (!this.#open) return;
    try {
      await this.#writer.finish(footer, message);
      await this.#close(reason, message);
    } catch (error) {
      await this.#giveUp(error);
    }
  }

  async #giveUp(error: unknown): Promise<void> {
    const full = error instanceof FileError && error.diskFull;
    await this.#close(full ? 'disk-full' : 'fault', `The dump could not be written: ${String(error)}`);
  }

  async #close(reason: SessionEnd['reason'], message: string): Promise<void> {
    this.#open = false;
    await this.#file.close();
    this.#settle({ reason, message, file: this.#file.path, fileBytes: this.#file.bytes });
  }
}
