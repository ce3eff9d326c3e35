/** A JVM program that hangs as test/rigs/art/apps/sample/Hang.java has it, and watches itself. */
import { execFile } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';
import { buildInApp, inAppJar } from '../../../scripts/build-in-app.mjs';
import { root } from '../../../scripts/setup.mjs';
import { mainJdk } from './programs.js';

const run = promisify(execFile);
const tool = (name: string): string => path.join(mainJdk().home, 'bin', name);

export async function compilePlantedLags(classes: string): Promise<void> {
  const failed = await buildInApp();
  if (failed !== undefined) throw new Error(failed);
  const sources = ['jvm/in-app/PlantedLags.java', 'jvm/in-app/Worker.java', 'art/apps/sample/Hang.java'].map(
    (name) => path.join(root, 'test/rigs', name),
  );
  await run(tool('javac'), ['-g', '-cp', inAppJar, '-d', classes, ...sources]);
}

/** Resolves with what the program said. */
export async function runPlantedLags(classes: string, lags: string, messages: number): Promise<string> {
  const agent = path.join(root, 'build/native/host/libbtrace-agent.so');
  const classPath = `${inAppJar}${path.delimiter}${classes}`;
  const { stdout } = await run(tool('java'), ['-cp', classPath, 'PlantedLags', agent, lags, `${messages}`]);
  return stdout;
}
