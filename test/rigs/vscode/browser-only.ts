// VS Code as vscode.dev has it: a page from a web server, with nothing behind it that runs an extension or has files. The extension comes
// from another web address, and the folder that is opened is one of the browser's own. The workbench is that of the VS Code server.
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { createServer } from 'node:http';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { unzipSync } from 'fflate';
import { find } from '../../../scripts/setup.mjs';
import { quiet } from './server.js';
import type { Workbench, WorkbenchServer } from './workbench.js';

export interface BrowserOptions {
  /** What "Open Folder" gives: a folder of this machine, of which the browser gets a copy. */
  readonly workspace: string;
  /** The extension, a .vsix file. */
  readonly extension: string;
}

const types: Readonly<Record<string, string>> = {
  '.css': 'text/css',
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.mjs': 'text/javascript; charset=utf-8',
  '.json': 'application/json',
  '.svg': 'image/svg+xml',
  '.ttf': 'font/ttf',
  '.wasm': 'application/wasm',
};

const workbenchFile = 'out/vs/code/browser/workbench/workbench.js';

/** The workbench of the VS Code server takes it for a remote machine, and keeps settings there, whatever its page says. */
const ofServer = [
  { text: /,remoteAuthority:location\.host\b/g, instead: '' },
  {
    text: /(\bget userRoamingDataHome\(\)\{return \w+\(\w+\.file\(this\.userDataPath\)\.with\(\{scheme:\w+\.)vscodeRemote\b/g,
    instead: '$1vscodeUserData',
  },
] as const;

/** Gives the bytes at a path, or undefined. */
type Site = (pathname: string) => string | Uint8Array | undefined;

export class BrowserVSCode implements WorkbenchServer {
  readonly opened = ['workspace', 'tmp:/default.code-workspace'] as const;
  readonly url: string;
  readonly #servers: readonly Server[];

  private constructor(servers: readonly Server[], url: string) {
    this.#servers = servers;
    this.url = url;
  }

  static async start({ workspace, extension }: BrowserOptions): Promise<BrowserVSCode> {
    const part = find('vscode');
    if (!part?.server) throw new Error('VS Code is not set up: run node scripts/setup.mjs vscode');
    const vscode = path.join(part.server, 'lib/vscode');
    const packed = unzipSync(readFileSync(extension), { filter: ({ name }) => !/\/agents\//.test(name) });
    const extensions = await listen((pathname) => packed[pathname.slice(1)]);
    const html = pageOf(vscode, extensions.port);
    const page = await listen((pathname) => {
      if (pathname === '/') return html;
      if (pathname === '/workspace.json') return JSON.stringify(filesIn(workspace));
      if (pathname.startsWith('/workspace/')) return read(path.join(workspace, pathname.slice(10)));
      return pathname.startsWith('/static/') ? ofVSCode(vscode, pathname.slice(8)) : undefined;
    });
    return new BrowserVSCode([extensions.server, page.server], `http://127.0.0.1:${page.port}`);
  }

  set(): void {
    throw new Error('The settings of this window are its own');
  }

  async stop(): Promise<void> {
    for (const server of this.#servers) {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    }
  }
}

/** As a person does it; the browser's own dialog for it is answered by the page. */
export async function openFolder(workbench: Workbench): Promise<void> {
  await workbench.run('File: Open Folder...');
}

function pageOf(vscode: string, extensionPort: number): string {
  const product = JSON.parse(readFileSync(path.join(vscode, 'product.json'), 'utf8')) as object;
  const configuration = {
    productConfiguration: { ...product, enableTelemetry: false },
    webviewEndpoint: '/static/out/vs/workbench/contrib/webview/browser/pre',
    additionalBuiltinExtensions: [
      { scheme: 'http', authority: `127.0.0.1:${extensionPort}`, path: '/extension' },
    ],
    configurationDefaults: quiet,
    enableWorkspaceTrust: false,
    callbackRoute: '/callback',
    userDataPath: '/',
    isEnabledFileDownloads: true,
    isEnabledFileUploads: true,
    isEnabledCoderGettingStarted: false,
  };
  const settings = JSON.stringify(configuration).replaceAll('&', '&amp;').replaceAll('"', '&quot;');
  return `<!DOCTYPE html>
<html>
<head>
<meta charset="utf-8">
<meta id="vscode-workbench-web-configuration" data-settings="${settings}">
<meta id="vscode-workbench-web-base-url" data-settings="/static">
<link rel="stylesheet" href="/static/out/vs/code/browser/workbench/workbench.css">
</head>
<body aria-label="">
<script>
globalThis._VSCODE_FILE_ROOT = location.origin + '/static/out/';
window.showDirectoryPicker = ${String(pickedFolder)};
window.showSaveFilePicker = ${String(savedFile)};
</script>
<script type="module" src="/static/out/nls.messages.js"></script>
<script type="module" src="/static/out/vs/code/browser/workbench/workbench.js"></script>
</body>
</html>
`;
}

/** Runs in the page: copies the workspace into the browser's own file system, and hands out the folder. */
async function pickedFolder(): Promise<FileSystemDirectoryHandle> {
  const root = await navigator.storage.getDirectory();
  const picked = await root.getDirectoryHandle('workspace', { create: true });
  const files = (await (await fetch('/workspace.json')).json()) as readonly string[];
  for (const file of files) {
    const [name = '', ...folders] = file.split('/').reverse();
    let folder = picked;
    for (const one of folders.reverse()) folder = await folder.getDirectoryHandle(one, { create: true });
    const handle = await folder.getFileHandle(name, { create: true });
    const writable = await handle.createWritable();
    await writable.write(await (await fetch('/workspace/' + file)).arrayBuffer());
    await writable.close();
  }
  return picked;
}

/** Runs in the page: a file of the name that is proposed, in the browser's own file system. */
async function savedFile(options: { readonly suggestedName: string }): Promise<FileSystemFileHandle> {
  const root = await navigator.storage.getDirectory();
  return root.getFileHandle(options.suggestedName, { create: true });
}

function filesIn(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) =>
    statSync(path.join(folder, name)).isFile(),
  );
}

function ofVSCode(vscode: string, name: string): string | Uint8Array | undefined {
  const bytes = read(path.join(vscode, name));
  if (name !== workbenchFile || bytes === undefined) return bytes;
  let script = new TextDecoder().decode(bytes);
  for (const { text, instead } of ofServer) {
    if (script.match(text)?.length !== 1) throw new Error(`${name} has not one ${String(text)}`);
    script = script.replace(text, instead);
  }
  return script;
}

function read(file: string): Uint8Array | undefined {
  try {
    return readFileSync(file);
  } catch {
    return undefined;
  }
}

async function listen(site: Site): Promise<{ server: Server; port: number }> {
  const server = createServer((request, response) => {
    const pathname = decodeURIComponent(new URL(request.url ?? '/', 'http://localhost').pathname);
    const found = site(path.posix.normalize(pathname));
    response.writeHead(found === undefined ? 404 : 200, {
      'content-type': types[path.extname(pathname)] ?? (pathname === '/' ? types['.html'] : 'text/plain'),
      'access-control-allow-origin': '*',
    });
    response.end(found);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { server, port: (server.address() as AddressInfo).port };
}
