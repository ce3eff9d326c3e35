import { Gzip } from 'fflate';
import type { Sink } from './importer.js';

/** A sink whose pieces go on within gzip; `end` closes it. Without the time of day: equal traces give equal files. */
export class GzipSink {
  readonly #stream: Gzip;

  constructor(sink: Sink) {
    this.#stream = new Gzip({ level: 6, mtime: 0 }, (piece) => {
      if (piece.length > 0) sink(piece);
    });
  }

  readonly write: Sink = (bytes) => {
    this.#stream.push(bytes);
  };

  end(): void {
    this.#stream.push(new Uint8Array(0), true);
  }
}
