/** The engine's worker thread as seen from the host. Ended by terminating it, in the middle of whatever it does. */
import path from 'node:path';
import { Worker } from 'node:worker_threads';
import { Uri, workspace, type Disposable } from 'vscode';
import type { Frame } from '../../symbols/wanted-source.js';
import type { NamedCode } from '../../trace/index.js';
import type { WantedRetraceMapping } from '../../protocol/messages.js';
import type {
  KnownRetraceMappings,
  MergeOutcome,
  EngineAnswer,
  EngineRequest,
  FigureColumns,
  LagPlaceRow,
  LagsOfFolder,
  MethodDetail,
  TraceSource,
  PathExcerpt,
} from './engine-messages.js';
import { readWhole } from '../editor/whole-bytes.js';
import { goneRetraceMapping, goneRecording, toldGone } from '../gone.js';
import { openedMemoryBytes } from '../settings.js';
import type { RecordedSources } from './recorded-sources.js';

type Unnumbered<T> = T extends unknown ? Omit<T, 'id'> : never;

interface Waiting {
  readonly request: Unnumbered<EngineRequest>;
  readonly onProgress: ((files: number) => void) | undefined;
  resolve(answer: EngineAnswer): void;
  reject(error: Error): void;
}

export class EngineClient implements Disposable {
  readonly #worker: Worker;
  readonly #waiting = new Map<number, Waiting>();
  #nextId = 1;
  #over = false;

