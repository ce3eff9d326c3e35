// npm run soak [-- --short] [PART...]: what a test run has no time for, on every JDK that is found (BTRACE_JDKS names more) and in the Android
// Runtime, on each engine: starts and stops, walks in a signal handler, recordings beside the truth, ten minutes under 50 allocating
// threads. All parts take two hours on two cores; --short takes a tenth of each. Parts: sessions, walks, recordings, truth, art.
import { mkdirSync } from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import { buildAgent } from './build-agent.mjs';
import { run } from './process.mjs';
import { root, setupOrStop } from './setup.mjs';
import { words } from './words.mjs';

const unitTests = path.join(root, 'build/native/host/unit-tests');
const mocha = (file) => [
  process.execPath,
  ['--import', 'tsx', path.join(root, 'node_modules/mocha/bin/mocha.js'), '--timeout', '120000', file],
];
const parts = {
  sessions: ['starts and stops of the agent under fire', unitTests, ['sessions']],
  walks: ['walks in a signal handler', ...mocha('test/soak/walk.test.ts')],
  recordings: ['recordings of one program, again and again', ...mocha('test/integration/record.test.ts')],
  truth: ['recordings beside the truth', ...mocha('test/integration/truth.test.ts')],
  art: ['the Android Runtime under load', ...mocha('test/art/endurance.test.ts')],
};

const { short, names: asked } = words(import.meta.url, {
  flags: ['short'],
  names: Object.keys(parts),
});
const share = short ? 0.1 : 1;
const environment = {
  ...process.env,
  BTRACE_CYCLES: String(1000 * share),
  BTRACE_STORM_SECONDS: String(60 * share),
  BTRACE_TRUTH_RUNS: String(50 * share),
  BTRACE_ART_CYCLES: String(200 * share),
  BTRACE_ART_LOAD_MS: String(600_000 * share),
};

await setupOrStop(['npm', 'compiler', 'jdk', 'art']);
mkdirSync(path.join(root, 'artefacts'), { recursive: true });
const failed = await buildAgent();
if (failed) {
  console.error(failed);
  process.exit(1);
}
let worst = 0;
for (const [name, [what, command, args]] of Object.entries(parts)) {
  if (asked.length > 0 && !asked.includes(name)) continue;
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
