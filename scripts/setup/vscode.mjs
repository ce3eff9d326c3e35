// A real VS Code server from npm (code-server carries it), for the end-to-end and extension-host tests.
// It is no dependency in package.json: 800 MB that only these tests need. It lives in .cache/, one folder a version.
import { existsSync, mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import { npm } from './npm.mjs';

const codeServer = '4.139.1'; // VS Code 1.139.1
const nodeForIt = '24.21.0'; // that VS Code asks for Node 24

const folder = (cache) => path.join(cache, `vscode-${codeServer}-node-${nodeForIt}`);

function places(dir) {
  const own = process.versions.node.startsWith('24.');
  const node = path.join(dir, `node_modules/node-${process.platform}-${process.arch}/bin/node`);
  const server = path.join(dir, 'node_modules/code-server');
  return {
    at: path.join(server, 'lib/vscode/out/server-main.js'),
    node: own ? process.execPath : node,
    server,
    version: codeServer,
  };
}

export function findVSCode(cache) {
  const dir = folder(cache);
  return existsSync(path.join(dir, 'stamp')) ? places(dir) : undefined;
}

export async function installVSCode(cache, say) {
  if (process.platform === 'win32') return 'the VS Code server does not run on Windows; use WSL';
  const dir = folder(cache);
  const work = `${dir}.part`; // renamed when whole, so that an interrupted install is never taken for one
  rmSync(work, { recursive: true, force: true });
  mkdirSync(work, { recursive: true });
  writeFileSync(path.join(work, 'package.json'), '{"private":true}\n');
  const own = process.versions.node.startsWith('24.');
  const install = ['install', '--ignore-scripts', '--no-save', '--omit=dev'];
  say(`VS Code server (code-server ${codeServer} from npm, about 800 MB on disk; once)`);
  const wanted = [`code-server@${codeServer}`];
  if (!own) wanted.push(`node-${process.platform}-${process.arch}@${nodeForIt}`);
  let failed = await npm([...install, ...wanted], { cwd: work });
  if (failed) return failed;
  const { node, server } = places(work);
  // The package leaves its inner packages to a postinstall script, which also compiles modules that tests do not need
  // (terminal, log files). These installs are all that is needed of it, and no compiler.
  for (const inner of ['lib/vscode', 'lib/vscode/extensions']) {
    failed = await npm(install, { cwd: path.join(server, inner), node });
    if (failed) return failed;
  }
  const modules = path.join(server, 'lib/vscode/node_modules.asar');
  rmSync(modules, { recursive: true, force: true });
  symlinkSync('node_modules', modules);
  writeFileSync(path.join(work, 'stamp'), `${new Date().toISOString()}\n`);
  rmSync(dir, { recursive: true, force: true });
  renameSync(work, dir);
  return undefined;
}
