import assert from 'node:assert/strict';
import { FtraceBundles } from '../../../src/trace/system/ftrace-bundles.js';
import { parseEventFormat, parsePageLayout } from '../../../src/trace/system/event-format.js';
import { KernelEvents } from '../../../src/trace/system/kernel-events.js';
import { interruptWaker, priorityOf, SchedState } from '../../../src/trace/system/kernel-sink.js';
import { RingPages } from '../../../src/trace/system/ring-pages.js';
import { Random } from '../../../src/trace/synth/random.js';
import { scale } from '../../rigs/scale.js';
import { encoded } from '../formats/perfetto-traces.js';
import { cpuMs } from '../cpu-time.js';
import {
  formats,
  formatTexts,
  frequency,
  ids,
  type KernelEvent,
  layout,
  newTask,
  pagesOf,
  printed,
  renamed,
  switched,
  waking,
} from './kernel-pages.js';
import { seed } from '../../rigs/seed.js';

const zero = 5_000_000_000_123;
const [main, worker, idle] = [
  [70, 'main'],
  [71, 'worker'],
  [0, 'swapper/0'],
] as const;

/** One of each, and times that are a minute apart. */
const story: readonly KernelEvent[] = [
  newTask(zero + 100, 70, 71, 'main', 0x10000),
  renamed(zero + 200, 71, 'worker'),
  switched(zero + 1000, main, 1, worker),
  waking(zero + 1500, 71, main),
  switched(zero + 2000, worker, 2, main, 97),
  frequency(zero + 2500, 3, 1_800_000),
  printed(zero + 2600, 70, 'B|70|draw'),
  printed(zero + 2700, 70, `B|70|${'x'.repeat(200)}`),
  switched(zero + 60_000_003_000, main, 0x100, idle, 400),
  waking(zero + 60_000_004_000, 0, worker, 0x08),
  switched(zero + 60_000_005_000, idle, 0, worker, -1),
];

function readPages(bytes: Uint8Array, core = 2): { events: KernelEvents; pages: RingPages } {
  const events = new KernelEvents();
  const pages = new RingPages({ formats, layout, zeroNs: BigInt(zero) }, events);
  pages.read(bytes, core);
  return { events, pages };
}

const listed = ({ switches, wakes }: KernelEvents): { switches: number[][]; wakes: number[][] } => ({
  switches: Array.from({ length: switches.count }, (_, row) =>
    [switches.time, switches.previous, switches.state, switches.next, switches.core].map((one) => one[row]!),
  ),
  wakes: Array.from({ length: wakes.count }, (_, row) =>
    [wakes.time, wakes.tid, wakes.waker, wakes.core].map((one) => one[row]!),
  ),
});

const prioritiesOf = ({ switches }: KernelEvents): (number | undefined)[] =>
  [...switches.priority.subarray(0, switches.count)].map(priorityOf);

const { Runnable, Sleeping, Uninterruptible } = SchedState;

