// npm run lint: type-checks the sources, and lints them: Oxlint has the rules that need types, ESLint those of this project alone.
//   node scripts/lint/check.mjs [--types]    --types: the types alone
// What did not change since the last time is taken from .cache/, except where CI=true.
import path from 'node:path';
import process from 'node:process';
import { run } from '../process.mjs';
import { root } from '../setup.mjs';
import { words } from '../words.mjs';

const { types } = words(import.meta.url, { flags: ['types'] });
const cached = process.env.CI !== 'true';
const cacheFile = (name) => path.join(root, '.cache', name);

/** The last one is checked without Node's types, which the engine must do without. */
const projects = ['tsconfig.json', 'src/webview/tsconfig.json', 'src/trace/tsconfig.json'];

const typeCheck = (project) => [
  'typescript7/bin/tsc',
  ...['-p', project, '--noEmit', '--pretty', 'false'],
  ...(cached ? ['--incremental', '--tsBuildInfoFile', cacheFile(`tsc/${project}.info`)] : []),
];
const steps = projects.map(typeCheck);
if (!types)
  steps.push(
    ['oxlint/bin/oxlint'],
    [
      'eslint/bin/eslint.js',
      '.',
      ...(cached ? ['--cache', '--cache-strategy', 'content', '--cache-location', cacheFile('eslint')] : []),
    ],
  );

for (const [tool, ...args] of steps) {
  const command = [path.join(root, 'node_modules', tool), ...args];
  const { code, error, text } = await run(process.execPath, command, { cwd: root, limitMs: 10 * 60_000 });
  if (code === 0) continue;
  console.log(`${tool}: ${error ?? ''}\n${text}`.trimEnd());
  process.exitCode = 1;
}
