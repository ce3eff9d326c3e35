// npm run soak [-- --short] [PART...]: what a test run has no time for, on every JDK that is found (BTRACE_JDKS names more) and in the Android
// Runtime, on each engine: starts and stops, walks in a signal handler, recordings beside the truth, ten minutes under 50 allocating
// threads; and every bench with --quick, which must end well. All parts take two hours on two cores; --short takes a tenth of each.
// Parts: sessions, walks, recordings, truth, storms, art, benches; --minutes N is how long the storms last, 30 if nothing is said.
import { mkdirSync } from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import { buildAgent } from './build-agent.mjs';
import { run } from './process.mjs';
import { explain, root, setup, setupOrStop } from './setup.mjs';
import { words } from './words.mjs';

const unitTests = path.join(root, 'build/native/host/unit-tests');
const mocha = (file) => [
  process.execPath,
  ['--import', 'tsx', path.join(root, 'node_modules/mocha/bin/mocha.js'), '--timeout', '120000', file],
];
const bench = (what, ...args) => [
  `npm run ${what} -- --quick`,
  process.execPath,
  [...args.slice(0, -1), path.join(root, args.at(-1)), '--quick'],
];
/** Each of one command or several: [what it is, command, arguments]. */
const parts = {
  sessions: [['starts and stops of the agent under fire', unitTests, ['sessions']]],
  walks: [['walks in a signal handler', ...mocha('test/soak/walk.test.ts')]],
  recordings: [['recordings of one program, again and again', ...mocha('test/integration/record.test.ts')]],
  truth: [['recordings beside the truth', ...mocha('test/integration/truth.test.ts')]],
  storms: [['storms in every surrounding', ...mocha('test/storms/storms.test.ts')]],
  art: [
    ['the Android Runtime under load', ...mocha('test/art/endurance.test.ts')],
    ['storms in the Android Runtime', ...mocha('test/soak/art-storms.test.ts')],
  ],
  benches: [
    bench('bench', 'scripts/bench.mjs'),
    bench('bench:agent', '--import', 'tsx', 'test/bench/agent.ts'),
    bench('bench:art', '--import', 'tsx', 'test/bench/art.ts'),
    bench('bench:ui', '--import', 'tsx', 'test/bench/ui/ui.ts'),
  ],
};

const {
  short,
  minutes,
  names: asked,
} = words(import.meta.url, {
  flags: ['short'],
  values: ['minutes'],
  names: Object.keys(parts),
});
const share = short ? 0.1 : 1;
const stormMinutes = Number(minutes ?? 30 * share);
if (!(stormMinutes > 0)) {
  console.error(`--minutes is a number of minutes, not ${minutes}`);
  process.exit(2);
}
const environment = {
  ...process.env,
  BTRACE_STORMS_MS: String(stormMinutes * 60_000),
  BTRACE_CYCLES: String(1000 * share),
  BTRACE_STORM_SECONDS: String(60 * share),
  BTRACE_TRUTH_RUNS: String(50 * share),
  BTRACE_ART_CYCLES: String(200 * share),
  BTRACE_ART_LOAD_MS: String(600_000 * share),
};

const isOfJvms = asked.length > 0 && asked.every((name) => name === 'storms');
const others = isOfJvms ? [] : ['art', 'art14', 'vscode', 'chromium'];
await setupOrStop(['npm', 'compiler', 'jdk', ...others]);
// One more JDK, on Debian: elsewhere the soak runs on those that are installed.
const { missing } = await setup(['jdk21']);
if (Object.keys(missing).length > 0) console.log(explain(missing));
mkdirSync(path.join(root, 'artefacts'), { recursive: true });
const failed = await buildAgent(['btrace-agent', 'btrace-native', 'unit-tests']);
if (failed) {
  console.error(failed);
  process.exit(1);
}
let worst = 0;
const wanted = Object.entries(parts).flatMap(([name, commands]) =>
  asked.length === 0 || asked.includes(name) ? commands : [],
);
for (const [what, command, args] of wanted) {
  const began = performance.now();
  const { code, error } = await run(command, args, {
    cwd: root,
    env: environment,
    output: 'show',
    limitMs: 2 * 3600_000 + stormMinutes * 2 * 60_000,
  });
  const seconds = ((performance.now() - began) / 1000).toFixed(0);
  console.log(
    `soak: ${what}: ${code === 0 ? 'held' : `FAILED (${error ?? `exit code ${code}`})`}, ${seconds} s`,
  );
  worst ||= code === 0 ? 0 : 1;
}
process.exit(worst);
