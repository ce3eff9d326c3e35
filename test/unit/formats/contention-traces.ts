/** A phone's trace in which the main thread waits for a lock three times, as text and as Perfetto's packets. */
import { encoded, type Packet } from './perfetto-traces.js';

export const owned = 'void com.example.Cart.update(com.example.Item, int)(Cart.kt:30)';
export const blocked = 'com.example.Item com.example.Cart.find(long)(Cart.kt:66)';
export const monitorText = `monitor contention with owner DefaultDispatcher-worker-3 (12) at ${owned} waiters=0 blocking from ${blocked}`;
export const lockText = 'Lock contention on InternTable lock (owner tid: 202)';

const ms = 1_000_000;
const main = 200;
/** The kernel has the last letters of its name, and the text above the runtime's own number of it. */
const worker = { tid: 201, name: 'atcher-worker-3' };
const pool = { tid: 202, name: 'pool-1' };
const names = new Map([
  [main, '.example.shop'],
  [worker.tid, worker.name],
  [pool.tid, pool.name],
  [0, 'idle'],
]);

/** Time in ms, the thread, and what it printed, or what was switched or woken. */
type Line =
  | readonly [time: number, tid: number, 'print', text: string]
  | readonly [time: number, tid: number, 'switch', state: 'S' | 'R', next: number]
  | readonly [time: number, tid: number, 'waking', woken: number]
  | readonly [time: number, tid: number, 'frequency', kHz: number];

const lines: readonly Line[] = [
  [0, 0, 'switch', 'R', main],
  [0, 0, 'switch', 'R', worker.tid],
  [0, 0, 'frequency', 1_800_000],
  [1, main, 'print', `B|${main}|doFrame`],
  [1, worker.tid, 'print', `B|${main}|load`],
  [1, pool.tid, 'print', `B|${main}|job`],
  [10, main, 'print', `B|${main}|${monitorText}`],
  [11, main, 'switch', 'S', 0],
  [39, worker.tid, 'waking', main],
  [40, 0, 'switch', 'R', main],
  [41, main, 'print', `E|${main}`],
  [50, main, 'print', `B|${main}|${lockText}`],
  [50, main, 'switch', 'S', 0],
  [60, 0, 'frequency', 900_000],
  [69, pool.tid, 'waking', main],
  [70, 0, 'switch', 'R', main],
  [70, main, 'print', `E|${main}`],
  [80, main, 'print', `E|${main}`],
  [90, worker.tid, 'print', `E|${main}`],
  [90, pool.tid, 'print', `E|${main}`],
  [95, worker.tid, 'switch', 'S', 0],
  [100, main, 'switch', 'S', 0],
];

/** The worker has a core of its own. */
const coreOf = ([, tid, what, , next]: Line): number =>
  tid === worker.tid || (what === 'switch' && next === worker.tid) ? 1 : 0;

export function contentionText(): string {
  return lines
    .map((line) => {
      const [time, tid, what] = line;
      const name = names.get(tid) ?? '';
      const head = `${name.padStart(16)}-${tid} ( 200) [00${coreOf(line)}] d..2 5.${String(time * 1000).padStart(6, '0')}: `;
      if (what === 'print') return `${head}tracing_mark_write: ${line[3]}`;
      if (what === 'frequency') return `${head}cpu_frequency: state=${line[3]} cpu_id=0`;
      if (what === 'waking')
        return `${head}sched_waking: comm=${names.get(line[3])} pid=${line[3]} prio=120 target_cpu=000`;
      return `${head}sched_switch: prev_comm=${name} prev_pid=${tid} prev_prio=120 prev_state=${line[3]} ==> next_comm=${names.get(line[4])} next_pid=${line[4]} next_prio=120`;
    })
    .join('\n');
}

export const contentionPerfetto = (): Uint8Array => encoded(contentionPackets());

export function contentionPackets(): Packet[] {
  const event = (line: Line): Packet => {
    const [time, pid, what] = line;
    const timestamp = 5000 * ms + time * ms;
    if (what === 'print') return { timestamp, pid, print: { buf: `${line[3]}\n` } };
    if (what === 'frequency') return { timestamp, pid, cpu_frequency: { state: line[3], cpu_id: 0 } };
    if (what === 'waking')
      return { timestamp, pid, sched_waking: { pid: line[3], comm: names.get(line[3]) } };
    const state = line[3] === 'S' ? 1 : 0;
    return {
      ...{ timestamp, pid },
      sched_switch: {
        ...{ prev_pid: pid, prev_comm: names.get(pid), prev_state: state },
        ...{ next_pid: line[4], next_comm: names.get(line[4]) },
      },
    };
  };
  return [
    {
      process_tree: {
        processes: [{ pid: main, cmdline: ['com.example.shop'] }],
        threads: [...names].filter(([tid]) => tid > 0).map(([tid, name]) => ({ tid, tgid: main, name })),
      },
    },
    ...[0, 1].map((cpu) => ({
      ftrace_events: { cpu, event: lines.filter((line) => coreOf(line) === cpu).map(event) },
    })),
  ];
}
