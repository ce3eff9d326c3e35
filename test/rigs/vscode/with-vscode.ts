// For mocha: a VS Code window for the tests of one describe, with a screenshot of what went wrong.
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { root } from '../../../scripts/setup.mjs';
import { VSCodeServer } from './server.js';
import type { ServerOptions } from './server.js';
import { Workbench } from './workbench.js';
import type { WorkbenchOptions, WorkbenchServer } from './workbench.js';
import { ofKind } from '../kinds.js';

export interface OpenWindow<S extends WorkbenchServer> {
  readonly server: S;
  readonly workbench: Workbench;
}

/**
 * Opens VS Code before the tests of the surrounding describe and closes it after them. `options` is called when they
 * begin. The result's fields may be read inside tests only.
 */
export function withVSCode(options: () => ServerOptions | Promise<ServerOptions>): OpenWindow<VSCodeServer> {
  return withWindow(async () => VSCodeServer.start(await options()));
}

/** The same of what `start` gives. */
export function withWindow<S extends WorkbenchServer>(
  start: () => Promise<S>,
  options: WorkbenchOptions = {},
): OpenWindow<S> {
  let open: OpenWindow<S> | undefined;
  before('VS Code opens', async function () {
    const server = await start();
    try {
      open = { server, workbench: await Workbench.open(server, options) };
    } catch (error) {
      await server.stop();
      throw error;
    }
  });
  afterEach('what a failed test saw', async function () {
    if (this.currentTest?.state !== 'failed' || !open) return;
    const file = await open.workbench.screenshot(`failed ${this.currentTest.fullTitle()}`);
    writeFileSync(file.replace(/\.png$/, '.log'), open.workbench.console.join('\n'));
    console.log(`     screenshot: ${path.relative(root, file)}`);
    const ended = open.workbench.console.find((line) => /extension host.*(terminated|crash)/i.test(line));
    if (ended !== undefined) throw ofKind('crash', new Error(ended));
  });
  after('VS Code closes', async function () {
    await open?.workbench.close();
  });
  const now = () => {
    if (!open) throw new Error('VS Code is open only while tests run');
    return open;
  };
  return {
    get server() {
      return now().server;
    },
    get workbench() {
      return now().workbench;
    },
  };
}
