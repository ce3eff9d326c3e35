/** The tables that a query names: views over the schema `raw`. In Perfetto's words where it has them, so that its queries run. */
import { SampleKind } from '../trace/model/kinds.js';
import { IntervalState } from '../trace/model/trace.js';

export interface QueryTable {
  readonly name: string;
  readonly about: string;
  /** Whether Perfetto has a table of this name. */
  readonly isPerfetto: boolean;
  readonly columns: readonly (readonly [name: string, about: string])[];
  /** The raw tables that it reads. */
  readonly needs: readonly string[];
  readonly sql: string;
}

/** "SyncToDisk" → "sync to disk". */
const spaced = (name: string): string => name.replace(/(?<=[a-z])(?=[A-Z])/g, ' ').toLowerCase();

function worded(column: string, words: Readonly<Record<string, number>>): string {
  const cases = Object.entries(words).map(([name, value]) => `WHEN ${value} THEN '${spaced(name)}'`);
  return `CASE ${column} ${cases.join(' ')} ELSE 'other' END`;
}

const orNull = (column: string): string => `NULLIF(${column}, -1)`;
const textOrNull = (column: string): string => `NULLIF(${column}, '')`;

const ts = ['ts', 'begin, ns after the begin of the recording'] as const;
const dur = ['dur', 'length, ns'] as const;
const utid = ['utid', 'the thread: thread.utid'] as const;
const methodId = ['method_id', 'method.id'] as const;
const path = ['path_id', 'place in the call tree: path.id'] as const;