describe('the kernel’s ring buffer', () => {
  it('is read page by page: switches, wake-ups, names, frequencies, prints', () => {
    const { events, pages } = readPages(pagesOf(story));
    assert.deepEqual(listed(events), {
      switches: [
        [1000, 70, Sleeping, 71, 2],
        [2000, 71, Uninterruptible, 70, 2],
        [60_000_003_000, 70, Runnable, 0, 2],
        [60_000_005_000, 0, Runnable, 71, 2],
      ],
      wakes: [
        [1500, 70, 71, 2],
        [60_000_004_000, 71, interruptWaker, 2],
      ],
    });
    // 400 is none.
    assert.deepEqual(prioritiesOf(events), [120, 97, undefined, -1]);
    assert.deepEqual(
      events.named.map(({ tid, name }) => [tid, name]),
      [
        [71, 'main'],
        [71, 'worker'],
        [70, 'main'],
      ],
    );
    assert.deepEqual(events.creations, [{ time: 100, tid: 71, creator: 70, isThread: true }]);
    assert.deepEqual(events.frequencies, { time: [2500], core: [3], kHz: [1_800_000] });
    const { prints } = events;
    const texts = Array.from(
      { length: prints.count },
      (_, row) => `${prints.tid[row]} ${Buffer.from(prints.bytes(row)).toString()}`,
    );
    assert.deepEqual(texts, ['70 B|70|draw', `70 B|70|${'x'.repeat(200)}`]);
    assert.deepEqual([pages.events, pages.lost, pages.damagedPages], [story.length, 0, 0]);
  });

  it('says how many events had no room', () => {
    const { pages } = readPages(pagesOf(story, 4711));
    assert.deepEqual([pages.lost, pages.gaps, pages.events], [4711, 0, story.length]);
  });

  it('knows padding and absolute times', () => {
    const bytes = pagesOf([switched(zero + 1, main, 1, idle)]);
    const view = new DataView(bytes.buffer);
    let at = 16 + 4 + 64;
    // A discarded event of 8 bytes, 5 ns later; then an absolute time; then the event again, 7 ns later.
    view.setUint32(at, 29 | (5 << 5), true);
    view.setUint32(at + 4, 8, true);
    at += 12;
    const absolute = BigInt(zero) + 1000n;
    view.setUint32(at, Number(((absolute & 0x7ffffffn) << 5n) | 31n), true);
    view.setUint32(at + 4, Number(absolute >> 27n), true);
    at += 8;
    bytes.copyWithin(at, 16, 16 + 68);
    view.setUint32(at, 16 | (7 << 5), true);
    at += 68;
    view.setUint32(at, 29, true);
    view.setUint32(8, at + 4 - 16, true);
    const { events, pages } = readPages(bytes);
    assert.deepEqual([...events.switches.time.subarray(0, 2)], [1, 1007]);
    assert.deepEqual([events.switches.count, pages.damagedPages], [2, 0]);
  });

  it('has formats that are read as the kernel writes them', () => {
    const format = parseEventFormat(formatTexts[0]!)!;
    assert.deepEqual([format.name, format.id], ['sched_switch', ids.switch]);
    assert.deepEqual(format.fields.get('prev_state'), { offset: 32, size: 8 });
    assert.equal(parseEventFormat('name: x\nID: 70000\n'), undefined);
    assert.equal(parsePageLayout('field: u64 timestamp;\toffset:0;\tsize:8;'), undefined);
    const dynamic = parseEventFormat(
      'name: x\nID: 7\n\tfield:__data_loc char[] name;\toffset:12;\tsize:4;\n',
    );
    assert.deepEqual(dynamic?.fields.get('name'), { offset: 12, size: 4 });
  });

  it('is read although its formats say that an event begins outside of itself', () => {
    const far = formatTexts.map((text) =>
      parseEventFormat(text.replace('common_flags;\toffset:2;', 'common_flags;\toffset:65000;'))!,
    );
    const events = new KernelEvents();
    const pages = new RingPages({ formats: far, layout, zeroNs: 0n }, events);
    pages.read(pagesOf(story), 0);
    assert.ok(events.wakes.count > 0);
  });

  it('is read to its end, whatever is in it, in time that follows its length', () => {
    const numbers = new Random(seed);
    const next = (): number => numbers.next();
    const whole = pagesOf(Array.from({ length: 20 }, () => story).flat());
    for (let round = 0; round < 300 * scale; round++) {
      const bytes = whole.slice(0, Math.floor(next() * whole.length));
      for (let flips = Math.floor(next() * 20); flips > 0; flips--)
        bytes[Math.floor(next() * bytes.length)] = Math.floor(next() * 256);
      const { events, pages } = readPages(bytes);
      // An event of a page takes eight bytes at least.
      assert.ok(pages.events <= bytes.length / 8, `seed ${seed}`);
      assert.ok(events.switches.count + events.wakes.count <= pages.events);
      for (const time of events.switches.time.subarray(0, events.switches.count))
        assert.ok(Number.isFinite(time));
    }
    const hostile = new Uint8Array(1 << 22);
    for (const fill of [0x00, 0xff, 29, 30, 31, 1, 0x20]) {
      hostile.fill(fill);
      const view = new DataView(hostile.buffer);
      for (let page = 0; page < hostile.length; page += 4096) view.setUint32(page + 8, 4080, true);
      const began = cpuMs();
      readPages(hostile);
      assert.ok(cpuMs() - began < 1000, `${fill}: ${cpuMs() - began} ms`);
    }
  });
});

/** The bytes between the tag of `ftrace_events` and the end of its packet. */
function bundle(content: object): { bytes: Uint8Array; from: number } {
  const bytes = encoded([{ ftrace_events: content }]);
  // Trace.packet (tag, length), TracePacket.ftrace_events (tag, length).
  let from = 0;
  for (let level = 0; level < 2; level++) {
    from++;
    while (bytes[from]! >= 0x80) from++;
    from++;
  }
  return { bytes, from };
}

const toNs = (low: number, high: number): number => high * 2 ** 32 + low - zero;

