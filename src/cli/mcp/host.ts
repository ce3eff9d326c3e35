/** What the tools need, from the command line: targets of this machine, files, and a person who is asked through the client. */
import { readdir, readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import { QueryClient } from '../../query/query-client.js';
import type { Target } from '../../targets/target.js';
import { recordingPresets, defaultMemoryBytes } from '../../targets/presets.js';
import { newRecordingFile } from '../../targets/recording-folder.js';
import { quoted } from '../../tools/answer.js';
import { KeptTraces } from '../../tools/kept-traces.js';
import type { FoundSource, ToolHost } from '../../tools/tool.js';
import { usualMemoryBytes } from '../../trace/index.js';
import { localTargets } from '../local-targets.js';
import { openTrace } from '../open-trace.js';
import { packageRoot } from '../package.js';
import type { Terminal } from '../terminal.js';
import type { Ask } from './server.js';

const queryTimeoutMs = 30_000;
/** Files that are looked through for a source. */
const mostFiles = 50_000;
/** A longer file is no source that a person wrote. */
const mostSourceBytes = 8 << 20;
const otherFolders = new Set(['node_modules', '.git', 'build', 'out', 'dist', 'target']);

export function cliHost(terminal: Terminal, folder: string): (ask: Ask) => ToolHost {
  const targets = localTargets(terminal);
  const kept = new KeptTraces();
  return (ask) => ({
    listTargets: () => targets.list(),
    async record(id, seconds) {
      const target = (await targets.list()).find((one) => one.id === id);
      if (target === undefined) return { refusal: 'the program has ended.' };
      const agreed = await ask(
        `May BTrace record ${quoted(target.name)} (process ${target.pid}) for ${seconds} s? The recording has names of its methods, files and threads.`,
      );
      if (agreed === undefined)
        return {
          refusal: `this client cannot ask the person. Ask them to run: btrace record --pid ${target.pid} --duration ${seconds}s`,
        };
      return agreed
        ? { file: await recorded(target, seconds, folder) }
        : { refusal: 'the person did not agree.' };
    },
    open(file) {
      const at = path.resolve(folder, file);
      return kept.get(at, '', () => openTrace(at, undefined, { mostBytes: usualMemoryBytes }));
    },
    async query(file, sql, limit) {
      const dist = path.join(packageRoot(), 'dist');
      const client = new QueryClient(path.join(dist, 'query-worker.cjs'), {
        files: [path.resolve(folder, file)],
        mapping: undefined,
        memoryBytes: usualMemoryBytes,
        wasmFile: path.join(dist, 'duckdb-eh.wasm'),
        onlyWasm: process.env['BTRACE_QUERY_ENGINE'] === 'wasm',
      });
      try {
        return await client.query(sql, { limit, timeoutMs: queryTimeoutMs });
      } finally {
        await client.close();
      }
    },
    source: (file) => sourceBelow(folder, file),
  });
}

async function recorded(target: Target, seconds: number, folder: string): Promise<string> {
  const file = await newRecordingFile(path.join(folder, 'btrace-recordings'), target.name, new Date());
  const session = await target.start({
    ...recordingPresets.balanced,
    ...{ file, memoryBytes: defaultMemoryBytes, policy: 'stream', ringNs: 0, maxBytes: 0 },
    maxDurationMs: seconds * 1000,
  });
  return (await session.ended).file;
}

/** The file below `folder` that ends with these names. Nothing above it is read, and no link is followed. */
async function sourceBelow(folder: string, file: string): Promise<FoundSource | undefined> {
  const wanted = `/${file.replaceAll('\\', '/').replace(/^\/+/, '')}`;
  let left = mostFiles;
  const open = [folder];
  for (let at = open.shift(); at !== undefined && left > 0; at = open.shift()) {
    const entries = await readdir(at, { withFileTypes: true }).catch(() => []);
    for (const entry of entries) {
      left--;
      const name = path.join(at, entry.name);
      if (entry.isDirectory() && !otherFolders.has(entry.name)) open.push(name);
      if (!entry.isFile() || !`/${path.relative(folder, name).replaceAll(path.sep, '/')}`.endsWith(wanted))
        continue;
      if ((await stat(name)).size > mostSourceBytes) continue;
      return { path: path.relative(folder, name), text: await readFile(name, 'utf8') };
    }
  }
  return undefined;
}
