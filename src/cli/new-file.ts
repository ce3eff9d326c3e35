/** A file that gets its name when it is whole: until then it is beside it under another, and goes when anything fails. */
import { type FileHandle, open, rename, rm } from 'node:fs/promises';
import { rmSync } from 'node:fs';
import path from 'node:path';
import type { ByteSink } from '../trace/index.js';
import { ExitCode } from './exit-codes.js';
import { fileError } from './open-trace.js';

export class NewFile {
  bytes = 0;

  private constructor(
    private readonly path: string,
    private readonly partial: string,
    private readonly handle: FileHandle,
  ) {}

  static async create(file: string): Promise<NewFile> {
    const partial = path.join(path.dirname(file), `.${path.basename(file)}.${process.pid}.partial`);
    try {
      return new NewFile(file, partial, await open(partial, 'w', 0o600));
    } catch (error) {
      throw fileError(file, 'written', error);
    }
  }

  /** Runs `write` and gives the file its name. Ctrl-C meanwhile ends the process and leaves nothing. */
  async fill<T>(write: (sink: ByteSink) => Promise<T>): Promise<T> {
    const interrupt = () => {
      rmSync(this.partial, { force: true });
      process.exit(ExitCode.Interrupted);
    };
    process.on('SIGINT', interrupt).on('SIGTERM', interrupt);
    try {
      const result = await write({
        write: async (bytes) => {
          await this.handle.writeFile(bytes);
          this.bytes += bytes.length;
        },
      });
      await this.handle.close();
      await rename(this.partial, this.path);
      return result;
    } catch (error) {
      await this.handle.close().catch(() => undefined);
      await rm(this.partial, { force: true });
      throw (error as NodeJS.ErrnoException).syscall === undefined
        ? error
        : fileError(this.path, 'written', error);
    } finally {
      process.off('SIGINT', interrupt).off('SIGTERM', interrupt);
    }
  }
}
