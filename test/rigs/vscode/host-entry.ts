// Runs inside VS Code's extension host, which calls run(): mocha over one bundle of tests.
import { appendFileSync } from 'node:fs';
import process from 'node:process';
import Mocha from 'mocha';
import { reporterFor } from '../../../scripts/test/reporter.mjs';
import type { HostTask } from './extension-host.js';

export async function run(): Promise<void> {
  const task = JSON.parse(process.env['BTRACE_HOST_TASK'] ?? '') as HostTask;
  const mocha = new Mocha({ timeout: task.timeoutMs, forbidOnly: true, color: false });
  if (task.grep !== undefined) mocha.grep(new RegExp(task.grep));
  mocha.reporter(
    reporterFor({
      verbose: task.verbose ?? false,
      files: task.files,
      ...(task.grep === undefined ? {} : { grep: task.grep }),
      write: (line) => {
        appendFileSync(task.output, `${line}\n`);
      },
      note: (what) => {
        appendFileSync(task.journal, `${JSON.stringify(what)}\n`);
      },
    }),
  );
  mocha.addFile(task.tests);
  await new Promise<void>((resolve, reject) => {
    mocha.run((failures) => {
      if (failures > 0) reject(new Error(`${failures} tests failed`));
      else resolve();
    });
  });
}
