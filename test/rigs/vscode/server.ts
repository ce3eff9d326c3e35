// A real VS Code server on this machine: own data, own extensions, own port, own process group.
import { spawn, spawnSync } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import process from 'node:process';
import { endGroup } from '../../../scripts/process.mjs';
import { waitLimitMs } from '../wait-limit.js';
import { find } from '../../../scripts/setup.mjs';
import { atLast } from '../until.js';

export interface ServerOptions {
  /** Folder that is copied to a fresh place and opened there, so that a test may write to it. */
  readonly workspace: string;
  /** Extensions to install: .vsix files or folders. */
  readonly extensions?: readonly string[];
  /** Folders in it that are opened instead, as a workspace of several. */
  readonly roots?: readonly string[];
  /** 'off': every folder is trusted. 'restricted': the workspace is not trusted, as when a person declined. */
  readonly trust?: 'off' | 'restricted';
  /**
   * Lets the workbench's address name tests to run in the extension host. It also keeps notifications from showing and
   * editors from coming back after a reload, so windows that a test looks at go without.
   */
  readonly runsTests?: boolean;
  readonly settings?: Readonly<Record<string, unknown>>;
  readonly env?: Readonly<Record<string, string>>;
}

export const quiet = {
  'workbench.startupEditor': 'none',
  'workbench.tips.enabled': false,
  'workbench.editor.enablePreview': false, // else a file opened next takes the tab of the one before
  'workbench.enableExperiments': false,
  'workbench.secondarySideBar.defaultVisibility': 'hidden',
  'workbench.hover.delay': 600_000, // else the path of a tab on which the mouse was left lies over what is below it
  'window.commandCenter': false,
  // What moves while nothing happens is drawn anew sixty times a second, by the processor.
  'workbench.reduceMotion': 'on',
  'editor.cursorBlinking': 'solid',
  'files.autoSave': 'off', // else a slow machine saves what a test is just typing
  'telemetry.telemetryLevel': 'off',
  'update.mode': 'none',
  'extensions.autoCheckUpdates': false,
  'extensions.autoUpdate': false,
  'extensions.ignoreRecommendations': true,
  'chat.disableAIFeatures': true,
  'git.enabled': false,
  'npm.fetchOnlinePackageInfo': false,
  // Else VS Code looks at all processes every few seconds. The first alone is not enough where the page can forward ports.
  'remote.autoForwardPorts': false,
  'remote.autoForwardPortsSource': 'output',
};

interface Manifest {
  readonly publisher: string;
  readonly name: string;
  readonly version: string;
}

/** Beside the folder: VS Code would ask whether to open one in it. */
const rootsFile = 'roots.code-workspace';

export class VSCodeServer {
  readonly #process: ChildProcess;
  readonly #folder: string;
  #settings: Readonly<Record<string, unknown>>;
  readonly port: number;
  /** The copy of the workspace that is open. */
  readonly workspace: string;
  /** What of it is opened: as the workbench's address names it. */
  readonly opened: readonly [name: 'folder' | 'workspace', path: string];

  private constructor(
    child: ChildProcess,
    folder: string,
    settings: Readonly<Record<string, unknown>>,
    port: number,
    hasRoots: boolean,
  ) {
    this.#process = child;
    this.#folder = folder;
    this.#settings = settings;
    this.port = port;
    this.workspace = path.join(folder, 'workspace');
    this.opened = hasRoots ? ['workspace', path.join(folder, rootsFile)] : ['folder', this.workspace];
  }