describe('Perfetto’s bundles of kernel events', () => {
  const whole = {
    cpu: 2,
    event: [
      { timestamp: zero + 100, pid: 70, task_newtask: { pid: 71, comm: 'main', clone_flags: 0x10000 } },
      { timestamp: zero + 200, pid: 71, task_rename: { pid: 71, oldcomm: 'main', newcomm: 'worker' } },
      {
        timestamp: zero + 1000,
        pid: 70,
        sched_switch: { prev_pid: 70, prev_comm: 'main', prev_state: 1, next_pid: 71, next_comm: 'worker' },
      },
      { timestamp: zero + 1500, pid: 71, sched_waking: { pid: 70, comm: 'main' } },
      { timestamp: zero + 1600, pid: 71, common_flags: 0x10, sched_waking: { pid: 72 } },
      { timestamp: zero + 1700, pid: 71, sched_blocked_reason: { pid: 70, io_wait: 1 } },
      { timestamp: zero + 2500, pid: 70, cpu_frequency: { state: 1_800_000, cpu_id: 3 } },
      { timestamp: zero + 2600, pid: 70, print: { buf: 'B|70|draw\n' } },
    ],
  };

  function read(...contents: object[]): { events: KernelEvents; bundles: FtraceBundles } {
    const events = new KernelEvents();
    const bundles = new FtraceBundles(events);
    for (const content of contents) {
      const { bytes, from } = bundle(content);
      bundles.read(bytes, from, bytes.length, toNs);
    }
    return { events, bundles };
  }

  it('are read event by event', () => {
    const { events } = read(whole);
    assert.deepEqual(listed(events), {
      switches: [[1000, 70, Sleeping, 71, 2]],
      wakes: [
        [1500, 70, 71, 2],
        [1600, 72, interruptWaker, 2],
      ],
    });
    assert.deepEqual([events.diskWaits.count, events.diskWaits.tid[0]], [1, 70]);
    assert.deepEqual(events.creations, [{ time: 100, tid: 71, creator: 70, isThread: true }]);
    assert.deepEqual(events.frequencies, { time: [2500], core: [3], kHz: [1_800_000] });
    assert.deepEqual(
      events.named.map(({ tid, name }) => [tid, name]),
      [
        [71, 'main'],
        [71, 'worker'],
        [70, 'main'],
      ],
    );
  });

  it('have the priority of each thread that comes to run, if they say it', () => {
    const to = (next_prio: number | undefined): object => ({
      ...{ timestamp: zero + 1000, pid: 70 },
      sched_switch: {
        prev_pid: 70,
        prev_prio: 130,
        prev_state: 1,
        next_pid: 71,
        ...(next_prio !== undefined && { next_prio }),
      },
    });
    // The last one is not as usual: its number takes ten bytes.
    const { events } = read({ cpu: 0, event: [to(undefined), to(0), to(139), to(140), to(-1)] });
    assert.deepEqual(prioritiesOf(events), [undefined, 0, 139, undefined, -1]);
    const columns = { switch_timestamp: [zero, 1, 1], switch_next_pid: [70, 71, 70] };
    const { events: some } = read({ compact_sched: { ...columns, switch_next_prio: [120, 97, -1] } });
    assert.deepEqual(prioritiesOf(some), [120, 97, undefined]);
    assert.deepEqual(prioritiesOf(read({ compact_sched: columns }).events), [
      undefined,
      undefined,
      undefined,
    ]);
  });

  const compact = (begin: number): object => ({
    cpu: 2,
    compact_sched: {
      intern_table: ['worker', 'main'],
      switch_timestamp: [zero + begin, 1000, 1000],
      switch_prev_state: [2, 1, 0],
      switch_next_pid: [70, 71, 0],
      switch_next_comm_index: [1, 0, 0],
      waking_timestamp: [zero + begin + 500, 600],
      waking_pid: [71, 70],
      waking_comm_index: [0, 1],
      waking_common_flags: [0, 8],
    },
  });

  it('are read as columns; who leaves a core is who came last, and who wakes is who runs', () => {
    const { events } = read(compact(1000), compact(9000));
    assert.deepEqual(listed(events), {
      switches: [
        [1000, 0, Uninterruptible, 70, 2],
        [2000, 70, Sleeping, 71, 2],
        [3000, 71, Runnable, 0, 2],
        [9000, 0, Uninterruptible, 70, 2],
        [10_000, 70, Sleeping, 71, 2],
        [11_000, 71, Runnable, 0, 2],
      ],
      wakes: [
        [1500, 71, 70, 2],
        [2100, 70, interruptWaker, 2],
        [9500, 71, 70, 2],
        [10_100, 70, interruptWaker, 2],
      ],
    });
  });

  it('do not say who ran where events were lost before', () => {
    const first = { ...compact(1000), compact_sched: { switch_timestamp: [zero], switch_next_pid: [70] } };
    const { events, bundles } = read(first, { ...compact(9000), lost_events: true });
    assert.deepEqual([bundles.gaps, events.switches.previous[1]], [1, 0]);
    const { events: other } = read(first, compact(9000));
    assert.equal(other.switches.previous[1], 70);
  });

  it('are read to their end, whatever is in them', () => {
    const numbers = new Random(seed);
    const next = (): number => numbers.next();
    const corpus = [bundle(whole), bundle(compact(1000))];
    for (let round = 0; round < 500 * scale; round++) {
      const { bytes: made, from } = corpus[round % 2]!;
      const bytes = made.slice(0, Math.ceil(next() * made.length));
      for (let flips = Math.floor(next() * 8); flips > 0; flips--)
        bytes[Math.floor(next() * bytes.length)] = Math.floor(next() * 256);
      const events = new KernelEvents();
      new FtraceBundles(events).read(bytes, Math.min(from, bytes.length), bytes.length, toNs);
      assert.ok(events.switches.count + events.wakes.count <= bytes.length, `seed ${seed}`);
    }
  });
});
