/**
 * Queries: how long until two million calls can be asked about, and how long each of five questions takes then, in the
 * native database. CPU time is that of all threads. Medians of five; `--quick` measures 100,000 calls once.
 */
import { databaseSettings, QuerySession } from '../../src/query/query-session.js';
import { openNative } from '../../src/query/native-engine.js';
import { RecordingDecoder, synthesize, type Trace } from '../../src/trace/index.js';
import { isQuick, say } from './figure.js';

/** A sample of these recordings makes 1.8 calls. */
const samples = isQuick ? 55_000 : 1_100_000;
const runs = isQuick ? 1 : 5;

async function made(seed: number): Promise<Trace> {
  const decoder = new RecordingDecoder();
  const write = (bytes: Uint8Array): Promise<void> => {
    decoder.append(bytes.slice());
    return Promise.resolve();
  };
  await synthesize({ write }, { seed, samples, methods: 5000, merge: false });
  decoder.finish();
  return decoder.trace();
}

const perPath = (sum: string): string =>
  `SELECT upid, stack_id, sum(${sum}) AS ns FROM call JOIN thread USING (utid) WHERE is_main_thread = 1 GROUP BY upid, stack_id`;
const regression = (sum: string): string =>
  `WITH f AS (${perPath(sum)}) SELECT n.stack_id, n.ns - b.ns AS more FROM f n JOIN f b USING (stack_id)
   WHERE n.upid = 2 AND b.upid = 1 AND more >= 10000000 ORDER BY more DESC LIMIT 20`;

const questions: Readonly<Record<string, string>> = {
  slow: `SELECT name, count(*), sum(dur) AS wall FROM slice WHERE dur >= 1500000 GROUP BY name ORDER BY wall DESC LIMIT 20`,
  'wall-regression': regression('dur'),
  'cpu-regression': regression('cpu'),
  new: `WITH f AS (${perPath('dur')}) SELECT stack_id, ns FROM f n WHERE upid = 2 AND ns >= 5000000
    AND NOT EXISTS (SELECT 1 FROM f b WHERE b.upid = 1 AND b.stack_id = n.stack_id) ORDER BY ns DESC LIMIT 20`,
  threads: `SELECT thread.name, sum(thread_dur) AS cpu FROM slice JOIN thread_track t ON t.id = track_id
    JOIN thread USING (utid) WHERE depth = 0 AND NOT is_main_thread GROUP BY thread.name ORDER BY cpu DESC LIMIT 5`,
};

interface Took {
  readonly ms: number;
  readonly cpuMs: number;
}

async function timed(work: () => Promise<unknown>): Promise<Took> {
  const [start, before] = [performance.now(), process.cpuUsage()];
  await work();
  const { user, system } = process.cpuUsage(before);
  return { ms: performance.now() - start, cpuMs: (user + system) / 1000 };
}

const middle = (all: readonly Took[], pick: keyof Took): number =>
  all.map((one) => one[pick]).sort((a, b) => a - b)[all.length >> 1] ?? NaN;

/** Half of the calls in each of two recordings, for what compares two; all in one for the others. */
const one = await made(1);
const calls = one.threads.reduce((sum, { calls: { count } }) => sum + count, 0);
say('query.calls', calls, 'calls');
const two = await made(2);
const loads: Took[] = [];
const asked = new Map<string, Took[]>(Object.keys(questions).map((name) => [name, []]));
for (let run = 0; run < runs; run++) {
  const engine = await openNative(databaseSettings);
  const single = await QuerySession.open(engine, [{ file: '1', trace: one }]);
  loads.push(await timed(() => single.query('SELECT count(*) FROM slice', 1)));
  for (const name of ['slow', 'threads'])
    asked.get(name)?.push(await timed(() => single.query(questions[name] ?? '', 100)));
  single.close();
}
const pair = await QuerySession.open(await openNative(databaseSettings), [
  { file: '1', trace: one },
  { file: '2', trace: two },
]);
await pair.query('SELECT count(*) FROM call JOIN thread USING (utid)', 1);
for (let run = 0; run < runs; run++)
  for (const name of ['wall-regression', 'cpu-regression', 'new'])
    asked.get(name)?.push(await timed(() => pair.query(questions[name] ?? '', 100)));
pair.close();
say('query.load.cpu', middle(loads, 'cpuMs'), 'ms', ['<=', 1500]);
say('query.load', middle(loads, 'ms'), 'ms');
for (const [name, all] of asked) {
  say(`query.${name}.cpu`, middle(all, 'cpuMs'), 'ms', ['<=', 150]);
  say(`query.${name}`, middle(all, 'ms'), 'ms');
}
