// What a suite prints: a line for each top-level describe; what failed, in full, at the end; every test with --verbose. What becomes
// of each test is noted at once (journal.mjs reads it), so that nothing is forgotten of a suite that hangs or crashes.
import { loadavg } from 'node:os';
import process from 'node:process';
import Mocha from 'mocha';
import { waitedCpuMs } from '../waited-cpu.mjs';
import { watchCrashes } from './crashes.mjs';
import { orphansCpuMs } from './reaper.mjs';

const {
  EVENT_HOOK_BEGIN,
  EVENT_RUN_BEGIN,
  EVENT_RUN_END,
  EVENT_SUITE_BEGIN,
  EVENT_SUITE_END,
  EVENT_TEST_BEGIN,
  EVENT_TEST_FAIL,
  EVENT_TEST_PASS,
  EVENT_TEST_PENDING,
} = Mocha.Runner.constants;

const seconds = (ms) => (ms < 1000 ? `${Math.round(ms)} ms` : `${(ms / 1000).toFixed(1)} s`);

/** What this process has worked, and those that it started and that ended: of a group, what ends in it. */
function cpuMs() {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000 + waitedCpuMs() + orphansCpuMs();
}

function describeFailure({ title, message }, number) {
  return `\n  ${number}) ${title}\n${message.replace(/^/gm, '     ')}`;
}

function messageOf(error) {
  const stack = String(error?.stack ?? error?.message ?? error);
  const showsDiff = error?.code === 'ERR_ASSERTION' || error?.expected === undefined;
  const diff = showsDiff
    ? ''
    : `\nexpected ${JSON.stringify(error.expected)}\nactual   ${JSON.stringify(error.actual)}`;
  const cause = error?.cause === undefined ? '' : `\ncause: ${messageOf(error.cause)}`;
  return (
    stack
      .split('\n')
      .filter((line) => !/node_modules\/mocha|node:internal/.test(line))
      .join('\n') +
    diff +
    cause
  );
}

/** The describes around a test or hook, the innermost first. */
function* around(runnable) {
  for (let suite = runnable.parent; suite; suite = suite.parent) yield suite;
}

/** What test/rigs/kinds.ts said of a test, of a describe around it, or of what was thrown. */
function kindOf(runnable, error) {
  const marked = [error, error?.cause, runnable.fn, ...around(runnable)];
  return marked.find((one) => one?.kind !== undefined)?.kind;
}

/** The describe that runs whole when the test runs again, or nothing where the test can run alone. */
function groupOf(runnable) {
  if (runnable.type === 'hook') return runnable.parent.fullTitle();
  return [...around(runnable)].findLast((suite) => suite.inOrder)?.fullTitle();
}

/** Tests of a describe that have neither run nor been skipped. */
function notRun(suite, isWanted) {
  let count = 0;
  suite.eachTest((test) => {
    if (test.state === undefined && !test.isPending() && isWanted(test)) count++;
  });
  return count;
}

/**
 * A mocha reporter class. `write` takes finished lines; `note` what becomes of the tests, as journal.mjs reads it. `files`: those that
 * must be loaded to run one of the tests again, where that is not the test's own.
 */
export function reporterFor({ verbose = false, grep, write, note, files }) {
  return class {
    constructor(runner) {
      const failures = [];
      const ids = new Map();
      let group;
      let crashes = watchCrashes();
      const isWanted = (test) => !grep || new RegExp(grep).test(test.fullTitle());
      const placed = (runnable) => ({
        title: runnable.fullTitle(),
        files: files ?? [runnable.file].filter(Boolean),
        group: groupOf(runnable),
      });
      const line = (mark, test, extra = '') => verbose && write(`    ${mark} ${test.fullTitle()}${extra}`);
      runner.once(EVENT_RUN_BEGIN, () => {
        const tests = [];
        runner.suite.eachTest((test) => {
          if (!isWanted(test)) return;
          ids.set(test, tests.length);
          tests.push(placed(test));
        });
        note({ tests });
      });
      runner.on(EVENT_SUITE_BEGIN, (suite) => {
        if (suite.parent?.root)
          group = { began: performance.now(), cpuMs: cpuMs(), passed: 0, failed: 0, skipped: 0, tests: [] };
      });
      runner.on(EVENT_SUITE_END, (suite) => {
        if (!suite.parent?.root || !group) return;
        const took = seconds(performance.now() - group.began).padStart(7);
        const worked = cpuMs() - group.cpuMs;
        note({
          group: {
            title: suite.title,
            ms: Math.round(performance.now() - group.began),
            cpuMs: Math.round(worked),
            tests: group.tests,
          },
        });
        const bad =
          (group.failed ? `, ${group.failed} FAILED` : '') +
          (group.skipped ? `, ${group.skipped} skipped` : '');
        const cpu = worked >= 1000 ? `, ${seconds(worked)} of the processors` : '';
        write(`  ${suite.title.slice(0, 58).padEnd(58)} ${took}  ${group.passed} passed${bad}${cpu}`);
        group = undefined;
      });
      runner.on(EVENT_HOOK_BEGIN, (hook) => {
        note({ begins: placed(hook) });
      });
      runner.on(EVENT_TEST_BEGIN, (test) => {
        crashes = watchCrashes();
        note({ begins: placed(test) });
      });
      runner.on(EVENT_TEST_PASS, (test) => {
        note({ passed: ids.get(test) });
        if (group) group.passed++;
        group?.tests.push({ title: test.title, ms: test.duration ?? 0 });
        line('✓', test, ` (${seconds(test.duration ?? 0)})`);
      });
      runner.on(EVENT_TEST_FAIL, (test, error) => {
        const isHook = test.type === 'hook';
        const crashed = crashes();
        const failure = {
          ...placed(test),
          message: [messageOf(error), ...crashed].join('\n'),
          kind: crashed.length > 0 ? 'crash' : kindOf(test, error),
          load: loadavg()[0],
          tests: isHook ? notRun(test.parent, isWanted) : 1,
        };
        failures.push(failure);
        note({ failed: failure, id: isHook ? undefined : ids.get(test) });
        if (group) group.failed++;
        line('✗', test);
      });
      runner.on(EVENT_TEST_PENDING, (test) => {
        note({ skipped: ids.get(test) });
        if (group) group.skipped++;
        line('-', test);
      });
      runner.once(EVENT_RUN_END, () => {
        failures.forEach((failure, at) => write(describeFailure(failure, at + 1)));
        note({ over: true });
      });
    }
  };
}