  constructor(extensionPath: string) {
    // No execArgv: the host's flags are for the host.
    this.#worker = new Worker(path.join(extensionPath, 'dist', 'engine-worker.cjs'), { execArgv: [] });
    this.#worker.unref();
    this.#worker.on('message', (answer: EngineAnswer) => {
      const waiting = this.#waiting.get(answer.id);
      if (answer.type === 'lagsSoFar') {
        waiting?.onProgress?.(answer.files);
        return;
      }
      this.#waiting.delete(answer.id);
      if (answer.type === 'failed') waiting?.reject(failure(answer, waiting.request));
      else waiting?.resolve(answer);
    });
    this.#worker.once('error', (error: Error) => this.#end(error));
    this.#worker.once('exit', () => this.#end(ended()));
  }

  /** Decodes a recording; once in a client's life. */
  async open(recording: Uri, mapping: KnownRetraceMappings): Promise<FigureColumns> {
    const source = await sourceOf(recording);
    const answer = await this.#ask(
      { type: 'open', source, mapping, memoryBytes: openedMemoryBytes() },
      buffersOf(source),
    );
    if (answer.type !== 'figures') throw ended();
    return answer.figures;
  }

  /** Writes the recording in another format; the size of it, or undefined when the engine was ended meanwhile. */
  async export(
    recording: Uri,
    format: string,
    to: string,
    mapping: KnownRetraceMappings,
  ): Promise<number | undefined> {
    try {
      const source = await sourceOf(recording);
      const answer = await this.#ask(
        { type: 'export', source, format, to, mapping, memoryBytes: openedMemoryBytes() },
        buffersOf(source),
      );
      return answer.type === 'exported' ? answer.bytes : undefined;
    } catch (error) {
      if (this.#over) return undefined;
      throw error;
    }
  }

  /** Lays a system trace beside a recording; undefined when the engine was ended meanwhile. */
  async merge(recording: string, systemTrace: string, to: string): Promise<MergeOutcome | undefined> {
    try {
      const answer = await this.#ask({ type: 'merge', recording, systemTrace, to });
      return answer.type === 'merged' ? answer.outcome : undefined;
    } catch (error) {
      if (this.#over) return undefined;
      throw error;
    }
  }

  /** Undefined when the engine has gone meanwhile: another recording was opened. */
  async detail(rows: readonly number[]): Promise<MethodDetail | undefined> {
    try {
      const answer = await this.#ask({ type: 'detail', rows });
      return answer.type === 'detail' ? answer.detail : undefined;
    } catch (error) {
      if (this.#over) return undefined;
      throw error;
    }
  }

  /** Names of the code in a trace, from the files that it tells of. */
  async codeNames(path: string): Promise<readonly NamedCode[]> {
    const answer = await this.#ask({ type: 'codeNames', path, memoryBytes: openedMemoryBytes() });
    return answer.type === 'codeNames' ? answer.names : [];
  }

  async sources(path: string, mapping: KnownRetraceMappings): Promise<RecordedSources> {
    const answer = await this.#ask({ type: 'sources', path, mapping });
    return answer.type === 'sources' ? answer.sources : { startedMs: 0, fileKeys: [] };
  }

  /** What of the mapping is wanted, or what a recording needs. */
  async excerpt(mapping: KnownRetraceMappings, of: WantedRetraceMapping | Uri): Promise<PathExcerpt> {
    const named = 'scheme' in of ? await sourceOf(of) : of;
    const answer = await this.#ask(
      { type: 'excerpt', mapping, of: named, memoryBytes: openedMemoryBytes() },
      'classes' in named ? [] : buffersOf(named),
    );
    return answer.type === 'excerpt' ? answer.excerpt : { path: '', text: '', isOther: false };
  }

  async retrace(mapping: KnownRetraceMappings, frame: Frame): Promise<readonly Frame[]> {
    const answer = await this.#ask({ type: 'retrace', mapping, frame });
    return answer.type === 'retraced' ? answer.frames : [frame];
  }

  /** Groups the lag files of a folder; undefined when the engine was ended meanwhile. */
  async lags(
    folder: string,
    mapping: KnownRetraceMappings,
    onProgress: (files: number) => void,
  ): Promise<LagsOfFolder | undefined> {
    try {
      const answer = await this.#ask({ type: 'lags', folder, mapping }, [], onProgress);
      return answer.type === 'lags' ? answer.lags : undefined;
    } catch (error) {
      if (this.#over) return undefined;
      throw error;
    }
  }

  async lagPlaces(group: number): Promise<readonly LagPlaceRow[]> {
    const answer = await this.#ask({ type: 'lagPlaces', group });
    return answer.type === 'lagPlaces' ? answer.places : [];
  }

  #ask(
    request: Unnumbered<EngineRequest>,
    transfer: ArrayBuffer[] = [],
    onProgress?: (files: number) => void,
  ): Promise<EngineAnswer> {
    if (this.#over) return Promise.reject(ended());
    const id = this.#nextId++;
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { request, onProgress, resolve, reject });
      this.#worker.postMessage({ ...request, id }, transfer);
    });
  }

  #end(error: Error): void {
    this.#over = true;
    for (const waiting of this.#waiting.values()) waiting.reject(error);
    this.#waiting.clear();
  }

  dispose(): void {
    this.#end(ended());
    void this.#worker.terminate();
  }
}

function ended(): Error {
  return new Error('The engine was ended before it had answered.');
}

/** Of a file that is gone in the words of what it was to the person. */
function failure(
  { message, gone }: EngineAnswer & { type: 'failed' },
  request: Unnumbered<EngineRequest>,
): Error {
  const error = new Error(message);
  if (gone === '') return error;
  if ('mapping' in request && request.mapping.paths.includes(gone))
    return goneRetraceMapping(Uri.file(gone), error);
  if ('systemTrace' in request && [request.recording, request.systemTrace].includes(gone))
    return goneRecording(Uri.file(gone), error);
  const source = 'of' in request ? request.of : 'source' in request ? request.source : request;
  return 'path' in source && source.path === gone ? goneRecording(Uri.file(gone), error) : error;
}

async function sourceOf(recording: Uri): Promise<TraceSource> {
  // A trace from anywhere must not make the editor read other files unless the person trusts the workspace.
  if (recording.scheme === 'file') return { path: recording.fsPath, namesCode: workspace.isTrusted };
  return { bytes: new Uint8Array(await toldGone(recording, readWhole(recording))).buffer };
}

function buffersOf(source: TraceSource): ArrayBuffer[] {
  return 'bytes' in source ? [source.bytes] : [];
}
