// Mocha inside the real extension host: bundles the tests, opens a window that runs them there, and brings back the counts.
// As a script, it is the runner of the suite `exthost`.
import { appendFileSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import process from 'node:process';
import { fileURLToPath, pathToFileURL } from 'node:url';
import esbuild from 'esbuild';
import type { Plugin } from 'esbuild';
import { root } from '../../../scripts/setup.mjs';
import { readJournal } from '../../../scripts/test/journal.mjs';
import type { Counts } from '../../../scripts/test/journal.mjs';
import { VSCodeServer } from './server.js';
import type { ServerOptions } from './server.js';
import { Workbench } from './workbench.js';
import { atLast } from '../until.js';

/** What the extension host is told, through its environment. */
export interface HostTask {
  /** The bundle, and the files in it. */
  readonly tests: string;
  readonly files: readonly string[];
  readonly output: string;
  readonly journal: string;
  readonly timeoutMs: number;
  readonly grep?: string;
  readonly verbose?: boolean;
}

export interface HostRun {
  /** The extension under test: a folder with package.json, as while developing it. */
  readonly extension: string;
  readonly workspace: string;
  readonly files: readonly string[];
  /** Where it is noted what becomes of each test, behind what is there. */
  readonly journal?: string;
  readonly timeoutMs: number;
  readonly trust?: ServerOptions['trust'];
  readonly roots?: readonly string[];
  readonly grep?: string;
  readonly verbose?: boolean;
}

/** A bundled file still says where its source was, so that tests find their fixtures. */
const sourcePlaces: Plugin = {
  name: 'source-places',
  setup(build) {
    build.onLoad({ filter: /\.(ts|mjs)$/ }, async ({ path: file }) => {
      if (file.includes('node_modules')) return undefined;
      const text = await readFile(file, 'utf8');
      const contents = text
        .replaceAll('import.meta.url', JSON.stringify(pathToFileURL(file).href))
        .replaceAll('import.meta.dirname', JSON.stringify(path.dirname(file)));
      return { contents, loader: file.endsWith('.ts') ? 'ts' : 'js' };
    });
  },
};

/** One CommonJS file each, which is what the extension host loads; in the project, so that `mocha` is found from there. */
async function bundle(files: readonly string[], folder: string): Promise<{ entry: string; tests: string }> {
  const entry = path.join(folder, 'entry.cjs');
  const tests = path.join(folder, 'tests.cjs');
  const shared: esbuild.BuildOptions = {
    absWorkingDir: root,
    bundle: true,
    platform: 'node',
    format: 'cjs',
    target: 'node20',
    external: ['vscode', 'mocha', 'esbuild', 'playwright-core'],
    sourcemap: 'inline',
    logLevel: 'warning',
    plugins: [sourcePlaces],
  };
  const all = files.map((file) => `import ${JSON.stringify(file)};`).join('\n');
  await Promise.all([
    esbuild.build({
      ...shared,
      entryPoints: [path.join(import.meta.dirname, 'host-entry.ts')],
      outfile: entry,
    }),
    esbuild.build({ ...shared, stdin: { contents: all, resolveDir: root }, outfile: tests }),
  ]);
  return { entry, tests };
}

/** Runs the files in the extension host. `text` is what the reporter printed. */
export async function runInExtensionHost(options: HostRun): Promise<{ counts: Counts; text: string }> {
  mkdirSync(path.join(root, 'build'), { recursive: true });
  const folder = mkdtempSync(path.join(root, 'build/exthost-'));
  const scratch = mkdtempSync(path.join(tmpdir(), 'btrace-exthost-'));
  try {
    const { entry, tests } = await bundle(options.files, folder);
    const task: HostTask = {
      tests,
      output: path.join(scratch, 'output.txt'),
      files: options.files,
      journal: options.journal ?? path.join(scratch, 'journal'),
      timeoutMs: options.timeoutMs,
      ...(options.grep === undefined ? {} : { grep: options.grep }),
      ...(options.verbose === undefined ? {} : { verbose: options.verbose }),
    };
    const from = existsSync(task.journal) ? readFileSync(task.journal).length : 0;
    // Until its list of tests replaces this one, the window has none, and is not over.
    appendFileSync(task.journal, '{"tests":[]}\n');
    const log = await runWindow(options, entry, task);
    const counts = readJournal(readFileSync(task.journal).subarray(from).toString());
    if (!counts.isOver) {
      throw new Error(`The extension host ended before the last test. Its log:\n${log.join('\n')}`);
    }
    return {
      counts,
      text: existsSync(task.output) ? readFileSync(task.output, 'utf8') : '',
    };
  } finally {
    rmSync(folder, { recursive: true, force: true });
    rmSync(scratch, { recursive: true, force: true });
  }
}

/** Opens the window that runs the tests, and waits until the workbench says that they are over. Returns its log. */
async function runWindow(options: HostRun, entry: string, task: HostTask): Promise<string[]> {
  const server = await VSCodeServer.start({
    workspace: options.workspace,
    runsTests: true,
    env: { BTRACE_HOST_TASK: JSON.stringify(task) },
    ...(options.trust === undefined ? {} : { trust: options.trust }),
    ...(options.roots === undefined ? {} : { roots: options.roots }),
  });
  const log: string[] = [];
  let over: () => void = () => undefined;
  const exit = new Promise<void>((resolve) => {
    over = resolve;
  });
  let workbench: Workbench | undefined;
  let inTime: (() => void) | undefined;
  try {
    workbench = await Workbench.open(server, {
      size: { width: 800, height: 500 }, // nobody looks at it, and to draw less takes a fifth less of the processors
      payload: [
        ['extensionDevelopmentPath', server.remote(options.extension)],
        ['extensionTestsPath', server.remote(entry)],
        ['skipWelcome', 'true'],
      ],
      prepare: async (page) => {
        // The two names by which the workbench reports to whoever automates it.
        await page.exposeFunction('codeAutomationLog', (type: string, args: unknown[]) => {
          log.push(`${type}: ${args.map(String).join(' ')}`);
        });
        await page.exposeFunction('codeAutomationExit', over);
      },
    });
    const limit = new Promise<void>((_resolve, reject) => {
      inTime = atLast(() => {
        reject(
          new Error(`The extension host's tests ran longer than 25 minutes. Its log:\n${log.join('\n')}`),
        );
      }, 25 * 60_000);
    });
    await Promise.race([exit, limit]);
  } finally {
    inTime?.();
    if (workbench) await workbench.close();
    else await server.stop();
  }
  return log;
}

/** Folders whose tests have a window of their own. */
const windows: Readonly<Record<string, Pick<HostRun, 'trust' | 'roots'>>> = {
  exthost: {},
  restricted: { trust: 'restricted' },
  roots: { roots: ['other', 'src'] },
  'second-try': {}, // the runner's own tests
};

/** The suite: files in a folder `restricted` run in a workspace that is not trusted, those in `roots` in one of two folders. */
async function runSuite(task: Omit<HostTask, 'tests' | 'output'>): Promise<void> {
  for (const [folder, window] of Object.entries(windows)) {
    const files = task.files.filter((file) => path.basename(path.dirname(file)) === folder);
    if (files.length === 0) continue;
    const { counts, text } = await runInExtensionHost({
      ...task,
      extension: root,
      workspace: path.join(root, 'test/exthost/workspace'),
      files,
      ...window,
    });
    process.stdout.write(text);
    if (counts.failures.length > 0) process.exitCode = 1;
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  await runSuite(JSON.parse(process.argv[2] ?? '') as Parameters<typeof runSuite>[0]);
}
