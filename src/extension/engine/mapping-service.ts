/** Reads R8 mappings in the worker, where 100 MB of text hold nobody up. */
import { readFile } from 'node:fs/promises';
import { Mapping } from '../../symbols/r8/mapping.js';
import { retraceFrame } from '../../symbols/r8/retrace.js';
import { classNames, mayBeMapped, retraceTrace } from '../../symbols/r8/retrace-trace.js';
import type { Frame } from '../../symbols/wanted-source.js';
import type { Trace } from '../../trace/index.js';
import type { ChosenMapping } from './engine-messages.js';

export class MappingService {
  #path = '';
  #mapping: Promise<Mapping> | undefined;

  /** Keeps the last one. */
  #read(path: string): Promise<Mapping> {
    if (this.#mapping === undefined || path !== this.#path) {
      this.#path = path;
      const mapping = readFile(path, 'utf8').then((text) => new Mapping(text));
      mapping.catch(() => (this.#mapping = undefined));
      this.#mapping = mapping;
    }
    return this.#mapping;
  }

  /** The mapping, where it can be that of what this runtime ran. */
  async of({ path, chosen }: ChosenMapping, runtime: string): Promise<Mapping | undefined> {
    return path === '' || !mayBeMapped({ info: { runtime } }, chosen) ? undefined : this.#read(path);
  }

  /** The trace with its mapping undone, where that can be its own. */
  async retraced(trace: Trace, chosen: ChosenMapping): Promise<Trace> {
    const mapping = await this.of(chosen, trace.info.runtime);
    return mapping === undefined ? trace : retraceTrace(trace, mapping);
  }

  async excerpt({ path }: ChosenMapping, classes: Iterable<string>): Promise<string> {
    return path === '' ? '' : (await this.#read(path)).excerpt(classes);
  }

  /** Empty where the mapping cannot be this trace's. */
  async excerptFor(mapping: ChosenMapping, trace: Trace): Promise<string> {
    return mayBeMapped(trace, mapping.chosen) ? this.excerpt(mapping, classNames(trace)) : '';
  }

  /** The frames it may have been, innermost first; the first alternative where several fit. */
  async unmap(path: string, frame: Frame): Promise<readonly Frame[]> {
    return retraceFrame(await this.#read(path), frame)[0] ?? [frame];
  }
}
