/**
 * The engine off the host's thread: a worker thread that decodes one recording and keeps it, hands over a table of methods for
 * the editor, and answers questions about one of them. Ended by terminating it; needs no vscode.
 */
import { parentPort } from 'node:worker_threads';
import type { EngineAnswer, EngineRequest } from './engine/engine-messages.js';
import { EngineService } from './engine/engine-service.js';
import { codeNames, readTrace } from './engine/read-trace.js';
import { LagsService } from './engine/lags-service.js';
import { RetraceMappingService } from './engine/retrace-mapping-service.js';
import { recordedSources } from './engine/recorded-sources.js';
import { mergeFiles } from './engine/write-merged.js';
import { writeExport } from './engine/write-export.js';

const port = parentPort;
if (port === null) throw new Error('engine-worker.ts runs in a worker thread.');

const service = new EngineService();
const mappings = new RetraceMappingService();
const lags = new LagsService(mappings);
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
    case 'merge': {
      const made = await mergeFiles(request.recording, request.systemTrace, request.to);
      const refusal = 'kind' in made ? made.kind : '';
      answer({ type: 'merged', id, outcome: { refusal, apartNs: 'shift' in made ? made.shift.ns : 0 } });
      return;
    }
    case 'detail':
      answer({ type: 'detail', id, detail: service.detail(request.rows) });
      return;
    case 'codeNames': {
      const names = await codeNames(request.path, { mostBytes: request.memoryBytes });
      answer({ type: 'codeNames', id, names });
      return;
    }
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
    case 'retrace':
      answer({ type: 'retraced', id, frames: await mappings.retrace(request.mapping, request.frame) });
      return;
    case 'lags': {
      const soFar = (files: number): void => answer({ type: 'lagsSoFar', id, files });
      answer({ type: 'lags', id, lags: await lags.group(request.folder, request.mapping, soFar) });
      return;
    }
    case 'lagPlaces':
      answer({ type: 'lagPlaces', id, places: lags.places(request.group) });
  }
}
