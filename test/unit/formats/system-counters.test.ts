/** Counters of a system trace: of the device, and of the processes that are shown. */
import assert from 'node:assert/strict';
import { anyImporter } from '../../../src/trace/formats/index.js';
import type { Trace } from '../../../src/trace/model/trace.js';
import { rowsOf } from '../query/queried.js';
import { encoded, type Packet } from './perfetto-traces.js';
import { importWhole } from './round-trip.js';

const ms = 1_000_000;
const [shop, other] = [200, 300];
const print = (time: number, pid: number, buf: string): Packet => ({
  timestamp: time * ms,
  pid,
  print: { buf },
});
const stats = (time: number, pid: number, rss: number): Packet => ({
  timestamp: time * ms,
  process_stats: { processes: [{ pid, vm_rss_kb: rss, oom_score_adj: pid === shop ? 0 : 900 }] },
});

const packets: readonly Packet[] = [
  {
    process_tree: {
      processes: [
        { pid: shop, cmdline: ['com.example.shop'] },
        { pid: other, cmdline: ['other'] },
      ],
      threads: [{ tid: 201, tgid: shop, name: 'worker' }],
    },
  },
  {
    ftrace_events: {
      cpu: 0,
      event: [
        print(1, shop, `B|${shop}|open\n`),
        { timestamp: 2 * ms, pid: 0, cpu_frequency: { state: 1_800_000, cpu_id: 3 } },
        { timestamp: 3 * ms, pid: 0, gpu_frequency: { gpu_id: 0, state: 585_000 } },
        { timestamp: 4 * ms, pid: 201, rss_stat: { member: 1, size: 5_000_000_000, curr: 1, mm_id: 7 } },
        { timestamp: 5 * ms, pid: 201, rss_stat: { member: 1, size: 1, curr: 0, mm_id: 8 } },
        { timestamp: 6 * ms, pid: 0, gpu_mem_total: { gpu_id: 0, pid: shop, size: 4096 } },
        print(60, shop, `E|${shop}\n`),
      ],
    },
  },
  stats(10, shop, 1024),
  stats(10, other, 99),
  stats(20, shop, 2048),
  { timestamp: 11 * ms, gpu_mem_total_event: { gpu_id: 0, pid: 0, size: 1 << 20 } },
  {
    timestamp: 12 * ms,
    sys_stats: {
      meminfo: [
        { key: 1, value: 8_000_000 },
        { key: 3, value: 3_000 },
      ],
      devfreq: [{ key: 'ddr', value: 1_000 }],
      psi: [{ resource: 5, total_ns: 70 }],
      thermal_zone: [{ name: 'zone0', temp: 41_500, type: 'battery' }],
    },
  },
  {
    timestamp: 13 * ms,
    battery: { charge_counter_uah: 2_000_000, capacity_percent: 87.5, current_ua: -250_000 },
  },
  {
    timestamp: 14 * ms,
    power_rails: {
      rail_descriptor: [{ index: 4, rail_name: 'cpu.big' }],
      energy_data: [
        { index: 4, timestamp_ms: 15, energy: 1000 },
        { index: 4, timestamp_ms: 25, energy: 1700 },
      ],
    },
  },
  { timestamp: 30 * ms, track_event: { type: 3 } },
];

const shown = (trace: Trace): Record<string, string> =>
  Object.fromEntries(
    trace.counters.map(({ name, unit, count, time, value }) => [
      name,
      `${unit}: ${Array.from({ length: count }, (_, at) => `${value[at]} at ${time[at]! / ms}`).join(', ')}`,
    ]),
  );