export const queryTables: readonly QueryTable[] = [
  {
    name: 'process',
    about: 'one row a recording',
    isPerfetto: true,
    columns: [
      ['id', 'as upid'],
      ['upid', 'the process, unique over all files of a query'],
      ['pid', 'as the system numbers it'],
      ['name', 'the program'],
      ['start_ts', 'begin of the recording, ns'],
      ['end_ts', 'end of the recording, ns'],
    ],
    needs: ['process'],
    sql: `SELECT upid AS id, upid, pid, name, begin_ts AS start_ts, end_ts FROM raw.process`,
  },
  {
    name: 'thread',
    about: 'one row a thread',
    isPerfetto: true,
    columns: [
      ['id', 'as utid'],
      ['utid', 'the thread, unique over all files of a query'],
      ['tid', 'as the system numbers it'],
      ['name', ''],
      ['upid', 'process.upid'],
      ['is_main_thread', '1 or 0'],
      ['start_ts', 'when it was first seen, ns'],
      ['end_ts', 'when it was last seen, ns'],
      ['creator_utid', 'who made it, where known'],
    ],
    needs: ['thread'],
    sql: `SELECT utid AS id, utid, tid, name, upid, is_main AS is_main_thread, begin_ts AS start_ts, end_ts,
      ${orNull('creator')} AS creator_utid FROM raw.thread`,
  },
  {
    name: 'thread_track',
    about: 'one row a thread: what slices lie on',
    isPerfetto: true,
    columns: [
      ['id', 'slice.track_id'],
      ['name', 'of the thread'],
      ['utid', 'thread.utid'],
    ],
    needs: ['thread'],
    sql: 'SELECT utid AS id, name, utid FROM raw.thread',
  },
  {
    name: 'slice',
    about: 'one row a call, with its name; `call` is the same by numbers alone, and faster',
    isPerfetto: true,
    columns: [
      ['id', 'call.id'],
      ts,
      dur,
      ['track_id', 'thread_track.id'],
      ['category', 'always NULL'],
      ['name', 'the method'],
      ['depth', '0 for outermost calls'],
      ['parent_id', 'the calling slice, NULL for outermost ones'],
      ['arg_set_id', 'always NULL'],
      ['thread_ts', 'always NULL'],
      ['thread_dur', 'CPU time, ns'],
      ['stack_id', 'the chain of methods from the root; the same in all files'],
    ],
    needs: ['call', 'method'],
    sql: `SELECT c.id, c.ts, c.dur, c.utid AS track_id, NULL::VARCHAR AS category, m.name, c.depth,
      ${orNull('c.parent_id')} AS parent_id, NULL::INTEGER AS arg_set_id, NULL::BIGINT AS thread_ts,
      c.cpu AS thread_dur, c.stack_id
      FROM raw.call c JOIN raw.method m ON m.id = c.method_id`,
  },
  {
    name: 'thread_slice',
    about: 'slices with their thread and process, as in Perfetto’s module slices.with_context',
    isPerfetto: true,
    columns: [
      ['id', 'call.id'],
      ts,
      dur,
      ['name', 'the method'],
      ['track_id', 'thread_track.id'],
      ['depth', '0 for outermost calls'],
      ['parent_id', 'the calling slice'],
      ['thread_dur', 'CPU time, ns'],
      utid,
      ['tid', 'as the system numbers it'],
      ['thread_name', ''],
      ['is_main_thread', '1 or 0'],
      ['upid', 'process.upid'],
      ['pid', ''],
      ['process_name', ''],
    ],
    needs: ['call', 'method', 'thread', 'process'],
    sql: `SELECT c.id, c.ts, c.dur, m.name, c.utid AS track_id, c.depth, ${orNull('c.parent_id')} AS parent_id,
      c.cpu AS thread_dur, c.utid, t.tid, t.name AS thread_name, t.is_main AS is_main_thread, t.upid, p.pid,
      p.name AS process_name
      FROM raw.call c JOIN raw.method m ON m.id = c.method_id JOIN raw.thread t ON t.utid = c.utid
      JOIN raw.process p ON p.upid = t.upid`,
  },
  {
    name: 'sched_slice',
    about: 'stretches on a CPU, where the scheduler’s switches are in the file',
    isPerfetto: true,
    columns: [
      ['id', ''],
      ts,
      dur,
      utid,
      ['cpu', 'which core'],
      ['end_state', 'S: went to sleep, D: uninterruptibly, R: was taken off'],
      [
        'priority',
        'as the kernel counts: 120 is nice 0, below 100 is real time; NULL where the file lacks it',
      ],
    ],
    needs: ['thread_state'],
    sql: `SELECT row_number() OVER () - 1 AS id, ts, dur, utid, ${orNull('cpu')} AS cpu,
      ${textOrNull('next_state')} AS end_state, nullif(priority, -2) AS priority FROM raw.thread_state WHERE state = 'Running'`,
  },
  {
    name: 'thread_state',
    about: 'what threads did, where the scheduler’s switches are in the file',
    isPerfetto: true,
    columns: [
      ['id', ''],
      ts,
      dur,
      utid,
      ['cpu', 'which core it ran on'],
      ['state', 'Running; R: ready, but no core was free; S: asleep; D: uninterruptibly'],
      ['io_wait', '1: uninterruptible, and for a disk'],
      ['waker_utid', 'who ended its sleep, of the threads of the file'],
    ],
    needs: ['thread_state'],
    sql: `SELECT row_number() OVER () - 1 AS id, ts, dur, utid, ${orNull('cpu')} AS cpu, state,
      ${orNull('io_wait')} AS io_wait, ${orNull('waker_utid')} AS waker_utid FROM raw.thread_state`,
  },
  {
    name: 'section',
    about: 'one row a section of the system’s trace that was recorded beside a program, of all programs',
    isPerfetto: false,
    columns: [
      ['id', ''],
      ts,
      dur,
      ['name', 'as it was written'],
      ['depth', '0 for outermost ones'],
      ['utid', 'thread.utid; NULL of threads of other programs'],
      ['tid', 'as the system numbers it; 0 of sections that are on no thread'],
      ['pid', ''],
      ['thread_name', 'with its program, where there are several'],
    ],
    needs: ['section'],
    sql: `SELECT row_number() OVER () - 1 AS id, ts, dur, name, depth, ${orNull('utid')} AS utid, tid, pid, thread_name
      FROM raw.section`,
  },
  {
    name: 'actual_frame_timeline_slice',
    about: 'one row a frame of an app, of traces of Android 12 and newer',
    isPerfetto: true,
    columns: [
      ['id', ''],
      ts,
      dur,
      ['upid', 'process.upid'],
      ['pid', 'of the app, as the system numbers it'],
      ['surface_frame_token', 'the same for a frame’s expected time'],
      ['jank_type', 'why it was late, as the system judges, in Perfetto’s words'],
      ['late', 'after its deadline, ns; below 0 before it; NULL where none is known'],
    ],
    needs: ['frame'],
    sql: `SELECT row_number() OVER () - 1 AS id, ts, dur, upid, pid, token AS surface_frame_token,
      ${textOrNull('jank_type')} AS jank_type, CASE WHEN has_deadline = 1 THEN late END AS late FROM raw.frame`,
  },
  {
    name: 'counter',
    about: 'values over time',
    isPerfetto: true,
    columns: [['track_id', 'counter_track.id'], ts, ['value', 'in counter_track.unit']],
    needs: ['counter'],
    sql: 'SELECT track_id, ts, value FROM raw.counter',
  },
  {
    name: 'counter_track',
    about: 'what is counted',
    isPerfetto: true,
    columns: [
      ['id', 'counter.track_id'],
      ['name', ''],
      ['unit', ''],
      ['upid', 'process.upid'],
    ],
    needs: ['counter_track'],
    sql: `SELECT id, name, ${textOrNull('unit')} AS unit, upid FROM raw.counter_track`,
  },
  {
    name: 'trace',
    about: 'one row a file',
    isPerfetto: false,
    columns: [
      ['id', 'as process.upid'],
      ['file', 'its name'],
      ['format', ''],
      ['target', 'the program'],
      ['runtime', ''],
      ['device', ''],
      ['build', 'build id'],
      ['begin_ts', 'ns'],
      ['end_ts', 'ns'],
      ['samples', 'that the agent took'],
      ['dropped', 'that it lost'],
      ['is_whole', '0 where the file was cut off or only a part was loaded'],
    ],
    needs: ['trace'],
    sql: `SELECT id, file, format, target, ${textOrNull('runtime')} AS runtime, ${textOrNull('device')} AS device,
      ${textOrNull('build')} AS build, begin_ts, end_ts, ${orNull('samples')} AS samples,
      ${orNull('dropped')} AS dropped, is_whole FROM raw.trace`,
  },
  {
    name: 'call',
    about: 'one row a call of a method, rebuilt from samples or exact',
    isPerfetto: false,
    columns: [
      ['id', 'unique over all files of a query'],
      ts,
      dur,
      ['cpu', 'CPU time with all that it called, ns'],
      utid,
      methodId,
      path,
      ['parent_id', 'the calling call, NULL for outermost ones'],
      ['depth', '0 for outermost calls'],
      ['stack_id', 'the chain of methods from the root; the same in all files'],
    ],
    needs: ['call'],
    sql: `SELECT id, ts, dur, cpu, utid, method_id, path_id, ${orNull('parent_id')} AS parent_id, depth, stack_id
      FROM raw.call`,
  },
  {
    name: 'sample',
    about: 'one row an interval: the time that a sample, or equal ones in a row, stand for',
    isPerfetto: false,
    columns: [
      ['id', ''],
      ts,
      dur,
      ['cpu', 'CPU time, ns'],
      utid,
      path,
      ['method_id', 'the innermost method, NULL outside of all'],
      ['state', "'evidence', 'inferred wait', 'wait' or 'gap'"],
      ['samples', 'captures that it stands for'],
      ['allocations', ''],
      ['allocated_bytes', ''],
      ['faults', 'page faults'],
      ['switches', 'context switches'],
    ],
    needs: ['sample'],
    sql: `SELECT id, ts, dur, cpu, utid, path_id, ${orNull('method_id')} AS method_id,
      ${worded('state', IntervalState)} AS state, samples, allocations, allocated_bytes, faults, switches
      FROM raw.sample`,
  },
  {
    name: 'gap',
    about: 'time without evidence: nobody’s',
    isPerfetto: false,
    columns: [ts, dur, utid],
    needs: ['sample'],
    sql: `SELECT ts, dur, utid FROM raw.sample WHERE state = ${IntervalState.Gap}`,
  },
  {
    name: 'wait',
    about: 'one row a wait',
    isPerfetto: false,
    columns: [
      ts,
      dur,
      utid,
      ['kind', "'monitor', 'park', 'sleep', 'io', …"],
      path,
      ['method_id', 'the innermost method'],
      ['object', 'which lock, by number'],
      ['object_class', 'its class'],
      ['owner_utid', 'who held the lock when the wait began'],
      ['link_id', 'who ended it: link.id'],
      ['is_open', '1: it had not ended with the recording'],
      ['method_line', 'in method_id, where the trace says it'],
      ['owner_method_id', 'where the owner took the lock, where the trace says it'],
      ['owner_line', 'in owner_method_id'],
    ],
    needs: ['wait'],
    sql: `SELECT ts, dur, utid, ${worded('kind', SampleKind)} AS kind, ${orNull('path_id')} AS path_id,
      ${orNull('method_id')} AS method_id, NULLIF(object, 0) AS object, ${textOrNull('object_class')} AS object_class,
      ${orNull('owner_utid')} AS owner_utid, ${orNull('link_id')} AS link_id, (flags >> 7) & 1 AS is_open,
      NULLIF(line, 0) AS method_line, ${orNull('owner_method_id')} AS owner_method_id, NULLIF(owner_line, 0) AS owner_line
      FROM raw.wait`,
  },
  {
    name: 'link',
    about: 'one row a wake-up: waker → waiter',
    isPerfetto: false,
    columns: [
      ['id', 'wait.link_id'],
      ['waiter_utid', ''],
      ['waiter_ts', 'ns'],
      ['waker_utid', ''],
      ['waker_ts', 'ns'],
      ['certainty', '0 observed, 1 by the object, 2 the owner when the wait began'],
    ],
    needs: ['link'],
    sql: `SELECT id, waiter_utid, waiter_ts, waker_utid, waker_ts, certainty FROM raw.link`,
  },
  {
    name: 'message',
    about: 'one row a loop message',
    isPerfetto: false,
    columns: [
      ['id', 'as the recording counts them, for each thread'],
      ts,
      dur,
      ['cpu', 'ns'],
      ['wait', 'of its time, in waits, ns'],
      utid,
      ['method_id', 'the innermost method that at least half of its time was in'],
    ],
    needs: ['message'],
    sql: `SELECT id, ts, dur, cpu, wait, utid, ${orNull('method_id')} AS method_id FROM raw.message`,
  },
  {
    name: 'method',
    about: 'one row a method of a file',
    isPerfetto: false,
    columns: [
      ['id', ''],
      ['name', 'with its class, as it was written'],
      ['class', ''],
      ['method', 'without its class'],
      ['signature', ''],
      ['file', 'its source file'],
      ['line', 'its first line'],
      ['kind', '0 managed, 1 its native methods, 2 native, 3 stub'],
    ],
    needs: ['method'],
    sql: `SELECT id, name, ${textOrNull('class')} AS class, method, ${textOrNull('signature')} AS signature,
      ${textOrNull('file')} AS file, NULLIF(line, 0) AS line, kind FROM raw.method`,
  },
  {
    name: 'path',
    about: 'one row a node of the call tree',
    isPerfetto: false,
    columns: [
      ['id', ''],
      ['parent_id', 'the path above it, NULL for outermost ones'],
      methodId,
      ['depth', '0 for outermost ones'],
      ['stack_id', 'the chain of methods from the root; the same in all files'],
    ],
    needs: ['path'],
    sql: `SELECT id, ${orNull('parent_id')} AS parent_id, method_id, depth, stack_id FROM raw.path`,
  },
  {
    name: 'line',
    about: 'one row a source line that was seen',
    isPerfetto: false,
    columns: [
      methodId,
      ['file', 'its source file'],
      ['line', 'from 1'],
      ['self_wall', 'ns'],
      ['total_wall', 'with what it called, ns'],
      ['self_cpu', 'ns'],
      ['total_cpu', 'ns'],
      ['self_bytes', 'allocated'],
      ['total_bytes', 'allocated'],
    ],
    needs: ['line', 'method'],
    sql: `SELECT l.method_id, ${textOrNull('m.file')} AS file, l.line, l.self_wall, l.total_wall, l.self_cpu, l.total_cpu,
      l.self_bytes, l.total_bytes FROM raw.line l JOIN raw.method m ON m.id = l.method_id`,
  },
  {
    name: 'event',
    about: 'markers, and other samples with something to say beyond their stack',
    isPerfetto: false,
    columns: [
      ts,
      utid,
      ['kind', "'marker', 'allocation', 'thread start', …"],
      ['method_id', 'the innermost method'],
      ['text', 'of a marker, or the name of a counter of the program'],
      ['object_class', 'of an allocation'],
      ['value', 'of a counter of the program, from then on'],
    ],
    needs: ['event'],
    sql: `SELECT ts, utid, ${worded('kind', SampleKind)} AS kind, ${orNull('method_id')} AS method_id,
      ${textOrNull('text')} AS text, ${textOrNull('object_class')} AS object_class,
      ${orNull('value')} AS value FROM raw.event`,
  },
];

