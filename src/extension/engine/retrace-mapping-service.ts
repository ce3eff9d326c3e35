/** Reads R8 mappings in the worker, where 100 MB of text hold nobody up. */
import { open, readFile } from 'node:fs/promises';
import { isOfBuild, mapHeadBytes, mapIdOf, recordedMapId } from '../../symbols/r8/map-id.js';
import { RetraceMapping } from '../../symbols/r8/retrace-mapping.js';
import { retraceFrame } from '../../symbols/r8/retrace.js';
import { classNames, mayBeMapped, retraceTrace } from '../../symbols/r8/retrace-trace.js';
import type { WantedRetraceMapping } from '../../protocol/messages.js';
import type { Frame } from '../../symbols/wanted-source.js';
import type { Trace } from '../../trace/index.js';
import type { KnownRetraceMappings, PathExcerpt } from './engine-messages.js';

export class RetraceMappingService {
  #path = '';
  #mapping: Promise<RetraceMapping> | undefined;

  /** Keeps the last one. */
  #read(path: string): Promise<RetraceMapping> {
    if (this.#mapping === undefined || path !== this.#path) {
      this.#path = path;
      const mapping = readFile(path, 'utf8').then((text) => new RetraceMapping(text));
      mapping.catch(() => (this.#mapping = undefined));
      this.#mapping = mapping;
    }
    return this.#mapping;
  }

  /** The mapping, where it can be that of what this runtime ran. */
  async of(known: KnownRetraceMappings, runtime: string, mapId: string): Promise<RetraceMapping | undefined> {
    if (!mayBeMapped({ info: { runtime } }, known.chosen)) return undefined;
    const path = await pick(known, mapId);
    return path === '' ? undefined : this.#read(path);
  }

  /** The mapping of a build; undefined where nobody chose one, and the build is not known or none of these is its. */
  async ofBuild(known: KnownRetraceMappings, mapId: string): Promise<RetraceMapping | undefined> {
    if (!known.chosen && mapId === '') return undefined;
    const path = await pick(known, mapId);
    return path === '' ? undefined : this.#read(path);
  }

  /** The trace with its names retraced, where that can be its own. */
  async retraced(trace: Trace, known: KnownRetraceMappings): Promise<Trace> {
    const mapping = await this.of(known, trace.info.runtime, recordedMapId(trace.methods));
    return mapping === undefined ? trace : retraceTrace(trace, mapping);
  }

  async excerpt(known: KnownRetraceMappings, { classes, mapId }: WantedRetraceMapping): Promise<PathExcerpt> {
    const path = await pick(known, mapId);
    if (path === '') return { path, text: '', isOther: false };
    const isOther = isOfBuild(await head(path), mapId) === false;
    return { path, text: (await this.#read(path)).excerpt(classes), isOther };
  }

  /** Empty where the mapping cannot be this trace's. */
  async excerptFor(known: KnownRetraceMappings, trace: Trace): Promise<PathExcerpt> {
    if (!mayBeMapped(trace, known.chosen)) return { path: '', text: '', isOther: false };
    return this.excerpt(known, { classes: [...classNames(trace)], mapId: recordedMapId(trace.methods) });
  }

  /** The frames it may have been, innermost first; the first alternative where several fit. */
  async retrace(known: KnownRetraceMappings, frame: Frame): Promise<readonly Frame[]> {
    const path = await pick(known, mapIdOf(frame.file));
    return path === '' ? [frame] : (retraceFrame(await this.#read(path), frame)[0] ?? [frame]);
  }
}

/** The one that a person chose; else that of the recorded build, or, where the recording does not tell its build, the newest. */
async function pick({ paths, chosen }: KnownRetraceMappings, mapId: string): Promise<string> {
  const [first = ''] = paths;
  if (chosen || mapId === '') return first;
  for (const path of paths) {
    if (isOfBuild(await head(path), mapId) === true) return path;
  }
  return '';
}

async function head(path: string): Promise<string> {
  const file = await open(path, 'r');
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(mapHeadBytes), 0, mapHeadBytes, 0);
    return buffer.toString('utf8', 0, bytesRead);
  } finally {
    await file.close();
  }
}
