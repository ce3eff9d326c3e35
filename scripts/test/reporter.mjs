// What a suite prints: a line for each top-level describe; what failed, in full, at the end; every test with --verbose.
import { existsSync, readFileSync } from 'node:fs';
import process from 'node:process';
import Mocha from 'mocha';

const {
  EVENT_RUN_END,
  EVENT_SUITE_BEGIN,
  EVENT_SUITE_END,
  EVENT_TEST_FAIL,
  EVENT_TEST_PASS,
  EVENT_TEST_PENDING,
} = Mocha.Runner.constants;

const seconds = (ms) => (ms < 1000 ? `${Math.round(ms)} ms` : `${(ms / 1000).toFixed(1)} s`);

/** What this process has worked, and those of its children that ended: of a group, the children that end in it. */
function cpuMs() {
  const { user, system } = process.cpuUsage();
  const own = (user + system) / 1000;
  if (!existsSync('/proc/self/stat')) return own;
  const stat = readFileSync('/proc/self/stat', 'latin1');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return own + (Number(fields[13]) + Number(fields[14])) * 10; // cutime and cstime, in 1/100 s
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
  return (
    stack
      .split('\n')
      .filter((line) => !/node_modules\/mocha|node:internal/.test(line))
      .join('\n') + diff
  );
}

/** A mocha reporter class. `write` takes finished lines; `done` takes {passed, failed, skipped: [title], failures: [{title, message}]}. */
export function reporterFor({ verbose = false, write, done }) {
  return class {
    constructor(runner) {
      const counts = { passed: 0, failed: 0, skipped: [], failures: [], groups: [] };
      let group;
      const line = (mark, test, extra = '') => verbose && write(`    ${mark} ${test.fullTitle()}${extra}`);
      runner.on(EVENT_SUITE_BEGIN, (suite) => {
        if (suite.parent?.root)
          group = { began: performance.now(), cpuMs: cpuMs(), passed: 0, failed: 0, skipped: 0, tests: [] };
      });
      runner.on(EVENT_SUITE_END, (suite) => {
        if (!suite.parent?.root || !group) return;
        const took = seconds(performance.now() - group.began).padStart(7);
        const worked = cpuMs() - group.cpuMs;
        counts.groups.push({
          title: suite.title,
          ms: Math.round(performance.now() - group.began),
          cpuMs: Math.round(worked),
          tests: group.tests,
        });
        const bad =
          (group.failed ? `, ${group.failed} FAILED` : '') +
          (group.skipped ? `, ${group.skipped} skipped` : '');
        const cpu = worked >= 1000 ? `, ${seconds(worked)} of the processors` : '';
        write(`  ${suite.title.slice(0, 58).padEnd(58)} ${took}  ${group.passed} passed${bad}${cpu}`);
        group = undefined;
      });
      runner.on(EVENT_TEST_PASS, (test) => {
        counts.passed++;
        if (group) group.passed++;
        group?.tests.push({ title: test.title, ms: test.duration ?? 0 });
        line('✓', test, ` (${seconds(test.duration ?? 0)})`);
      });
      runner.on(EVENT_TEST_FAIL, (test, error) => {
        counts.failed++;
        if (group) group.failed++;
        counts.failures.push({ title: test.fullTitle(), message: messageOf(error) });
        line('✗', test);
      });
      runner.on(EVENT_TEST_PENDING, (test) => {
        counts.skipped.push(test.fullTitle());
        if (group) group.skipped++;
        line('-', test);
      });
      runner.once(EVENT_RUN_END, () => {
        counts.failures.forEach((failure, at) => write(describeFailure(failure, at + 1)));
        done(counts);
      });
    }
  };
}
