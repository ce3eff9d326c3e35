// npm test: sets up what the suites need, checks, builds, runs every suite, and ends with the line `N passed, N failed`.
//   npm test -- NAME …          only the named suites (npm test -- --list names them)
//   npm test -- e2e --grep RE   only the tests whose full title matches; --verbose prints each test
// What this machine cannot have is skipped by name and counted; with CI=true a skipped test is a failed one.
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { randomUUID } from 'node:crypto';
import { tmpdir } from 'node:os';
import path from 'node:path';
import process from 'node:process';
import { endGroup, run } from './process.mjs';
import { advice, explain, root, setup } from './setup.mjs';
import { leftovers, markName } from './test/leftovers.mjs';
import { checks, suites } from './test/suites.mjs';
import { words } from './words.mjs';

const available = suites();
const { names, ...options } = words(import.meta.url, {
  flags: ['list', 'verbose'],
  values: ['grep'],
  names: available.map(({ name }) => name),
});
const strict = process.env.CI === 'true';

if (options.list) {
  for (const { name, files, checks } of available)
    console.log(
      `${name.padEnd(12)} ${[...checks, ...files.map((file) => path.relative(root, file))].join(' ')}`,
    );
  process.exit(0);
}

const wanted = available.filter(({ name }) => names.length === 0 || names.includes(name));
const total = { passed: 0, failures: [], skipped: [] };
const times = [];
const scratch = mkdtempSync(path.join(tmpdir(), 'btrace-test-'));
const mark = randomUUID();
process.env[markName] = mark;
process.env.TMPDIR = scratch; // what the suites put into the temporary folder goes with it
mkdirSync(path.join(root, 'artefacts'), { recursive: true });

// However this process ends, what its suites started ends with it, even what has a process group of its own.
process.once('exit', () => {
  for (const { pid } of leftovers(mark)) process.kill(pid, 'SIGKILL');
  rmSync(scratch, { recursive: true, force: true });
});

const seconds = (ms) => `${(ms / 1000).toFixed(1)} s`;

function fail(title, message) {
  total.failures.push({ title, message });
}

const outcomes = new Map(); // check → Promise of why it failed, or nothing

/** Runs a check once, however many suites ask for it. */
function check(name) {
  if (!outcomes.has(name)) {
    outcomes.set(
      name,
      (async () => {
        const { missing } = await setup(checks[name].parts ?? []);
        if (Object.keys(missing).length > 0) return { skipped: explain(missing) };
        const began = performance.now();
        const failed = await checks[name].run();
        console.log(
          `  ${name.padEnd(58)} ${seconds(performance.now() - began).padStart(7)}  ${failed ? 'FAILED' : 'passed'}`,
        );
        if (failed) console.log(`\n${failed.replace(/^/gm, '     ')}\n`);
        return { failed };
      })(),
    );
  }
  return outcomes.get(name);
}

async function runMocha(suite) {
  const summary = path.join(scratch, `${suite.name}.json`);
  const task = {
    files: suite.files,
    summary,
    timeoutMs: suite.testMs,
    grep: options.grep,
    verbose: options.verbose,
  };
  const script = path.join(
    root,
    suite.host ? 'test/rigs/vscode/extension-host.ts' : 'scripts/test/mocha.mjs',
  );
  // A suite that hangs in spite of its tests' own limits is ended, and what its files leave running with it.
  const limitMs = 10 * 60_000;
  const { code, error } = await run(process.execPath, ['--import', 'tsx', script, JSON.stringify(task)], {
    cwd: root,
    output: 'show',
    limitMs,
  });
  let counts;
  try {
    counts = JSON.parse(readFileSync(summary, 'utf8'));
  } catch {
    fail(suite.name, `the suite ended before its last test: ${error ?? `exit code ${code}`}`);
    return;
  }
  total.passed += counts.passed;
  for (const title of counts.skipped) total.skipped.push(`${suite.name}: ${title}`);
  for (const { title, message } of counts.failures) fail(`${suite.name}: ${title}`, message);
  if (counts.failures.length === 0 && code !== 0) {
    fail(suite.name, `its tests passed, but it did not end well: ${error ?? `exit code ${code}`}`);
  }
}

/** Why the suite cannot run, or nothing. */
async function prepare(suite) {
  const { missing } = await setup(suite.parts);
  if (Object.keys(missing).length > 0) {
    console.log(explain(missing));
    total.skipped.push(
      ...Object.keys(missing).map((part) => `${suite.name}: needs ${part} (${advice(part)})`),
    );
    return true;
  }
  for (const name of suite.after) {
    const { failed, skipped } = await check(name);
    if (skipped) total.skipped.push(`${suite.name}: ${skipped}`);
    // The check's own suite counts the failure when it is among those asked for.
    if (failed && !wanted.some(({ checks: own }) => own.includes(name))) fail(`build: ${name}`, failed);
    if (failed) fail(suite.name, `not run, because ${name} failed`);
    if (failed || skipped) return true;
  }
  return false;
}

async function runSuite(suite) {
  const began = performance.now();
  console.log(`\n${suite.name}`);
  if (await prepare(suite)) return;
  if (suite.together) await Promise.all(suite.checks.map(check));
  for (const name of suite.checks) {
    const { failed, skipped } = await check(name);
    if (failed) fail(`${suite.name}: ${name}`, failed);
    else if (skipped) total.skipped.push(`${suite.name}: ${name}: ${skipped}`);
    else total.passed++;
  }
  if (suite.files.length > 0) await runMocha(suite);
  for (const { pid, command } of leftovers(mark)) {
    fail(`${suite.name}: leaves nothing running`, `process ${pid} was left behind: ${command.slice(0, 300)}`);
    await endGroup(pid, 0);
    try {
      process.kill(pid, 'SIGKILL');
    } catch {
      continue; // it led its group
    }
  }
  const took = performance.now() - began;
  times.push(`${suite.name} ${seconds(took)}`);
  console.log(`  ${suite.name} took ${seconds(took)}`);
}

const began = performance.now();
const { missing } = await setup(['npm']);
if (Object.keys(missing).length > 0) {
  console.error(explain(missing));
  process.exit(1);
}
for (const suite of wanted) await runSuite(suite);

console.log(`\n${times.join(' · ')} · all ${seconds(performance.now() - began)}`);
if (total.skipped.length > 0)
  console.log(`\n${total.skipped.length} skipped:\n${total.skipped.map((title) => `  ${title}`).join('\n')}`);
if (strict) for (const title of total.skipped) fail(title, 'skipped, which counts as failed when CI=true');
if (total.failures.length > 0) {
  console.log(`\n${total.failures.length} failed:`);
  for (const { title, message } of total.failures)
    console.log(`  ${title}\n    ${message.split('\n').slice(0, 3).join('\n    ')}`);
}
console.log(`\n${total.passed} passed, ${total.failures.length} failed`);
process.exit(total.failures.length > 0 ? 1 : 0);
