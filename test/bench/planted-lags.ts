/**
 * npm run bench:planted-lags [-- --quick]: 1,000 lags whose costliest stack is known among as many short messages, on a JVM and on each engine of
 * each Android Runtime that the tests have, all at once. A lag takes half a second, a quarter of what users' take: the limit is 400 ms, and stacks
 * come each 10 ms. Takes eleven minutes; with --quick, 20 lags, half of one.
 */
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { agentLibrary } from '../rigs/art/record.js';
import { androids, artRuntime, type Engine, engines, startApp } from '../rigs/art/runtime.js';
import { compilePlantedLags, runPlantedLags } from '../rigs/jvm/planted-lags.js';
import { judgeLags } from '../rigs/planted-lags.js';
import { isQuick, say } from './figure.js';

const messages = isQuick ? 40 : 2000;
const folder = mkdtempSync(path.join(tmpdir(), 'btrace-bench-planted-lags-'));

/** `run` gives what the program said. */
async function report(name: string, run: (lags: string) => Promise<string>): Promise<void> {
  const lags = path.join(folder, name);
  mkdirSync(lags);
  const judged = judgeLags(await run(lags), lags);
  const { planted, unclear, missed, invented, clear, wrongStacks, counted } = judged;
  say(`planted-lags.${name}.planted`, planted, 'lags');
  say(`planted-lags.${name}.too-near-the-limit`, unclear, 'messages');
  say(`planted-lags.${name}.counted`, counted, 'lags');
  say(`planted-lags.${name}.clear-stacks`, clear, 'lags');
  say(`planted-lags.${name}.missed`, missed.length, 'lags', ['<=', 0]);
  say(`planted-lags.${name}.invented`, invented.length, 'files', ['<=', 0]);
  say(`planted-lags.${name}.right-stacks`, 1 - wrongStacks.length / clear, 'of 1', ['>=', 0.99]);
  for (const one of [...missed, ...invented, ...wrongStacks]) console.log(`  ${name}: ${one}`);
}

try {
  const classes = path.join(folder, 'classes');
  await compilePlantedLags(classes);
  await Promise.all([
    report('jvm', (lags) => runPlantedLags(classes, lags, messages)),
    ...androids.flatMap((android) =>
      (Object.keys(engines) as Engine[]).map((engine) =>
        report(`android-${android}-${engine}`, async (lags) => {
          const app = startApp(await artRuntime(android), {
            engine,
            app: 'PlantedLags',
            debuggable: false,
            arguments: [messages + 1, agentLibrary, lags],
          });
          const { code } = await app.ended;
          if (code !== 0) throw new Error(app.output());
          return app.output();
        }),
      ),
    ),
  ]);
} finally {
  rmSync(folder, { recursive: true, force: true });
}
