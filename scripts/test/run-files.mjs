// Runs test files in a process of their own, to its end or to its limit, and says what became of each test.
import { existsSync, mkdtempSync, readFileSync, readlinkSync, realpathSync, rmSync } from 'node:fs';
import { loadavg, tmpdir } from 'node:os';
import path from 'node:path';
import process from 'node:process';
import { run } from '../process.mjs';
import { root } from '../setup.mjs';
import { anyPort, javascriptStack } from './javascript-stack.mjs';
import { readJournal } from './journal.mjs';
import { leftovers, markName } from './leftovers.mjs';
import { counted } from './reaper.mjs';

const scripts = { mocha: 'scripts/test/mocha.mjs', host: 'test/rigs/vscode/extension-host.ts' };

/**
 * Runs the files of a suite. `grep`: the tests whose full title matches. `mark`: what the environment of all that it starts has, by
 * which `leftovers` finds it. A failure without `files` is none of a test, which could run again.
 */
export async function runFiles(suite, { files, grep, verbose, output, yields, limitMs, mark }) {
  const folder = mkdtempSync(path.join(tmpdir(), 'btrace-suite-'));
  const journal = path.join(folder, 'journal');
  const task = { files, journal, timeoutMs: suite.testMs, grep, verbose };
  let hang;
  try {
    const { code, error, cpuMs } = await run(
      ...counted(process.execPath, [
        ...[anyPort, '--import', 'tsx', path.join(root, suite.host ? scripts.host : scripts.mocha)],
        JSON.stringify(task),
      ]),
      {
        cwd: root,
        env: { ...process.env, [markName]: mark },
        output,
        limitMs,
        atLimit: async () => {
          hang = await describeProcesses(mark);
        },
        yields,
      },
    );
    const counts = readJournal(existsSync(journal) ? readFileSync(journal, 'utf8') : '');
    return {
      ...counts,
      failures: [...counts.failures, ...unfinished(suite, counts, code, error, hang)],
      cpuMs,
    };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** What failed beside the tests that said so. */
function unfinished(suite, { isOver, running, left, failures }, code, error, hang) {
  if (isOver) {
    if (code === (failures.length > 0 ? 1 : 0)) return [];
    const message = `its tests are over, but it did not end well: ${error ?? `exit code ${code}`}`;
    return [{ title: '', message, kind: 'left behind' }];
  }
  if (hang === undefined) {
    const message = `the suite ended before its last test: ${error ?? `exit code ${code}`}, in ${running?.title ?? 'no test'}`;
    return [{ title: '', message, kind: 'crash' }];
  }
  const at = running?.title ?? 'its files';
  const message = `The suite hung in: ${at}\n${error}\n${hang}`;
  // A hook that hangs is none of the tests that are left.
  const isHook = running !== undefined && !left.some(({ title }) => title === running.title);
  const all = isHook && left.length === 0 ? [running] : left;
  if (all.length === 0) return [{ title: '', message, kind: 'hang' }];
  return all.map((test) => ({
    ...test,
    message: test.title === running?.title ? message : `It did not run: the suite hung in: ${at}`,
    load: loadavg()[0],
    tests: 1,
  }));
}

/** What ran when a suite was ended, and where in its JavaScript the tests' process was. */
async function describeProcesses(mark) {
  const processes = leftovers(mark);
  const lines = processes.map(({ pid, command }) => `${pid} ${stateOf(pid)} ${command.slice(0, 200)}`);
  const tests = processes.find(({ pid, command }) => command.includes(scripts.mocha) && isNode(pid));
  if (tests !== undefined) lines.push(`The JavaScript of ${tests.pid}:`, await javascriptStack(tests.pid));
  return ['Its processes:', ...lines].join('\n');
}

/** And not what stands between. */
function isNode(pid) {
  try {
    return readlinkSync(`/proc/${pid}/exe`) === realpathSync(process.execPath);
  } catch {
    return false;
  }
}

/** Running, sleeping, stopped …, and where in the kernel. */
function stateOf(pid) {
  try {
    const state = /^State:\s+(\S)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
    return `${state} ${readFileSync(`/proc/${pid}/wchan`, 'utf8')}`.trim();
  } catch {
    return 'ended';
  }
}
