/** Databases that the main thread asks, and waits for. */
import { programMethod } from '../measure/platform.js';
import { formatNs } from '../measure/quantities.js';
import { intervalsIn, isWait, shareIn } from '../measure/scope.js';
import { IntervalState, type ThreadTrack } from '../model/trace.js';
import type { FindingContext } from './context.js';
import type { Finding, FindingRule } from './finding.js';
import { outermostCalls } from './outermost-calls.js';

const id = 'database';

/** Databases and the layers above them, of Android and Java. */
const classes =
  /^(android\.database|androidx\.(room|sqlite)|io\.(realm|objectbox)|java\.sql|javax\.(sql|persistence)|jakarta\.persistence|org\.(sqlite|h2|hsqldb|postgresql|mariadb|hibernate|apache\.derby)|com\.(mysql|zaxxer\.hikari|microsoft\.sqlserver)|oracle\.jdbc|net\.sqlcipher|net\.zetetic)\./;
/** Functions of SQLite, PostgreSQL and MySQL. */
const functions =
  /^(sqlite3_(step|exec|prepare\w*|open\w*|close\w*|get_table)|PQexec\w*|mysql_(real_)?query)\b/;

const isDatabase = (className: string, method: string): boolean =>
  className === '' ? functions.test(method) : classes.test(className);

export const database: FindingRule = {
  id,
  texts: {
    'finding.database.title': '{thread} is in the database for {time}, asked by {method}',
    'finding.database.explanation': 'It waited for {waited} of that, and worked for the rest.',
    'finding.database.nextStep':
      'Ask the database on another thread. If one query takes most of it, look for a missing index, or ask for fewer rows.',
  },
  find(context) {
    const outermost = outermostCalls(context.trace, isDatabase);
    if (outermost === undefined) return [];
    return context.awaitedThreads.flatMap((thread) => findingOf(context, thread, outermost));
  },
};

function findingOf(context: FindingContext, thread: ThreadTrack, outermost: Int32Array): Finding[] {
  const { trace, beginNs, endNs, lengthNs } = context;
  const { begin, end, path, state } = thread.intervals;
  const range = { threads: [], beginNs, endNs };
  const { first, last } = intervalsIn(thread, range, trace.endNs);
  const byCall = new Map<number, number>();
  let [ns, waitNs] = [0, 0];
  for (let row = first; row < last; row++) {
    const call = outermost[path[row] as number] as number;
    if (call === 0 || state[row] === IntervalState.Gap) continue;
    const [from, to] = [begin[row] as number, end[row] as number];
    const length = (to - from) * shareIn(from, to, range);
    ns += length;
    if (isWait(state[row] as number)) waitNs += length;
    byCall.set(call, (byCall.get(call) ?? 0) + length);
  }
  if (ns < context.leastNs) return [];
  const byMethod = new Map<number, number>();
  for (const [call, length] of byCall) {
    const method = programMethod(trace, trace.paths.parent[call] as number);
    byMethod.set(method, (byMethod.get(method) ?? 0) + length);
  }
  const [method = -1] = [...byMethod].sort((a, b) => b[1] - a[1])[0] ?? [];
  if (method < 0) return [];
  return [
    {
      id,
      severity: 'warning',
      title: {
        key: 'finding.database.title',
        values: {
          thread: `"${thread.name}"`,
          time: formatNs(ns),
          method: trace.methods.qualifiedName(method),
        },
      },
      explanation: { key: 'finding.database.explanation', values: { waited: formatNs(waitNs) } },
      nextStep: { key: 'finding.database.nextStep', values: {} },
      shareOfTime: ns / lengthNs,
      evidence: [{ thread: thread.index, beginNs, endNs, method }],
    },
  ];
}
