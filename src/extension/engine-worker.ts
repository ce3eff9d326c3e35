/**
 * The engine off the host's thread: a worker thread that decodes one recording and keeps it, hands over a table of methods for
 * the editor, and answers questions about one of them. Ended by terminating it; needs no vscode.
 */
import { createReadStream } from 'node:fs';
import { parentPort } from 'node:worker_threads';
import type { EngineAnswer, EngineRequest, TraceSource } from './engine/engine-messages.js';
import { EngineService } from './engine/engine-service.js';
import { MappingService } from './engine/mapping-service.js';
import { TraceReader } from './engine/open-trace.js';
import { recordedSources } from './engine/recorded-sources.js';
import { writeExport } from './engine/write-export.js';
import type { PartOptions, Trace } from '../trace/index.js';

const port = parentPort;
if (port === null) throw new Error('engine-worker.ts runs in a worker thread.');

const service = new EngineService();
const mappings = new MappingService();
const answer = (message: EngineAnswer, transfer: ArrayBuffer[] = []): void =>
  port.postMessage(message, transfer);

port.on('message', (request: EngineRequest) => {
  handle(request).catch((error: unknown) => {
    const message = error instanceof Error ? error.message : String(error);
    const { code, path } = error as NodeJS.ErrnoException;
    answer({ type: 'failed', id: request.id, message, gone: code === 'ENOENT' ? (path ?? '') : '' });
  });
});

async function handle(request: EngineRequest): Promise<void> {
  const { id } = request;
  switch (request.type) {
    case 'open': {
      const trace = await mappings.retraced(
        await readTrace(request.source, { mostBytes: request.memoryBytes }),
        request.mapping,
      );
      const figures = service.take(trace);
      const columns = Object.values(figures).filter((one) => ArrayBuffer.isView(one));
      // Fresh arrays, made for this answer: the engine's own stay here.
      const transfer = columns.map((one) => one.buffer).filter((one) => one instanceof ArrayBuffer);
      answer({ type: 'figures', id, figures }, transfer);
      return;
    }
    case 'export': {
      const trace = await mappings.retraced(
        await readTrace(request.source, { mostBytes: request.memoryBytes }),
        request.mapping,
      );
      answer({ type: 'exported', id, bytes: writeExport(trace, request.format, request.to) });
      return;
    }
    case 'detail':
      answer({ type: 'detail', id, detail: service.detail(request.rows) });
      return;
    case 'sources': {
      // One that cannot be read is told where it is needed more.
      const mappingOf = (runtime: string, mapId: string) =>
        mappings.of(request.mapping, runtime, mapId).catch(() => undefined);
      answer({ type: 'sources', id, sources: await recordedSources(request.path, mappingOf) });
      return;
    }
    case 'excerpt': {
      const { mapping, of, memoryBytes } = request;
      const excerpt =
        'classes' in of
          ? await mappings.excerpt(mapping, of)
          : await mappings.excerptFor(mapping, await readTrace(of, { mostBytes: memoryBytes }));
      answer({ type: 'excerpt', id, excerpt });
      return;
    }
    case 'unmap':
      answer({ type: 'unmapped', id, frames: await mappings.unmap(request.mapping, request.frame) });
  }
}

async function readTrace(source: TraceSource, part: PartOptions): Promise<Trace> {
  const reader = new TraceReader(part);
  if ('bytes' in source) {
    reader.append(new Uint8Array(source.bytes));
  } else {
    for await (const piece of createReadStream(source.path, { highWaterMark: 4 * 2 ** 20 })) {
      reader.append(piece as Uint8Array);
    }
  }
  return reader.finish();
}
