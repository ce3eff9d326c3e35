// npm run soak [-- --short]: what a test run has no time for, on every JDK that is found (BTRACE_JDKS names more): 1,000 starts and stops
// of the agent under fire and as many recordings of one program, 50 recordings beside the truth; in the Android Runtime, on each engine,
// 200 starts and stops and ten minutes under 50 allocating threads. About an hour and a half; --short takes a tenth.
import { mkdirSync } from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import { buildAgent } from './build-agent.mjs';
import { run } from './process.mjs';
import { root, setupOrStop } from './setup.mjs';

const part = process.argv.includes('--short') ? 0.1 : 1;
const environment = {
  ...process.env,
  BTRACE_CYCLES: String(1000 * part),
  BTRACE_TRUTH_RUNS: String(50 * part),
  BTRACE_ART_CYCLES: String(200 * part),
  BTRACE_ART_LOAD_MS: String(600_000 * part),
};
const mocha = ['--import', 'tsx', path.join(root, 'node_modules/mocha/bin/mocha.js'), '--timeout', '120000'];

await setupOrStop(['npm', 'compiler', 'jdk', 'art']);
mkdirSync(path.join(root, 'artefacts'), { recursive: true });
const failed = await buildAgent();
if (failed) {
  console.error(failed);
  process.exit(1);
}
const steps = [
  ['starts and stops under fire', path.join(root, 'build/native/host/unit-tests'), ['sessions']],
  ['recordings, again and again', process.execPath, [...mocha, 'test/integration/record.test.ts']],
  ['the truth', process.execPath, [...mocha, 'test/integration/truth.test.ts']],
  ['the Android Runtime under load', process.execPath, [...mocha, 'test/art/endurance.test.ts']],
];
let worst = 0;
for (const [what, command, args] of steps) {
  const began = performance.now();
  const { code, error } = await run(command, args, {
    cwd: root,
    env: environment,
    output: 'show',
    limitMs: 2 * 3600_000,
  });
  const seconds = ((performance.now() - began) / 1000).toFixed(0);
  console.log(
    `soak: ${what}: ${code === 0 ? 'held' : `FAILED (${error ?? `exit code ${code}`})`}, ${seconds} s`,
  );
  worst ||= code === 0 ? 0 : 1;
}
process.exit(worst);
