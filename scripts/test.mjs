// npm test: sets up what the suites need, checks, builds, runs every suite, and ends with the line `N passed, N failed`.
//   npm test -- NAME …          only the named suites (npm test -- --list names them)
//   npm test -- e2e --grep RE   only the tests whose full title matches; --verbose prints each test
//   npm run test:all            ten times the random cases, and the tests that a change need not wait for (test/README.md)
//   npm test -- --repeat 20 --load 4 NAME …   each suite so often, beside so many busy processes; says what failed how often
// The suites run in three lanes side by side: one works the processor, two mostly wait. What this machine cannot have is skipped by
// name and counted; with CI=true a skipped test is a failed one. A failed test runs again alone by the rule of test/README.md, except
// with --repeat; test-results/second-try.json has what came of it. artefacts/times.json says how long each test took.
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { randomInt, randomUUID } from 'node:crypto';
import { loadavg, tmpdir } from 'node:os';
import path from 'node:path';
import process from 'node:process';
import { endGroup, withCpuMs } from './process.mjs';
import { advice, explain, root, setup } from './setup.mjs';
import { prefixed, runLanes, shares } from './test/lanes.mjs';
import { leftovers, markName } from './test/leftovers.mjs';
import { startLoad } from './test/load.mjs';
import { countsAll } from './test/reaper.mjs';
import { runFiles } from './test/run-files.mjs';
import { secondTries } from './test/second-try.mjs';
import { checks, suites } from './test/suites.mjs';
import { words } from './words.mjs';

const available = suites();
const { names, ...options } = words(import.meta.url, {
  flags: ['list', 'verbose', 'all'],
  values: ['grep', 'repeat', 'load'],
  names: available.map(({ name }) => name),
});
const strict = process.env.CI === 'true';
const repeats = Number(options.repeat ?? 1);
const busy = Number(options.load ?? 0);

if (options.list) {
  for (const { name, files, checks } of available)
    console.log(
      `${name.padEnd(12)} ${[...checks, ...files.map((file) => path.relative(root, file))].join(' ')}`,
    );
  process.exit(0);
}

const wanted = available.filter(({ name }) => names.length === 0 || names.includes(name));
const total = { passed: 0, failures: [], skipped: [] };
const times = {};
const timesOf = ({ name }) => (times[name] ??= { ms: 0, cpuMs: 0, groups: [] });
const scratch = mkdtempSync(path.join(tmpdir(), 'btrace-test-'));
const mark = randomUUID();
process.env[markName] = mark;
process.env.TMPDIR = scratch; // what the suites put into the temporary folder goes with it
if (options.all) process.env.BTRACE_TEST_SCALE = '10';
const ownSeed = process.env.BTRACE_SEED; // test/rigs/seed.ts: by it, what is random is the same on a second try
process.env.BTRACE_SEED ??= String(randomInt(1e9));
mkdirSync(path.join(root, 'artefacts'), { recursive: true });

// However this process ends, what its suites started ends with it, even what has a process group of its own.
process.once('exit', () => {
  for (const { pid } of leftovers(mark)) process.kill(pid, 'SIGKILL');
  rmSync(scratch, { recursive: true, force: true });
});

const seconds = (ms) => `${(ms / 1000).toFixed(1)} s`;

/** `test`: what the journal has of a failed test, which may run again. */
function fail(suite, title, message, test = {}) {
  total.failures.push({ ...test, suite, title, message });
}

const nameOf = ({ suite, title }) => (title === '' ? suite : `${suite}: ${title}`);

const outcomes = new Map(); // check → Promise of why it failed, or nothing

/** Runs a check once, however many suites ask for it. The first one's `spent` gets its CPU time. */
function check(name, say, spent) {
  if (!outcomes.has(name)) {
    outcomes.set(
      name,
      (async () => {
        const { missing } = await setup(checks[name].parts ?? []);
        if (Object.keys(missing).length > 0) return { skipped: explain(missing) };
        const began = performance.now();
        const { result: failed, cpuMs } = await withCpuMs(() => checks[name].run());
        spent.cpuMs += cpuMs;
        const took = seconds(performance.now() - began).padStart(7);
        const cpu = cpuMs >= 1000 ? `, ${seconds(cpuMs)} of the processors` : '';
        say(`  ${name.padEnd(58)} ${took}  ${failed ? 'FAILED' : 'passed'}${cpu}`);
        if (failed) say(`\n${failed.replace(/^/gm, '     ')}\n`);
        return { failed };
      })(),
    );
  }
  return outcomes.get(name);
}

