// npm run try: for use while working. Builds what changed, opens VS Code with the extension on a sample program's sources,
// records the program, and waits for the page with its calls and for a lens above a method. Pictures: artefacts/try-*.png.
// npm run try -- --picture: takes the README's picture, too: docs/images/record.png
import assert from 'node:assert/strict';
import { copyFileSync, cpSync, readdirSync, rmSync } from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import { JavaProgram } from '../test/rigs/jvm/programs.js';
import { VSCodeServer } from '../test/rigs/vscode/server.js';
import { Workbench } from '../test/rigs/vscode/workbench.js';
import { buildAgent } from './build-agent.mjs';
import { run } from './process.mjs';
import { root, setupOrStop } from './setup.mjs';
import { words } from './words.mjs';

const { picture = false } = words(import.meta.url, { flags: ['picture'] });

const began = performance.now();
let last = began;
function done(what: string): void {
  const now = performance.now();
  console.log(`try: ${what.padEnd(40)} ${((now - last) / 1000).toFixed(1).padStart(6)} s`);
  last = now;
}

async function build(): Promise<void> {
  await setupOrStop(['npm', 'compiler', 'jdk', 'chromium', 'vscode']);
  const [bundled, failed] = await Promise.all([
    run(process.execPath, [path.join(root, 'scripts/build.mjs')], { cwd: root }),
    buildAgent(),
  ]);
  assert.equal(bundled.code, 0, bundled.error ?? bundled.text);
  assert.equal(failed, undefined, failed);
}

/** What a package would have, without making one, which takes as long as all else here. Of the agents, this machine's. */
function extensionFolder(): string {
  const folder = path.join(root, 'build/try-extension');
  rmSync(folder, { recursive: true, force: true });
  const not = ['node_modules', 'build', 'artefacts', 'src', 'test', 'native-agent', 'scripts', 'docs'];
  const names = readdirSync(root).filter((name) => !name.startsWith('.') && !not.includes(name));
  for (const name of names) cpSync(path.join(root, name), path.join(folder, name), { recursive: true });
  cpSync(
    path.join(root, 'build/native/host/libbtrace-agent.so'),
    path.join(folder, `agents/linux-${process.arch}/libbtrace-agent.so`),
  );
  return folder;
}

/** As a person does it: Record, the program, the preset, Stop and Open, the method's file. */
async function journey(workbench: Workbench, pid: number): Promise<void> {
  await workbench.run('BTrace: Record…');
  await workbench.choose(new RegExp(`(?<!\\d)${pid} · `));
  await workbench.choose('Balanced');
  await workbench.notification(/Recording .*[\d,]{3,} samples/).waitFor();
  await workbench.stopAndOpen();
  done('recorded');
  const page = await workbench.timeline();
  const calls = page.locator('[role="treeitem"]', { hasText: 'Shop.main' });
  await calls.first().waitFor({ state: 'attached' });
  await workbench.screenshot('try-page');
  done('the page shows the calls');
  await workbench.openFile('Shop.java');
  await workbench.lens(/^CPU .* · wall /).waitFor();
  await workbench.screenshot('try-lens');
  done('a lens is above a method');
}

/** A thread that waits for a lock, who held it, and the line beside it. */
async function takePicture(workbench: Workbench): Promise<void> {
  await workbench.showTab(/\.btrace/);
  const page = workbench.webview();
  await workbench.page.setViewportSize({ width: 1440, height: 860 });
  await workbench.run('View: Close Primary Side Bar');
  await workbench.run('Notifications: Clear All Notifications');
  await page.getByRole('tab', { name: 'Overview', exact: true }).click();
  await page.locator('[aria-labelledby="overview-work"] .card-row').first().click();
  await workbench.lens(/^CPU .* · wall /).waitFor();
  await page
    .locator('#view-overview .card-row', { hasText: /waits for lock/ })
    .first()
    .click();
  await page.locator('.details-title', { hasText: /waits for lock/ }).waitFor();
  await page.locator('.box-selected').waitFor();
  copyFileSync(await workbench.screenshot('try-beside'), path.join(root, 'docs/images/record.png'));
  done('docs/images/record.png is taken');
}

await build();
done('built');
const program = await JavaProgram.start('shop');
let server: VSCodeServer | undefined;
let workbench: Workbench | undefined;
let failed: unknown;
try {
  server = await VSCodeServer.start({
    workspace: path.join(root, 'media/sample'),
    extensions: [extensionFolder()],
  });
  workbench = await Workbench.open(server);
  done('VS Code is open');
  await journey(workbench, program.pid);
  if (picture) await takePicture(workbench);
} catch (error) {
  failed = error;
  await workbench?.screenshot('try-failed').catch(() => undefined);
} finally {
  await (workbench === undefined ? server?.stop() : workbench.close());
  await program.kill();
}
if (failed !== undefined) console.error(failed);
console.log(
  `try: ${failed === undefined ? 'works' : 'FAILED (artefacts/try-failed.png)'}, ${((performance.now() - began) / 1000).toFixed(1)} s in all`,
);
process.exitCode = failed === undefined ? 0 : 1;
