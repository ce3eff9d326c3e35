// The suites of `npm test`, in the order they run: cheap ones first. A suite whose folder has no tests is not there.
import { existsSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { buildAgent, buildOtherAgents, hasAgentSources } from '../build-agent.mjs';
import { run } from '../process.mjs';
import { root } from '../setup.mjs';

function testsIn(folder) {
  const at = path.join(root, folder);
  if (!existsSync(at)) return [];
  return readdirSync(at, { recursive: true })
    .filter((name) => name.endsWith('.test.ts'))
    .sort()
    .map((name) => path.join(at, name));
}

async function tool(script, ...args) {
  const { code, error, text } = await run(
    process.execPath,
    [path.join(root, 'node_modules', script), ...args],
    {
      cwd: root,
      limitMs: 5 * 60_000,
    },
  );
  return code === 0 ? undefined : `${error ?? ''}\n${text}`.trim();
}

async function typecheck() {
  const projects = ['tsconfig.json', 'src/trace'];
  // tsc refuses a project without files, which the page's room is until its first one
  if (readdirSync(path.join(root, 'src/webview'), { recursive: true }).some((name) => name.endsWith('.ts'))) {
    projects.push('src/webview');
  }
  const said = [];
  for (const project of projects) said.push(await tool('typescript/bin/tsc', '-p', project));
  return said.filter(Boolean).join('\n') || undefined;
}

/** Things that are done once, before the suites that ask for them; each counts as one test of the suite `lint` or `build`. */
const checks = {
  typecheck: { run: typecheck },
  eslint: { run: () => tool('eslint/bin/eslint.js', '.') },
  prettier: { run: () => tool('prettier/bin/prettier.cjs', '--check', '--log-level', 'warn', '.') },
  bundles: { run: async () => await tool('../scripts/build.mjs') },
  agent: { run: buildAgent, there: hasAgentSources, parts: ['compiler', 'jdk'] },
  'other agents': {
    run: buildOtherAgents,
    there: hasAgentSources,
    parts: ['compiler', 'jdk', 'clang', 'qemu'],
  },
  package: { run: () => tool('../scripts/package.mjs', '--no-build') },
};

const table = [
  {
    name: 'lint',
    checks: ['typecheck', 'eslint', 'prettier'],
    together: true,
    folder: 'test/lint',
    parts: [],
    testMs: 60_000,
  },
  { name: 'build', checks: ['bundles', 'agent', 'other agents', 'package'], parts: [] },
  { name: 'unit', folder: 'test/unit', parts: [], testMs: 10_000 },
  { name: 'native', folder: 'test/native', parts: ['compiler', 'jdk'], after: ['agent'], testMs: 120_000 },
  {
    name: 'abi',
    folder: 'test/abi',
    parts: ['compiler', 'jdk', 'clang', 'qemu'],
    testMs: 300_000,
  },
  {
    name: 'integration',
    folder: 'test/integration',
    parts: ['compiler', 'jdk'],
    after: ['bundles', 'agent'],
    testMs: 60_000,
  },
  {
    name: 'art',
    folder: 'test/art',
    parts: ['compiler', 'jdk', 'art'],
    after: ['bundles', 'agent'],
    testMs: 60_000,
  },
  {
    name: 'android',
    folder: 'test/android',
    parts: ['compiler', 'jdk', 'art', 'adb'],
    after: ['bundles', 'agent'],
    testMs: 60_000,
  },
  { name: 'page', folder: 'test/page', parts: ['chromium'], testMs: 60_000 },
  {
    name: 'exthost',
    folder: 'test/exthost',
    parts: ['vscode', 'chromium'],
    after: ['bundles'],
    testMs: 30_000,
    host: true,
  },
  {
    name: 'e2e',
    folder: 'test/e2e',
    parts: ['compiler', 'jdk', 'art', 'adb', 'vscode', 'chromium', 'clang', 'qemu'],
    after: ['bundles', 'agent', 'other agents', 'package'],
    testMs: 120_000,
  },
];

export { checks };

/** The suites that this tree has, each with its `files`. */
export function suites() {
  return table
    .map((suite) => ({
      ...suite,
      files: suite.folder ? testsIn(suite.folder) : [],
      checks: (suite.checks ?? []).filter((name) => checks[name].there?.() ?? true),
      after: (suite.after ?? []).filter((name) => checks[name].there?.() ?? true),
    }))
    .filter((suite) => suite.files.length > 0 || suite.checks.length > 0);
}
