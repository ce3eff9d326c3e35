/** The questions that published start-up tools answer by SQL, over traces with planted answers: F42 and F78 to F84. */
import assert from 'node:assert/strict';
import { statesOf } from '../../../src/trace/measure/scheduling.js';
import { SchedState } from '../../../src/trace/system/kernel-sink.js';
import { decoded } from '../trace/recordings.js';
import { scheduledRecording } from '../trace/scheduled-recording.js';
import { imported, type KnownCall, rowsOf, traceOf } from './queried.js';

const started: readonly KnownCall[] = [
  { name: 'Application.onCreate', at: 0, lasts: 100 },
  { name: 'Config.load', at: 5, lasts: 20, waits: 17 },
  { name: 'Fonts.read', at: 30, lasts: 4 },
  { name: 'Cart.open', at: 40, lasts: 30 },
  { name: 'Index.build', at: 0, lasts: 90, waits: 10, tid: 101 },
  { name: 'Image.decode', at: 0, lasts: 95, waits: 75, tid: 102 },
  { name: 'Log.flush', at: 0, lasts: 95, waits: 90, tid: 103 },
];
/** Config.load 12 ms longer and without more CPU; Cart.open 15 ms CPU more; Ads.start new, 8 ms; Tips.show new, 3 ms. */
const changed: readonly KnownCall[] = [
  { name: 'Application.onCreate', at: 0, lasts: 140 },
  { name: 'Config.load', at: 5, lasts: 32, waits: 29 },
  { name: 'Fonts.read', at: 40, lasts: 9 },
  { name: 'Cart.open', at: 50, lasts: 45 },
  { name: 'Ads.start', at: 100, lasts: 8 },
  { name: 'Tips.show', at: 110, lasts: 3 },
  { name: 'Index.build', at: 0, lasts: 90, waits: 10, tid: 101 },
];

/** By file and place of the call tree, on the main thread. */
const perPath = (sum: string): string => `
  SELECT process.upid AS run, stack_id, any_value(slice.name) AS name, sum(${sum}) / 1000000 AS ms
  FROM slice JOIN thread_track ON slice.track_id = thread_track.id JOIN thread USING (utid) JOIN process USING (upid)
  WHERE is_main_thread = 1 GROUP BY process.upid, stack_id`;

const regression = (sum: string): string => `
  WITH figures AS (${perPath(sum)})
  SELECT now.name, before.ms AS was, now.ms AS is_now
  FROM figures now JOIN figures before ON before.stack_id = now.stack_id AND before.run = 1
  WHERE now.run = 2 AND now.ms - before.ms >= 10 ORDER BY now.ms - before.ms DESC`;

