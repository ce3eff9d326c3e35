// The suites of `npm test`, in three lanes that run side by side: one works the processor, two mostly wait. In each, the suites run in
// the order of the table, so that what others need is built first, and large ones in `shares`, which another lane may take. A suite
// whose folder has no tests is not there.
import { existsSync, readdirSync } from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import { buildAgent, buildOtherAgents, hasAgentSources } from '../build-agent.mjs';
import { run } from '../process.mjs';
import { root } from '../setup.mjs';

/** `npm run test:all`. */
const wide = process.env.BTRACE_TEST_SCALE === '10' || process.argv.includes('--all');

/** For the wide tier alone; test/README.md has the reason. */
const wideOnly = ['test/e2e/compare.test.ts', 'test/e2e/keyboard.test.ts', 'test/e2e/rig.test.ts'];

function testsIn(folder) {
  const at = path.join(root, folder);
  if (!existsSync(at)) return [];
  return readdirSync(at, { recursive: true })
    .filter((name) => name.endsWith('.test.ts') && (wide || !wideOnly.includes(`${folder}/${name}`)))
    .sort()
    .map((name) => path.join(at, name));
}

async function tool(script, ...args) {
  const { code, error, text } = await run(
    process.execPath,
    [path.join(root, 'node_modules', script), ...args],
    {
      cwd: root,
      limitMs: 15 * 60_000,
    },
  );
  return code === 0 ? undefined : `${error ?? ''}\n${text}`.trim();
}

/** Things that are done once, before the suites that ask for them; each counts as one test of the suite `lint` or `build`. */
const checks = {
  'types and eslint': { run: () => tool('../scripts/lint/check.mjs') },
  format: { run: () => tool('oxfmt/bin/oxfmt', '--check') },
  bundles: { run: async () => await tool('../scripts/build.mjs') },
  agent: { run: () => buildAgent(), there: hasAgentSources, parts: ['compiler', 'jdk'] },
  'other agents': {
    // That of x86-64 Android has no code that those of x86-64 Linux and of arm64 Android have not.
    run: () => buildOtherAgents(wide ? [] : ['android-x86_64']),
    there: hasAgentSources,
    parts: ['compiler', 'jdk', 'clang', 'qemu'],
  },
  package: { run: () => tool('../scripts/package.mjs', '--no-build') },
};

/**
 * What a test may take: generous, since the other lanes, or another program, may have the processors. Tests wait for conditions, so
 * that only one that would fail anyway takes so long. What works for longer by itself says so by `lasts` (test/rigs/until.ts).
 */
const testMs = 300_000;

/** Without one of its `parts` a suite does not run. `wishes`: parts that some of its tests need, which skip themselves. */
const table = [
  { name: 'build', lane: 'works', checks: ['bundles', 'agent', 'other agents', 'package'], parts: [] },
  {
    name: 'lint',
    lane: 'works',
    checks: ['types and eslint', 'format'],
    folder: 'test/lint',
    parts: [],
  },
  {
    name: 'native',
    lane: 'works',
    folder: 'test/native',
    parts: ['compiler', 'jdk'],
    after: ['agent'],
  },
  {
    name: 'abi',
    lane: 'works',
    folder: 'test/abi',
    parts: ['compiler', 'jdk', 'clang', 'qemu'],
    after: ['agent', 'other agents'], // both build in the same folders
  },
  {
    name: 'darwin',
    lane: 'works',
    folder: 'test/darwin',
    parts: ['compiler', 'clang', 'qemu', 'imobiledevice'],
    after: ['bundles'],
  },
  { name: 'unit', lane: 'works', folder: 'test/unit', parts: [], wishes: ['dwz'] },
  { name: 'page', lane: 'works', shares: 2, folder: 'test/page', parts: ['chromium'] },
  {
    name: 'exthost',
    lane: 'waits',
    folder: 'test/exthost',
    parts: ['vscode', 'chromium'],
    after: ['bundles'],
    host: true,
  },
  {
    name: 'integration',
    lane: 'waits',
    shares: 3,
    folder: 'test/integration',
    parts: ['compiler', 'jdk'],
    after: ['bundles', 'agent'],
  },
  {
    name: 'storms', // 25 s; `npm run soak -- storms` goes on for as long as asked
    lane: 'waits',
    folder: 'test/storms',
    parts: ['compiler', 'jdk'],
    after: ['bundles', 'agent'],
  },
  {
    name: 'art',
    lane: 'devices',
    folder: 'test/art',
    parts: ['compiler', 'jdk', 'art', 'art14'],
    after: ['bundles', 'agent'],
  },
  {
    name: 'android',
    lane: 'devices',
    shares: 2,
    folder: 'test/android',
    parts: ['compiler', 'jdk', 'art', 'art14', 'adb'],
    after: ['bundles', 'agent'],
  },
  {
    name: 'e2e',
    lane: 'devices',
    shares: 2,
    folder: 'test/e2e',
    parts: ['compiler', 'jdk', 'art', 'adb', 'vscode', 'chromium', 'clang', 'qemu'],
    after: ['bundles', 'agent', 'other agents', 'package'],
  },
];

export { checks };

/** The suites that this tree has, each with its `files`. */
export function suites() {
  return table
    .map((suite) => ({
      shares: 1,
      testMs,
      wishes: [],
      ...suite,
      files: suite.folder ? testsIn(suite.folder) : [],
      checks: (suite.checks ?? []).filter((name) => checks[name].there?.() ?? true),
      after: (suite.after ?? []).filter((name) => checks[name].there?.() ?? true),
    }))
    .filter((suite) => suite.files.length > 0 || suite.checks.length > 0);
}