/** Perfetto's functions that its published queries use. */
export const macros: readonly string[] = [
  'CREATE MACRO trace_start() AS (SELECT min(begin_ts) FROM raw.trace)',
  'CREATE MACRO trace_end() AS (SELECT max(end_ts) FROM raw.trace)',
  'CREATE MACRO trace_dur() AS (SELECT max(end_ts) - min(begin_ts) FROM raw.trace)',
  'CREATE MACRO extract_arg(arg_set, name) AS NULL::VARCHAR',
  'CREATE MACRO iif(condition, yes, no) AS CASE WHEN condition THEN yes ELSE no END',
];

/** What the views and macros read that a text may mention by any name. */
export function neededTables(sql: string): Set<string> {
  const needed = new Set<string>();
  const words = new Set(sql.toLowerCase().match(/\w+/g));
  // A table can be named by a text: query('FROM call'), query_table('call').
  const isAny = words.has('query') || words.has('query_table');
  for (const { name, needs } of queryTables)
    if (isAny || words.has(name)) for (const table of needs) needed.add(table);
  if (words.has('raw') || isAny)
    for (const { needs } of queryTables) for (const table of needs) needed.add(table);
  if (words.has('trace_start') || words.has('trace_end') || words.has('trace_dur')) needed.add('trace');
  return needed;
}
