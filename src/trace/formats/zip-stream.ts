import {
  type AsyncFlateStreamHandler,
  Unzip,
  type UnzipDecoderConstructor,
  type UnzipFile,
  UnzipInflate,
  UnzipPassThrough,
} from 'fflate';
import { isInflateError } from './inflate.js';

/** How files are packed: not at all, or in the one way that is common. */
const stored = 0;
const deflated = 8;
/** What is behind so many is not looked at: the time that fflate takes for a file grows with how many came before it. */
const maxFiles = 1 << 14;
const nothing = new Uint8Array(0);

interface Visitor {
  /** Bytes of the file at hand. False: the rest of it does not matter. */
  readonly piece: (bytes: Uint8Array) => boolean;
  /** It has ended: true where it was what is looked for, so that no other is unpacked. */
  readonly end: () => boolean;
}

/** Unpacks the files of a zip archive one after the other, as they come, until one is what is looked for. */
export class ZipStream {
  /** The file that was looked for, and how many others there are. */
  opened = '';
  others = 0;
  #failed: string | undefined;
  #total = 0;
  #files = 0;
  #current: UnzipFile | undefined;
  /** False from where the rest of the current file does not matter. */
  #isWanted = false;
  readonly #maxBytes: number;
  readonly #visitor: Visitor;
  readonly #stream = new Unzip((file) => this.#begin(file));

  constructor(maxBytes: number, visitor: Visitor) {
    this.#maxBytes = maxBytes;
    this.#visitor = visitor;
  }

  /** Why unpacking stopped, if it did. */
  get failed(): string | undefined {
    return this.#failed;
  }

  push(bytes: Uint8Array, isLast: boolean): void {
    const step = 1 << 16;
    try {
      for (let at = 0; at < bytes.length || at === 0; at += step) {
        if (this.#failed !== undefined || this.#files > maxFiles) return;
        this.#stream.push(bytes.subarray(at, at + step), isLast && at + step >= bytes.length);
      }
    } catch (error) {
      // What reads the bytes throws only when it is cancelled: that is not about the file.
      if (!isInflateError(error)) throw error;
      this.#failed = error.message;
    }
  }

  #begin(file: UnzipFile): void {
    if (++this.#files > maxFiles && this.opened === '')
      this.#failed ??= `no trace is among its first ${maxFiles} files`;
    const isFolder = file.name.endsWith('/');
    // One that has not ended when the next begins is damaged.
    const isOther = this.opened !== '' || this.#current !== undefined;
    if (isOther && !isFolder) this.others++;
    if (isOther || isFolder || this.#failed !== undefined) {
      this.#skip(file);
      return;
    }
    if (file.compression !== stored && file.compression !== deflated) {
      this.#failed = `"${file.name}" is packed in a way that is not known here`;
      this.#skip(file);
      return;
    }
    this.#current = file;
    this.#isWanted = true;
    this.#stream.register(file.compression === stored ? UnzipPassThrough : this.#inflating());
    file.ondata = (error, bytes, isLast) => this.#data(file, error, bytes, isLast);
    file.start();
  }

  /** fflate keeps the bytes of a file that was not started. */
  #skip(file: UnzipFile): void {
    this.#stream.register(skipping(file.compression));
    file.ondata = () => undefined;
    file.start();
  }

  #inflating(): UnzipDecoderConstructor {
    const isWanted = (): boolean => this.#isWanted;
    return class extends UnzipInflate {
      override push(bytes: Uint8Array, isLast: boolean): void {
        if (isWanted()) super.push(bytes, isLast);
        else this.ondata(null, nothing, isLast);
      }
    };
  }

  #data(file: UnzipFile, error: Error | null, bytes: Uint8Array, isLast: boolean): void {
    if (error !== null) {
      if (!isInflateError(error)) throw error;
      this.#failed ??= error.message;
    }
    if (this.#failed !== undefined) return;
    this.#total += bytes.length;
    if (this.#total > this.#maxBytes) {
      this.#failed = `it is larger than ${Math.round(this.#maxBytes / 2 ** 20)} MiB when inflated`;
      return;
    }
    if (this.#isWanted) this.#isWanted = this.#visitor.piece(bytes);
    if (!isLast) return;
    this.#current = undefined;
    if (this.#visitor.end()) this.opened = file.name;
    else this.others++;
  }
}

/** Takes the bytes of a file, however it is packed, and makes nothing of them. */
function skipping(compression: number): UnzipDecoderConstructor {
  return class {
    static readonly compression = compression;
    ondata: AsyncFlateStreamHandler = () => undefined;
    push(): void {
      // Nobody asks for them.
    }
  };
}