/** Runs the files of the suite, or a share of them, in a process of their own. Returns the CPU time they took. */
async function runShare(suite, lane, output) {
  const counts = await runFiles(suite, {
    files: suite.files,
    grep: options.grep,
    verbose: options.verbose,
    output,
    mark: markOf(lane),
    // A suite that hangs in spite of its tests' own limits is ended, and what its files leave running with it.
    limitMs: (options.all ? 60 : 20) * 60_000,
    // Beside one that works the processor, what waits is to go on at once when what it waits for has come.
    yields: suite.lane === 'works' && wanted.length > 1,
  });
  total.passed += counts.passed;
  for (const title of counts.skipped) total.skipped.push(`${suite.name}: ${title}`);
  for (const failure of counts.failures) fail(suite.name, failure.title, failure.message, failure);
  timesOf(suite).groups.push(...counts.groups);
  return counts.cpuMs;
}

/** Runs again alone, by the rule of test/README.md, what failed. Returns how many were tried. */
async function tryAgain() {
  const limitMs = 3 * 60_000; // of one try; a test's own limit is shorter
  const first = total.failures;
  const { passed, failed, tried } = await secondTries(first, async (failure, grep, leftMs) => {
    const suite = wanted.find(({ name }) => name === failure.suite);
    console.log(`\nsecond try of ${nameOf(failure)}`);
    const load = loadavg()[0];
    const counts = await runFiles(suite, {
      files: failure.files,
      grep,
      output: 'show',
      limitMs: Math.round(Math.min(leftMs, limitMs)),
      mark: markOf('again'),
    });
    const left = await endLeftovers('again');
    return { ...counts, failures: [...counts.failures, ...left.map((message) => ({ message }))], load };
  });
  total.failures = failed;
  for (const one of passed) total.passed += one.tests;
  const results = path.join(root, 'test-results');
  rmSync(results, { recursive: true, force: true });
  mkdirSync(results);
  writeFileSync(
    path.join(results, 'second-try.json'),
    JSON.stringify({ tried, passed, failed }, undefined, 1),
  );
  if (passed.length > 0) console.log('\nPassed on a second try:');
  for (const one of passed) {
    const lines = beginOf(one.message).map((line) => line.slice(0, 300));
    const loads = [one.load, ...one.loads].map((load) => load.toFixed(1));
    const then = `load ${loads[0]}, then ${loads.slice(1).join(' and ')}`;
    console.log([`  ${nameOf(one)}`, ...lines, then].join('\n    '));
  }
  return tried;
}

/** Why the suite cannot run, or nothing. */
async function prepare(suite, say, spent) {
  // Tests that need what is only wished for skip themselves.
  await setup(suite.wishes);
  const { missing } = await setup(suite.parts);
  if (Object.keys(missing).length > 0) {
    say(explain(missing));
    total.skipped.push(
      ...Object.keys(missing).map((part) => `${suite.name}: needs ${part} (${advice(part)})`),
    );
    return true;
  }
  for (const name of suite.after) {
    const { failed, skipped } = await check(name, say, spent);
    if (skipped) total.skipped.push(`${suite.name}: ${skipped}`);
    // The check's own suite counts the failure when it is among those asked for.
    if (failed && !wanted.some(({ checks: own }) => own.includes(name))) fail('build', name, failed);
    if (failed) fail(suite.name, '', `not run, because ${name} failed`);
    if (failed || skipped) return true;
  }
  return false;
}

/** What the suites of a lane started has the lane's mark. */
const markOf = (lane) => `${mark}-${lane}`;

/** Ends what the suites of a lane left behind, and says what it was. */
async function endLeftovers(lane) {
  const messages = [];
  for (const { pid, command } of leftovers(markOf(lane))) {
    messages.push(`process ${pid} was left behind: ${command.slice(0, 300)}`);
    await endGroup(pid, 0);
    try {
      process.kill(pid, 'SIGKILL');
    } catch {
      continue; // it led its group
    }
  }
  return messages;
}

