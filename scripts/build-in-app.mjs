// Makes build/in-app/btrace.jar, what a program has beside the agent's library to record itself: native-agent/in-app. Needs a JDK.
import { cpSync, existsSync, mkdirSync, readdirSync, rmSync } from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { run } from './process.mjs';
import { find, root, setupOrStop } from './setup.mjs';

const sources = path.join(root, 'native-agent/in-app');
export const inAppJar = path.join(root, 'build/in-app/btrace.jar');
/** Of every entry: the same sources give the same bytes. */
const DATE = '2020-01-01T00:00:00Z';

/** Each class of ours, in the same order everywhere. */
function classesOf(folder) {
  const names = readdirSync(path.join(folder, 'btrace')).filter((name) => name.endsWith('.java'));
  return names.sort().map((name) => path.join(folder, 'btrace', name));
}

/** Returns what failed, else nothing. Java 8, which D8 and R8 of every Android Gradle plugin take. */
export async function buildInApp() {
  const jdk = find('jdk');
  if (!jdk) return 'There is no JDK.';
  const classes = path.join(path.dirname(inAppJar), 'classes');
  rmSync(classes, { recursive: true, force: true });
  mkdirSync(classes, { recursive: true });
  cpSync(path.join(sources, 'META-INF'), path.join(classes, 'META-INF'), { recursive: true });
  const steps = [
    ['javac', '--release', '8', '-Xlint:-options', '-d', classes, ...classesOf(sources)],
    ['jar', '--create', '--file', inAppJar, '--no-manifest', `--date=${DATE}`, '-C', classes, '.'],
  ];
  for (const [tool, ...args] of steps) {
    const { code, error, text } = await run(path.join(jdk.at, 'bin', tool), args, { limitMs: 60_000 });
    if (code !== 0) return `${tool}: ${error ?? `exit code ${code}`}\n${text}`;
  }
  return existsSync(inAppJar) ? undefined : `${inAppJar} was not made`;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  await setupOrStop(['jdk']);
  const failed = await buildInApp();
  if (failed) {
    console.error(failed);
    process.exit(1);
  }
}