describe('counters of a system trace', () => {
  it('of Perfetto are those of the device and of the processes that are shown', () => {
    const trace = importWhole(anyImporter(), encoded([...packets]), 7);
    assert.deepEqual(trace.problems, []);
    // The first event is at 1 ms.
    assert.deepEqual(shown(trace), {
      'frequency of core 3': 'kHz: 1800000 at 1',
      'frequency of GPU 0': 'kHz: 585000 at 2',
      'resident memory, anonymous': 'bytes: 5000000000 at 3',
      'GPU memory': 'bytes: 4096 at 5',
      'GPU memory, all processes': 'bytes: 1048576 at 10',
      'resident memory': 'bytes: 1048576 at 9, 2097152 at 19',
      'out-of-memory score': ': 0 at 9, 0 at 19',
      'memory available': 'bytes: 3072000 at 11',
      'frequency ddr': 'kHz: 1000 at 11',
      'pressure: memory, some': 'ns: 70 at 11',
      'temperature zone0 battery': '°C: 41.5 at 11',
      'battery charge': 'µAh: 2000000 at 12',
      battery: '%: 87.5 at 12',
      'battery current': 'µA: -250000 at 12',
      'power rail cpu.big': 'µJ: 1000 at 14, 1700 at 24',
    });
  });

  it('are in SQL, by name', async () => {
    const trace = importWhole(anyImporter(), encoded([...packets]));
    const rows = await rowsOf(
      `SELECT ts, value, unit FROM counter JOIN counter_track ON track_id = id WHERE name = 'resident memory' ORDER BY ts`,
      trace,
    );
    assert.deepEqual(rows, [
      [9 * ms, 1024 * 1024, 'bytes'],
      [19 * ms, 2048 * 1024, 'bytes'],
    ]);
  });

  it('are read from text, of old kernels and of new ones', () => {
    const line = (time: number, what: string): string =>
      `shop-200 ( 200) [000] d..2 5.${String(time).padStart(6, '0')}: ${what}\n`;
    const text = [
      line(0, 'tracing_mark_write: B|200|open'),
      line(1, 'cpu_frequency: state=1800000 cpu_id=3'),
      line(2, 'gpu_frequency: state=585000 gpu_id=0'),
      line(3, 'rss_stat: mm_id=7 curr=1 member=0 size=4096B'),
      line(4, 'rss_stat: mm_id=7 curr=1 type=MM_FILEPAGES size=8192B'),
      line(5, 'rss_stat: mm_id=8 curr=0 type=MM_FILEPAGES size=1B'),
      line(6, 'gpu_mem_total: gpu_id=0 pid=0 size=77'),
      line(7, 'tracing_mark_write: E|200'),
    ].join('');
    const trace = importWhole(anyImporter(), Buffer.from(text), 50);
    assert.deepEqual(trace.problems, []);
    const values = trace.counters.map(({ name, value, count }) => [name, ...value.subarray(0, count)]);
    assert.deepEqual(values, [
      ['frequency of core 3', 1_800_000],
      ['frequency of GPU 0', 585_000],
      ['resident memory, files', 4096, 8192],
      ['GPU memory, all processes', 77],
    ]);
  });

  it('are in order of time, though the kernel tells its events core by core', () => {
    const events = (cpu: number, times: readonly number[]): Packet => ({
      ftrace_events: {
        cpu,
        event: times.flatMap((time) => [
          { timestamp: time * ms, pid: shop, rss_stat: { member: 1, size: time, curr: 1 } },
          print(time, shop, `C|${shop}|queue|${time}\n`),
        ]),
      },
    });
    const trace = importWhole(
      anyImporter(),
      encoded([packets[0]!, events(0, [1, 4, 6]), events(1, [2, 3, 5])]),
    );
    const values = '1 at 0, 2 at 1, 3 at 2, 4 at 3, 5 at 4, 6 at 5';
    assert.deepEqual(shown(trace), {
      'resident memory, anonymous (com.example.shop)': `bytes: ${values}`,
      queue: `: ${values}`,
    });
  });

  it('have no time of their own in a packet without one', () => {
    const trace = importWhole(
      anyImporter(),
      encoded([...packets, { ...stats(0, shop, 4096), timestamp: undefined }]),
    );
    assert.equal(shown(trace)['resident memory'], 'bytes: 1048576 at 9, 2097152 at 19');
    assert.match(
      trace.problems.map(({ what }) => what).join(),
      /2 events have a time or a value that cannot/,
    );
  });

  it('of programs are left out and counted where there are too many', () => {
    const event = Array.from({ length: 5000 }, (_, at) => print(at, shop, `C|${shop}|queue ${at}|1\n`));
    const trace = importWhole(anyImporter(), encoded([{ ftrace_events: { cpu: 0, event } }]));
    assert.equal(trace.counters.length, 4096);
    assert.match(trace.problems.map(({ what }) => what).join(), /904 values of counters were left out/);
  });

  it('are left out and counted where there are too many', () => {
    const many: Packet[] = Array.from({ length: 5000 }, (_, at) => ({
      timestamp: ms,
      sys_stats: { devfreq: [{ key: `device ${at}`, value: at }] },
    }));
    const trace = importWhole(anyImporter(), encoded(many));
    assert.equal(trace.counters.length, 4096);
    assert.match(trace.problems.map(({ what }) => what).join(), /904 values of counters were left out/);
  });
});
