/** Reads R8 mappings in the worker, where 100 MB of text hold nobody up. */
import { readFile } from 'node:fs/promises';
import { Mapping } from '../../symbols/r8/mapping.js';
import { retraceFrame } from '../../symbols/r8/retrace.js';
import type { Frame } from '../../symbols/wanted-source.js';

export class MappingService {
  #path = '';
  #mapping: Promise<Mapping> | undefined;

  /** Keeps the last one. */
  read(path: string): Promise<Mapping> {
    if (this.#mapping === undefined || path !== this.#path) {
      this.#path = path;
      const mapping = readFile(path, 'utf8').then((text) => new Mapping(text));
      mapping.catch(() => (this.#mapping = undefined));
      this.#mapping = mapping;
    }
    return this.#mapping;
  }

  /** The frames it may have been, innermost first; the first alternative where several fit. */
  async unmap(path: string, frame: Frame): Promise<readonly Frame[]> {
    const mapping = await this.read(path);
    return retraceFrame(mapping, frame)[0] ?? [frame];
  }
}