async function runSuite(suite, lane) {
  const alone = wanted.length === 1;
  const prefix = alone ? undefined : prefixed(suite.name);
  const output = alone ? 'show' : (text) => prefix.write(text);
  const say = (line) => (alone ? console.log(line) : prefix.write(`${line}\n`));
  if (alone) console.log(`\n${suite.name}`);
  const spent = { cpuMs: 0 };
  if (await prepare(suite, say, spent)) return;
  const began = performance.now();
  for (const name of suite.checks) {
    const { failed, skipped } = await check(name, say, spent);
    if (failed) fail(suite.name, name, failed);
    else if (skipped) total.skipped.push(`${suite.name}: ${name}: ${skipped}`);
    else total.passed++;
  }
  if (suite.files.length > 0) spent.cpuMs += await runShare(suite, lane, output);
  prefix?.end();
  for (const message of await endLeftovers(lane)) fail(suite.name, 'leaves nothing running', message);
  const ms = performance.now() - began;
  timesOf(suite).ms += ms;
  timesOf(suite).cpuMs += spent.cpuMs;
  const which = suite.shares > 1 ? ` (${suite.share} of ${suite.shares})` : '';
  say(
    `  ${suite.name}${which} took ${seconds(ms)}${spent.cpuMs > 0 ? `, ${seconds(spent.cpuMs)} of the processors` : ''}`,
  );
}

const began = performance.now();
const { missing } = await setup(['npm']);
if (Object.keys(missing).length > 0) {
  console.error(explain(missing));
  process.exit(1);
}
/** Large suites in shares, which lanes can take from each other. */
const sharesOf = (suite) => {
  const each = shares(suite.files, wanted.length > 1 ? suite.shares : 1);
  return each.map((files, at) => ({ ...suite, files, share: at + 1, shares: each.length }));
};
const lanes = {};
for (const suite of wanted) (lanes[suite.lane] ??= []).push(...sharesOf(suite));
const busyBefore = machineCpuMs();
const endLoad = startLoad(busy);
if (repeats > 1) {
  // One after the other: beside each other they would be the load.
  for (const suite of wanted) {
    for (let round = 1; round <= repeats; round++) {
      process.env.BTRACE_SEED = ownSeed ?? String(randomInt(1e9));
      console.log(`\n${suite.name}, ${round} of ${repeats}, seed ${process.env.BTRACE_SEED}`);
      await runSuite({ ...suite, share: 1, shares: 1 }, 'repeats');
    }
  }
} else {
  await runLanes(lanes, runSuite);
}
endLoad();
const tried = repeats > 1 ? 0 : await tryAgain();

writeFileSync(path.join(root, 'artefacts/times.json'), JSON.stringify(times, undefined, 1));
const took = Object.entries(times).map(([name, { ms }]) => `${name} ${seconds(ms)}`);
const busyMs = machineCpuMs() - busyBefore;
console.log(
  `\n${took.join(' · ')} · all ${seconds(performance.now() - began)}` +
    (busyMs > 0 ? `, while the machine's processors worked ${seconds(busyMs)}` : '') +
    (busyMs > 0 && !countsAll ? '\nProcesses that nobody waited for are not counted: that takes perl.' : ''),
);
if (total.skipped.length > 0)
  console.log(`\n${total.skipped.length} skipped:\n${total.skipped.map((title) => `  ${title}`).join('\n')}`);
if (strict)
  for (const title of total.skipped) fail(title, '', 'skipped, which counts as failed when CI=true');
if (total.failures.length > 0) {
  console.log(`\n${total.failures.length} failed (BTRACE_SEED=${process.env.BTRACE_SEED}):`);
  for (const [title, [first, ...others]] of byTitle(total.failures)) {
    const often = repeats > 1 ? `${1 + others.length} of ${repeats}: ` : '';
    console.log([`  ${often}${title}`, ...beginOf(first.message), ...beginOf(first.why)].join('\n    '));
  }
}
console.log(`\nsecond try: ${tried}`);
console.log(`${total.passed} passed, ${total.failures.length} failed`);
process.exit(total.failures.length > 0 ? 1 : 0);

/** Enough to show what differed: the first lines of a failed comparison say nothing of it. */
function beginOf(message = '') {
  return message
    .split('\n')
    .filter((line) => line.trim() !== '')
    .slice(0, 12);
}

/** What all processors of this machine have worked so far, for whomever. Linux only: elsewhere 0. */
function machineCpuMs() {
  if (!existsSync('/proc/stat')) return 0;
  const [user, nice, system, , , irq, softirq] = /^cpu +(.*)$/m
    .exec(readFileSync('/proc/stat', 'latin1'))[1]
    .split(' ')
    .map(Number);
  return (user + nice + system + irq + softirq) * 10; // in 1/100 s
}

/** The failures by title. */
function byTitle(failures) {
  const found = new Map();
  for (const failure of failures) {
    const title = nameOf(failure);
    found.set(title, [...(found.get(title) ?? []), failure]);
  }
  return found;
}
