/** The file of a recording being made: new, readable by its owner alone, and cut back to whole writes when the disk fills. */
import { rmSync } from 'node:fs';
import { type FileHandle, open, rm } from 'node:fs/promises';
import type { ByteSink } from '../../trace/recording/writer.js';
import { TargetError } from '../target.js';

const privateMode = 0o600;

/** The file could not be written: not to be taken for the agent's stream having failed. */
export class FileError extends Error {
  override readonly name = 'FileError';
  readonly diskFull: boolean;

  constructor(
    readonly path: string,
    cause: unknown,
  ) {
    super(`Writing ${path} failed: ${cause instanceof Error ? cause.message : String(cause)}.`, { cause });
    const code = (cause as NodeJS.ErrnoException | undefined)?.code;
    this.diskFull = code === 'ENOSPC' || code === 'EDQUOT' || code === 'EFBIG';
  }
}

export class RecordingFile implements ByteSink {
  /** Length of what has been written whole. */
  bytes = 0;
  readonly #handle: FileHandle;

  private constructor(
    readonly path: string,
    handle: FileHandle,
  ) {
    this.#handle = handle;

    process.once('exit', this.#removeIfEmpty);
  }

  /** When this process ends before anything was recorded. */
  readonly #removeIfEmpty = () => {
    if (this.bytes === 0) rmSync(this.path, { force: true });
  };

  /** Never writes over a file that is there. */
  static async create(path: string): Promise<RecordingFile> {
    try {
      return new RecordingFile(path, await open(path, 'wx', privateMode));
    } catch (error) {
      const code = (error as NodeJS.ErrnoException).code;
      if (code === 'EEXIST') {
        throw new TargetError(
          'io',
          `${path} is there already.`,
          'Choose another name, or delete that file first.',
          {
            cause: error,
          },
        );
      }
      throw new TargetError(
        'io',
        `The recording ${path} cannot be written: ${error instanceof Error ? error.message : String(error)}`,
        'Choose a folder that exists and that you may write to.',
        { cause: error },
      );
    }
  }

  /** Writes all of `bytes` or, when that fails, leaves the file as it was before. */
  async write(bytes: Uint8Array): Promise<void> {
    try {
      for (let at = 0; at < bytes.length;) {
        const { bytesWritten } = await this.#handle.write(bytes, at, bytes.length - at, this.bytes + at);
        at += bytesWritten;
      }
      this.bytes += bytes.length;
    } catch (error) {
      await this.#handle.truncate(this.bytes).catch(() => undefined);
      throw new FileError(this.path, error);
    }
  }

  async close(): Promise<void> {
    process.off('exit', this.#removeIfEmpty);
    await this.#handle.close();
  }

  async remove(): Promise<void> {
    await rm(this.path, { force: true });
  }
}