describe('queries in Perfetto’s words', () => {
  it('join process, thread, thread_track and slice, in ns (F78)', async () => {
    const rows = await rowsOf(
      `SELECT process.name IS NOT NULL, thread.name, slice.ts, slice.dur, slice.depth, slice.category, slice.arg_set_id,
         parent.name
       FROM slice JOIN thread_track ON slice.track_id = thread_track.id
       JOIN thread ON thread.utid = thread_track.utid JOIN process ON process.upid = thread.upid
       LEFT JOIN slice parent ON parent.id = slice.parent_id
       WHERE slice.name IN ('Config.load', 'Index.build') ORDER BY slice.name`,
      traceOf(started),
    );
    assert.deepEqual(rows, [
      [true, 'main', 5e6, 20e6, 1, null, null, 'Application.onCreate'],
      [true, 'worker-1', 0, 90e6, 0, null, null, null],
    ]);
  });

  it('list slow methods over a threshold (F79)', async () => {
    const rows = await rowsOf(
      'SELECT name, dur / 1000000 AS ms FROM slice WHERE dur >= 25000000 ORDER BY dur DESC, name',
      traceOf(started),
    );
    assert.deepEqual(rows, [
      ['Application.onCreate', 100],
      ['Image.decode', 95],
      ['Log.flush', 95],
      ['Index.build', 90],
      ['Cart.open', 30],
    ]);
  });

  it('find what takes 10 ms more of the main thread’s time (F80)', async () => {
    const rows = await rowsOf(regression('dur'), traceOf(started), traceOf(changed));
    assert.deepEqual(rows, [
      ['Application.onCreate', 100, 140],
      ['Cart.open', 30, 45],
      ['Config.load', 20, 32],
    ]);
  });

  it('find what takes 10 ms more of its CPU time (F81)', async () => {
    const rows = await rowsOf(regression('thread_dur'), traceOf(started), traceOf(changed));
    assert.deepEqual(rows, [
      ['Application.onCreate', 83, 111],
      ['Cart.open', 30, 45],
    ]);
  });

  it('find new calls of 5 ms and more (F82)', async () => {
    const rows = await rowsOf(
      `WITH figures AS (${perPath('dur')})
       SELECT name, ms FROM figures now WHERE run = 2 AND ms >= 5
       AND NOT EXISTS (SELECT 1 FROM figures before WHERE before.run = 1 AND before.stack_id = now.stack_id)`,
      traceOf(started),
      traceOf(changed),
    );
    assert.deepEqual(rows, [['Ads.start', 8]]);
  });

  it('list the background threads with the most CPU time (F83)', async () => {
    const rows = await rowsOf(
      `SELECT thread.name, sum(thread_dur) / 1000000 AS ms FROM slice
       JOIN thread_track ON slice.track_id = thread_track.id JOIN thread USING (utid)
       WHERE depth = 0 AND NOT is_main_thread GROUP BY thread.name ORDER BY ms DESC LIMIT 2`,
      traceOf(started),
    );
    assert.deepEqual(rows, [
      ['worker-1', 80],
      ['worker-2', 20],
    ]);
  });

  it('sum the main thread’s waits for locks by owner (F84)', async () => {
    const contention = (owner: string): string =>
      `monitor contention with owner ${owner} (102) at void Db.insert()(Db.java:7) waiters=0 blocking from x`;
    const rows = await rowsOf(
      `SELECT regexp_extract(name, 'owner (\\S+)', 1) AS owner, count(*) AS n, sum(dur) / 1000000 AS ms
       FROM thread_slice WHERE is_main_thread AND name LIKE 'monitor contention%' GROUP BY owner ORDER BY ms DESC`,
      traceOf([
        { name: 'Main.draw', at: 0, lasts: 90 },
        { name: contention('db'), at: 10, lasts: 20, waits: 20 },
        { name: contention('db'), at: 40, lasts: 15, waits: 15 },
        { name: contention('net'), at: 60, lasts: 5, waits: 5 },
        { name: contention('net'), at: 0, lasts: 70, waits: 70, tid: 105 },
      ]),
    );
    assert.deepEqual(rows, [
      ['db', 2, 35],
      ['net', 1, 5],
    ]);
  });

  it('find a call’s CPU time by its overlap with the thread’s stretches on a CPU (F42)', async () => {
    const at = (ms: number, what: string, tid = 100): string =>
      `  app-${tid} (100) [003] .... ${(1 + ms / 1000).toFixed(6)}: ${what}`;
    const off = (state: string): string =>
      `sched_switch: prev_comm=app prev_pid=100 prev_prio=120 prev_state=${state} ==> next_comm=swapper/0 next_pid=0 next_prio=120`;
    const on =
      'sched_switch: prev_comm=swapper/0 prev_pid=0 prev_prio=120 prev_state=R ==> next_comm=app next_pid=100 next_prio=110';
    const trace = imported(
      [
        '# tracer: nop',
        at(0, on),
        at(10, 'tracing_mark_write: B|100|load'),
        at(14, off('S')),
        at(30, on),
        at(37, off('R')),
        at(38, on),
        at(40, 'tracing_mark_write: E|100'),
        at(45, off('S')),
        '',
      ].join('\n'),
    );
    const rows = await rowsOf(
      `SELECT slice.name, slice.dur, slice.thread_dur,
         sum(least(s.ts + s.dur, slice.ts + slice.dur) - greatest(s.ts, slice.ts)) AS overlap
       FROM slice JOIN thread_track ON slice.track_id = thread_track.id
       JOIN sched_slice s ON s.utid = thread_track.utid AND s.ts < slice.ts + slice.dur AND s.ts + s.dur > slice.ts
       GROUP BY ALL`,
      trace,
    );
    assert.deepEqual(rows, [['load', 30e6, 13e6, 13e6]]);
    const ends = await rowsOf(
      'SELECT end_state, dur, cpu, priority FROM sched_slice ORDER BY ts LIMIT 2',
      trace,
    );
    assert.deepEqual(ends, [
      ['S', 14e6, 3, 110],
      ['R', 7e6, 3, 110],
    ]);
    const states = await rowsOf('SELECT state, sum(dur) FROM thread_state GROUP BY 1 ORDER BY 1', trace);
    assert.deepEqual(states, [
      ['R', 1e6],
      ['Running', 28e6],
      ['S', 16e6],
    ]);
  });

  it('find who woke the main thread, on which cores, also beside a recording', async () => {
    const { scheduled } = await scheduledRecording(400, { samples: 200, threads: 3 });
    const trace = decoded(scheduled);
    const states = statesOf(trace.system!, trace);
    const main = trace.threads.find(({ isMain }) => isMain)!;
    const of = states.get(main.tid)!;
    const rows = await rowsOf(
      `SELECT s.ts, s.dur, s.cpu FROM sched_slice s JOIN thread USING (utid) WHERE is_main_thread ORDER BY 1`,
      trace,
    );
    const expected = Array.from({ length: of.count }, (_, row) => row)
      .filter((row) => of.state[row] === SchedState.Running)
      .map((row) => [of.begin[row]!, of.end[row]! - of.begin[row]!, of.core[row]!]);
    assert.ok(rows.length > 5);
    assert.deepEqual(rows, expected);
    const [woken] = await rowsOf(
      `SELECT count(*) FROM thread_state WHERE waker_utid IN (SELECT utid FROM thread) AND state = 'S'`,
      trace,
    );
    const wakers = trace.threads.flatMap(({ tid }) => {
      const one = states.get(tid);
      return [...(one?.waker.subarray(0, one.count) ?? [])].filter((waker, row) => {
        return (
          one!.state[row] === SchedState.Sleeping && trace.threads.some((thread) => thread.tid === waker)
        );
      });
    });
    assert.deepEqual(woken, [wakers.length]);
  });

  it('list sections of the system’s trace beside a recording', async () => {
    const program = { samples: 200, threads: 2, depth: 4, methods: 20 };
    const trace = decoded((await scheduledRecording(500, program, ['doFrame', 'draw'])).scheduled);
    const rows = await rowsOf(
      'SELECT section.name, section.depth, thread.name, dur FROM section JOIN thread USING (utid) ORDER BY depth',
      trace,
    );
    const lasts = trace.endNs - trace.beginNs;
    assert.deepEqual(rows, [
      ['doFrame', 0, 'main', lasts],
      ['draw', 1, 'main', lasts - 2],
    ]);
  });
});