  static async start(options: ServerOptions): Promise<VSCodeServer> {
    const part = find('vscode');
    if (!part?.node) throw new Error('VS Code is not set up: run node scripts/setup.mjs vscode');
    const folder = mkdtempSync(path.join(tmpdir(), 'btrace-vscode-'));
    const data = dataIn(folder);
    const extensions = path.join(folder, 'extensions');
    mkdirSync(extensions);
    cpSync(options.workspace, path.join(folder, 'workspace'), { recursive: true });
    if (options.roots !== undefined) {
      const folders = options.roots.map((root) => ({ path: `workspace/${root}` }));
      writeFileSync(path.join(folder, rootsFile), JSON.stringify({ folders }));
    }
    const settings = {
      ...quiet,
      'security.workspace.trust.enabled': options.trust === 'restricted',
      'security.workspace.trust.startupPrompt': 'never',
      ...options.settings,
    };
    writeSettings(data, settings);
    const env: NodeJS.ProcessEnv = {
      ...process.env,
      XDG_DATA_HOME: path.join(folder, 'xdg/data'),
      XDG_CONFIG_HOME: path.join(folder, 'xdg/config'),
      XDG_CACHE_HOME: path.join(folder, 'xdg/cache'),
      EXTENSIONS_GALLERY: '{"serviceUrl":""}',
      ...options.env,
    };
    delete env['VSCODE_IPC_HOOK_CLI']; // when the tests run in a VS Code terminal, the server would talk to that one
    delete env['NODE_OPTIONS'];
    const common = [
      part.at,
      '--accept-server-license-terms',
      '--server-data-dir',
      data,
      '--extensions-dir',
      extensions,
    ];
    for (const extension of options.extensions ?? []) {
      installExtension(part.node, common, extension, extensions, env);
    }
    const flags = [
      '--host',
      '127.0.0.1',
      '--port',
      '0',
      '--without-connection-token',
      '--telemetry-level',
      'off',
      // For a window whose last words were lost, which else has hours to come back.
      '--reconnection-grace-time',
      '15',
    ];
    if (options.trust !== 'restricted') flags.push('--disable-workspace-trust');
    if (options.runsTests === true) flags.push('--enable-smoke-test-driver');
    const child = spawn(part.node, [...common, ...flags], {
      env,
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: true,
    });
    try {
      return new VSCodeServer(child, folder, settings, await portOf(child), options.roots !== undefined);
    } catch (error) {
      if (child.pid !== undefined) await endGroup(child.pid);
      rmSync(folder, { recursive: true, force: true });
      throw error;
    }
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  /** The address under which the workbench knows a file of this machine. */
  remote(file: string): string {
    return `vscode-remote://127.0.0.1:${this.port}${file}`;
  }

  /** Changes settings while windows are open, which follow. */
  set(settings: Readonly<Record<string, unknown>>): void {
    this.#settings = { ...this.#settings, ...settings };
    writeSettings(dataIn(this.#folder), this.#settings);
  }

  async stop(): Promise<void> {
    if (this.#process.pid !== undefined) await endGroup(this.#process.pid);
    rmSync(this.#folder, { recursive: true, force: true, maxRetries: 5 });
  }
}

const dataIn = (folder: string): string => path.join(folder, 'data');

/** The window is a remote one: what is the machine's, such as where a program is, is taken from the machine's alone. */
function writeSettings(data: string, settings: Readonly<Record<string, unknown>>): void {
  for (const place of ['User', 'Machine']) {
    mkdirSync(path.join(data, 'data', place), { recursive: true });
    writeFileSync(path.join(data, 'data', place, 'settings.json'), JSON.stringify(settings, null, 2));
  }
}

function installExtension(
  node: string,
  common: string[],
  extension: string,
  extensions: string,
  env: NodeJS.ProcessEnv,
): void {
  if (statSync(extension).isDirectory()) {
    const { publisher, name, version } = JSON.parse(
      readFileSync(path.join(extension, 'package.json'), 'utf8'),
    ) as Manifest;
    cpSync(extension, path.join(extensions, `${publisher}.${name}-${version}`), { recursive: true });
    return;
  }
  let made = installed.get(extension);
  if (made === undefined) {
    const { status, stdout, stderr } = spawnSync(node, [...common, '--install-extension', extension], {
      env,
      encoding: 'utf8',
      timeout: waitLimitMs,
    });
    if (status !== 0) throw new Error(`VS Code did not install ${extension}:\n${stdout}${stderr}`);
    made = mkdtempSync(path.join(tmpdir(), 'btrace-installed-'));
    installed.set(extension, made);
    for (const name of foldersIn(extensions))
      cpSync(path.join(extensions, name), path.join(made, name), { recursive: true });
    return;
  }
  for (const name of foldersIn(made))
    cpSync(path.join(made, name), path.join(extensions, name), { recursive: true });
}

/** What VS Code made of each file the first time: another server takes a copy, in a tenth of the time. */
const installed = new Map<string, string>();
process.once('exit', () => {
  for (const folder of installed.values()) rmSync(folder, { recursive: true, force: true });
});

function foldersIn(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name);
}

/** Waits for the line with which the server says where it listens. */
async function portOf(child: ChildProcess): Promise<number> {
  let said = '';
  return await new Promise((resolve, reject) => {
    const fail = (why: string) => {
      inTime();
      reject(new Error(`The VS Code server ${why}:\n${said}`));
    };
    const inTime = atLast(() => {
      fail(`did not listen within ${waitLimitMs / 1000} s`);
    });
    const listen = (chunk: Buffer) => {
      said += chunk.toString();
      const port = /listening on (\d+)/.exec(said)?.[1];
      if (port === undefined) return;
      inTime();
      resolve(Number(port));
    };
    child.stdout?.on('data', listen); // stays: an unread pipe would block the server
    child.stderr?.on('data', listen);
    child.once('error', (error) => {
      fail(`did not start: ${error.message}`);
    });
    child.once('exit', (code) => {
      fail(`ended with code ${String(code)}`);
    });
  });
}
