/** The same recording in a real VS Code that has just started: from asking for the file to its threads on the screen. */
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { packageFile } from '../../../scripts/package.mjs';
import { VSCodeServer } from '../../rigs/vscode/server.js';
import { Workbench } from '../../rigs/vscode/workbench.js';

/** `undefined` when there is no package to install. */
export async function measureVSCode(bytes: Buffer, folder: string): Promise<number | undefined> {
  if (!existsSync(packageFile())) return undefined;
  const workspace = path.join(folder, 'workspace');
  mkdirSync(workspace, { recursive: true });
  writeFileSync(path.join(workspace, 'bench.btrace'), bytes);
  const server = await VSCodeServer.start({ workspace, extensions: [packageFile()] });
  let workbench: Workbench | undefined;
  try {
    workbench = await Workbench.open(server);
    const started = performance.now();
    await workbench.openFile('bench.btrace');
    await workbench.webview().locator('.thread-name', { hasText: /./ }).first().waitFor();
    return performance.now() - started;
  } finally {
    if (workbench === undefined) await server.stop();
    else await workbench.close();
  }
}
