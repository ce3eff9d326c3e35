/** The tools for language models off the host's thread: decodes the recordings that are asked about and answers. Needs no vscode. */
import path from 'node:path';
import process from 'node:process';
import { parentPort } from 'node:worker_threads';
import { QueryClient } from '../query/query-client.js';
import { KeptTraces } from '../tools/kept-traces.js';
import {
  type FoundSource,
  type ListedTarget,
  type Recorded,
  type ToolHost,
  ToolInputError,
} from '../tools/tool.js';
import { answerOf, tools } from '../tools/tools.js';
import { readTrace } from './engine/read-trace.js';
import { RetraceMappingService } from './engine/retrace-mapping-service.js';
import type { HostCall, ToHost, ToolPlace, ToWorker } from './tools/tool-messages.js';

const port = parentPort;
if (port === null) throw new Error('tools-worker.ts runs in a worker thread.');

const queryTimeoutMs = 30_000;

const kept = new KeptTraces();
const mappings = new RetraceMappingService();
/** Those that run now. */
const queries = new Set<QueryClient>();
const calls = new Map<number, { resolve(value: unknown): void; reject(error: Error): void }>();
let nextCall = 1;
const tell = (message: ToHost): void => port.postMessage(message);

function call(asked: HostCall): Promise<unknown> {
  const id = nextCall++;
  return new Promise((resolve, reject) => {
    calls.set(id, { resolve, reject });
    tell({ type: 'call', id, call: asked });
  });
}

function hostIn({ folder, dist, memoryBytes, namesCode, mapping }: ToolPlace): ToolHost {
  const fileOf = (name: string): string => {
    if (folder === '' && !path.isAbsolute(name))
      throw new ToolInputError('No folder is open: give the whole path of the file.');
    return path.resolve(folder, name);
  };
  return {
    listTargets: async () => (await call({ name: 'listTargets' })) as readonly ListedTarget[],
    record: async (target, seconds) => (await call({ name: 'record', target, seconds })) as Recorded,
    source: async (file) => (await call({ name: 'source', file })) as FoundSource | undefined,
    async open(name) {
      const file = fileOf(name);
      return kept.get(file, JSON.stringify(mapping), async () =>
        mappings.retraced(await readTrace({ path: file, namesCode }, { mostBytes: memoryBytes }), mapping),
      );
    },
    async query(name, sql, limit) {
      const client = new QueryClient(path.join(dist, 'query-worker.cjs'), {
        files: [fileOf(name)],
        memoryBytes,
        wasmFile: path.join(dist, 'duckdb-eh.wasm'),
      });
      queries.add(client);
      try {
        return await client.query(sql, { limit, timeoutMs: queryTimeoutMs });
      } finally {
        await client.close();
        queries.delete(client);
      }
    },
  };
}

port.on('message', (message: ToWorker) => {
  if (message.type === 'ask') {
    void answered(message);
    return;
  }
  if (message.type === 'end') {
    tell({ type: 'ending' });
    void Promise.all(Array.from(queries, (query) => query.close())).then(() => process.exit());
    return;
  }
  const waiting = calls.get(message.id);
  calls.delete(message.id);
  if (message.type === 'failed') waiting?.reject(new Error(message.message));
  else waiting?.resolve(message.value);
});

async function answered({ id, tool, input, place }: ToWorker & { type: 'ask' }): Promise<void> {
  const found = tools.find(({ name }) => name === tool);
  const answer =
    found === undefined
      ? { text: 'There is no such tool.', isError: true }
      : await answerOf(found, hostIn(place), input);
  tell({ type: 'answered', id, ...answer });
}
