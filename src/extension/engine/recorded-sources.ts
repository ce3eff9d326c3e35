/** Which sources a recording names, and when it began: of its chunks only those few are read. Runs in the worker. */
import { open } from 'node:fs/promises';
import { ChunkKind, ChunkParser, chunkPayload, messages, RecordingReader } from '../../trace/index.js';
import { mapIdOf } from '../../symbols/r8/map-id.js';
import type { RetraceMapping } from '../../symbols/r8/retrace-mapping.js';
import { wantedSource } from '../../symbols/wanted-source.js';

export interface RecordedSources {
  /** Unix time in ms; 0 where it is not known. */
  readonly startedMs: number;
  /** "com.example/Shop.java" */
  readonly fileKeys: readonly string[];
}

/** What is longer than this is no chunk of names. */
const maxChunkBytes = 20 * 2 ** 20;

/** None for what has no index: it was cut off, or is no recording. `mappingOf`: what a runtime's names were minified by. */
export async function recordedSources(
  path: string,
  mappingOf: (runtime: string, mapId: string) => Promise<RetraceMapping | undefined>,
): Promise<RecordedSources> {
  const file = await open(path, 'r');
  try {
    const { size } = await file.stat();
    const read = async (offset: number, length: number): Promise<Uint8Array> => {
      const bytes = new Uint8Array(Math.min(length, size - offset));
      const { bytesRead } = await file.read(bytes, 0, bytes.length, offset);
      return bytes.subarray(0, bytesRead);
    };
    const index = await new RecordingReader({ size: () => Promise.resolve(size), read }).index();
    const classes: { readonly name: string; readonly file: string }[] = [];
    let startedMs = 0;
    let runtime = '';
    for (let at = 0; at < (index?.count ?? 0); at++) {
      const kind = index?.kind[at];
      if (kind !== ChunkKind.Header && kind !== ChunkKind.Classes) continue;
      const from = index?.offset[at] ?? 0;
      const to = index?.offset[at + 1] ?? size;
      if (to - from > maxChunkBytes) continue;
      const parser = new ChunkParser({ magic: false, sparse: true });
      parser.push(await read(from, to - from));
      const chunk = parser.next();
      if (chunk?.kind === ChunkKind.Header) {
        const { clock, target } = messages.Header.decode(chunkPayload(chunk));
        runtime = target.runtime;
        startedMs = Number(clock.realtimeNs / 1_000_000n);
      } else if (chunk?.kind === ChunkKind.Classes) {
        classes.push(...messages.Classes.decode(chunkPayload(chunk)).classes);
      }
    }
    const mapping = await mappingOf(
      runtime,
      classes.map(({ file: base }) => mapIdOf(base)).find(Boolean) ?? '',
    );
    const keys = new Set<string>();
    for (const { name, file: base } of classes) {
      const written = mapping?.class(name);
      addKeys(keys, written?.original ?? name, written?.sourceFile ?? base);
    }
    return { startedMs, fileKeys: [...keys] };
  } finally {
    await file.close();
  }
}

function addKeys(keys: Set<string>, className: string, file: string): void {
  const { packageName, baseNames } = wantedSource({ className, method: '', signature: '', file, line: 0 });
  for (const baseName of baseNames) keys.add(`${packageName}/${baseName}`);
}
