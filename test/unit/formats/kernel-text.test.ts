/** The kernel's trace as text, as it comes from ftrace with any clock, and from perf. */
import assert from 'node:assert/strict';
import { anyImporter } from '../../../src/trace/formats/index.js';
import { sumScope, wholeTrace } from '../../../src/trace/index.js';
import { statesOf, wakerName, wakerOf } from '../../../src/trace/measure/scheduling.js';
import { IntervalState, type Trace } from '../../../src/trace/model/trace.js';
import { SchedState } from '../../../src/trace/system/kernel-sink.js';
import { cpuMs } from '../cpu-time.js';
import { importWhole } from './round-trip.js';

/** Two nested slices, 400 and 200 long; for 100 within both the thread is off the CPU. */
function trace(clock: (since: number) => string): string {
  const pid = (who: string): number => (who === 'sh' ? 10110 : 18);
  const line = (who: string, since: number, what: string): string =>
    `${who.padStart(16)}-${pid(who)}   [001] d..2. ${clock(since)}: ${what}\n`;
  const gives = (from: string, since: number, to: string): string =>
    line(
      from,
      since,
      `sched_switch: prev_comm=${from} prev_pid=${pid(from)} prev_prio=120 prev_state=S ==> next_comm=${to} next_pid=${pid(to)} next_prio=120`,
    );
  return [
    '# tracer: nop\n#\n#           TASK-PID     CPU#  |||||  TIMESTAMP  FUNCTION\n',
    gives('other', 0, 'sh'),
    line('sh', 100, 'tracing_mark_write: B|10110|outer thing'),
    line('sh', 200, 'tracing_mark_write: B|10110|inner'),
    gives('sh', 250, 'other'),
    gives('other', 350, 'sh'),
    line('sh', 400, 'tracing_mark_write: E|10110'),
    line('sh', 500, 'tracing_mark_write: E|10110'),
    gives('sh', 600, 'other'),
  ].join('');
}

const clocks: Readonly<Record<string, { of: (since: number) => string; says: RegExp }>> = {
  'seconds with six places': { of: (since) => `4389.33${String(since).padStart(4, '0')}`, says: /^$/ },
  'seconds with nine places': { of: (since) => `4389.999${String(since).padStart(6, '0')}`, says: /^$/ },
  'cycles, as of x86-tsc': { of: (since) => String(11_403_820_237_277n + BigInt(since)), says: /no seconds/ },
  'cycles of a machine that has run for years': {
    of: (since) => String(2n ** 60n + 7n + BigInt(since)),
    says: /no seconds/,
  },
  'a counter': { of: (since) => String(since).padStart(13), says: /no seconds/ },
};

/** What the scheduler told, µs. */
const times = (read: Trace): string[] =>
  read.threads.map(({ tid, name, intervals }) => {
    const at = intervals.state.indexOf(IntervalState.Wait);
    const asleep = at < 0 ? 0 : Math.round((intervals.end[at]! - intervals.begin[at]!) / 1000);
    const cpu = intervals.cpu.subarray(0, intervals.count).reduce((sum, value) => sum + value, 0);
    return `${name} ${tid}: asleep ${asleep}, on a CPU ${Math.round(cpu / 1000)}`;
  });

describe('the kernel’s trace as text', () => {
  for (const [name, { of, says }] of Object.entries(clocks)) {
    it(`is read by a clock of ${name}`, () => {
      const read = importWhole(anyImporter(), Buffer.from(trace(of)), 50);
      assert.deepEqual(read.problems, []);
      assert.match(read.info.modeReason, says);
      const thread = read.threads.find(({ tid }) => tid === 10110)!;
      const { calls } = thread;
      const unit = name.endsWith('six places') ? 1000 : 1;
      const shown = Array.from({ length: calls.count }, (_, call) => {
        const [length, cpu] = [calls.end[call]! - calls.begin[call]!, calls.cpu[call]!];
        return `${read.methods.name(calls.method[call]!)} ${Math.round(length / unit)} ${Math.round(cpu / unit)}`;
      });
      assert.deepEqual(shown, ['outer thing 400 300', 'inner 200 100']);
    });
  }

  it('is read as perf prints the scheduler’s events', () => {
    const lines = [
      '            perf 27428 [000]  3873.394605: sched:sched_stat_runtime: comm=perf pid=27428 runtime=41857 [ns]',
      '            perf 27428 [000]  3873.394611:       sched:sched_switch: prev_comm=perf prev_pid=27428 prev_prio=120 prev_state=D ==> next_comm=Web Content next_pid=77 next_prio=120',
      '     Web Content    77 [000]  3873.394618:       sched:sched_waking: comm=perf pid=27428 prio=120 target_cpu=000',
      '     Web Content    77 [000]  3873.394621:       sched:sched_switch: prev_comm=Web Content prev_pid=77 prev_prio=120 prev_state=S ==> next_comm=perf next_pid=27428 next_prio=120',
    ];
    const read = importWhole(anyImporter(), Buffer.from(`${lines.join('\n')}\n`));
    assert.deepEqual(
      read.problems.map(({ what }) => what),
      ['1 event was not read: sched_stat_runtime'],
    );
    assert.deepEqual(times(read), [
      'perf 27428: asleep 7, on a CPU 0',
      'Web Content 77: asleep 0, on a CPU 10',
    ]);
  });

  it('is read as trace-cmd reports it', () => {
    const lines = [
      'cpus=2',
      '              sh-22899 [001]  4851.161986: print:                tracing_mark_write: B|15913|outer thing',
      '              sh-22899 [001]  4851.162114: sched_switch:         sh:22899 [120] S ==> Web Content:22900 [120]',
      '     Web Content-22900 [001]  4851.162725: sched_switch:         Web Content:22900 [120] D ==> sh:22899 [120]',
      '              sh-22899 [001]  4851.214025: print:                tracing_mark_write: E|15913',
      '              sh-22899 [001]  4851.214100: sched_switch:         sh:22899 [120] S ==> swapper/1:0 [120]',
    ];
    const read = importWhole(anyImporter(), Buffer.from(`${lines.join('\n')}\n`));
    assert.deepEqual(read.problems, []);
    assert.deepEqual(times(read), ['sh 22899: asleep 611, on a CPU 51503']);
    // Where no program has printed anything, switches are enough to know it by.
    const switches = lines.filter((line) => !line.includes('print:')).join('\n');
    assert.equal(importWhole(anyImporter(), Buffer.from(switches)).threads.length, 2);
  });

  const line = (who: string, tid: number, since: number, what: string): string =>
    `${`${who}-${tid}`.padEnd(24)} ( 7) [000] d..2. 10.${String(since).padStart(6, '0')}: ${what}\n`;
  const gives = (from: string, fromTid: number, since: number, to: string, toTid: number): string =>
    line(
      from,
      fromTid,
      since,
      `sched_switch: prev_comm=${from} prev_pid=${fromTid} prev_prio=120 prev_state=S ==> next_comm=${to} next_pid=${toTid} next_prio=120`,
    );

  it('has the CPU time of what runs when the first and the last of a program’s words are written', () => {
    const text = [
      line('shop', 7, 100, 'tracing_mark_write: B|7|open'),
      gives('shop', 7, 300, 'idle', 0),
      gives('idle', 0, 500, 'shop', 7),
      line('shop', 7, 900, 'tracing_mark_write: E|7'),
    ].join('');
    const read = importWhole(anyImporter(), Buffer.from(text), 50);
    assert.deepEqual(times(read), ['shop 7: asleep 200, on a CPU 600']);
    assert.equal(Math.round(read.threads[0]!.calls.cpu[0]! / 1000), 600);
  });

  it('has what a recording has of the scheduler: cores, states, wakers, frequencies', () => {
    const on = (core: number, who: string, tid: number, since: number, what: string): string =>
      line(who, tid, since, what).replace('[000]', `[00${core}]`);
    const onto = (core: number, since: number, what: string): string => on(core, 'idle', 0, since, what);
    const [toShop, toGiver] = [
      'sched_switch: prev_comm=idle prev_pid=0 prev_prio=120 prev_state=R ==> next_comm=shop next_pid=7 next_prio=120',
      'sched_switch: prev_comm=idle prev_pid=0 prev_prio=120 prev_state=R ==> next_comm=giver next_pid=9 next_prio=120',
    ];
    const text = [
      on(1, 'shop', 7, 0, 'tracing_mark_write: B|7|open'),
      on(1, 'idle', 0, 50, 'cpu_frequency: state=1800000 cpu_id=1'),
      on(
        1,
        'shop',
        7,
        100,
        toShop
          .replace('idle prev_pid=0', 'shop prev_pid=7')
          .replace('=R', '=D')
          .replace('shop next_pid=7', 'idle next_pid=0'),
      ),
      onto(2, 150, toGiver),
      on(2, 'giver', 9, 400, 'sched_waking: comm=shop pid=7 prio=120 target_cpu=003'),
      on(3, 'idle', 0, 410, 'sched_blocked_reason: pid=7 iowait=1 caller=io_schedule'),
      onto(3, 500, toShop),
      on(3, 'shop', 7, 900, 'tracing_mark_write: E|7'),
    ].join('');
    const trace = importWhole(anyImporter(), Buffer.from(text), 50);
    assert.deepEqual(trace.problems, []);
    const system = trace.system!;
    const shop = statesOf(system, trace).get(7)!;
    const stretches = Array.from({ length: shop.count }, (_, row) => [
      ...[shop.state[row], Math.round(shop.begin[row]! / 1e3), Math.round(shop.end[row]! / 1e3)],
      ...[shop.core[row], shop.waker[row]],
    ]);
    assert.deepEqual(stretches, [
      [SchedState.Running, 0, 100, 1, 0],
      [SchedState.Io, 100, 400, -1, 9],
      [SchedState.Runnable, 400, 500, -1, 0],
      [SchedState.Running, 500, 900, 3, 0],
    ]);
    assert.deepEqual([system.cores, system.task(9)?.name], [4, 'giver']);
    assert.deepEqual(system.frequencies.kHz, [1_800_000]);
    assert.equal(Math.round(system.frequencies.time[0]! / 1e3), 50);
    // The thread that is not shown still has a name where it woke one that is.
    const thread = trace.threads.find(({ tid }) => tid === 7)!;
    assert.equal(wakerName(trace, wakerOf(trace, thread, 0, trace.endNs)), 'giver');
    assert.equal(Math.round(sumScope(trace, wholeTrace).sum.coreWait / 1e3), 100);
  });

  it('leaves out events on a core that cannot be', () => {
    const text = [line('shop', 7, 0, 'tracing_mark_write: B|7|open'), gives('shop', 7, 100, 'idle', 0)].join(
      '',
    );
    const trace = importWhole(anyImporter(), Buffer.from(text.replaceAll('[000]', '[99999]')), 50);
    assert.equal(trace.system, undefined);
    assert.match(
      trace.problems.map(({ what }) => what).join(),
      /1 event has a time or a value that cannot be one/,
    );
  });

  it('calls a thread by its last name, whatever the order of the lines, and what is not known by none', () => {
    const named = [
      line('shop', 7, 100, 'tracing_mark_write: B|7|open'),
      gives('<pre-initialized>', 7, 200, 'idle', 0),
      gives('idle', 0, 300, 'com.example.shop', 7),
      line('<...>', 7, 400, 'tracing_mark_write: E|7'),
    ];
    for (const lines of [named, [...named].reverse()]) {
      const read = importWhole(anyImporter(), Buffer.from(lines.join('')), 50);
      assert.deepEqual(
        read.threads.map(({ name }) => name),
        ['com.example.shop'],
      );
    }
  });

  const wakes = (what: string): string => line('giver', 9, 400, what);
  const telling: Readonly<Record<string, readonly [line: string, isByWhom: boolean]>> = {
    'waking, which knows who woke it': [wakes('sched_waking: comm=shop pid=7 prio=120 target_cpu=000'), true],
    'a wake-up, as kernels before 4.3 have it alone': [
      wakes('sched_wakeup: comm=shop pid=7 prio=120 success=1 target_cpu=000'),
      false,
    ],
    'waking, as trace-cmd reports it': [wakes('sched_waking: my shop:7 [120] CPU:000'), true],
    'a wake-up, as trace-cmd reports it': [wakes('sched_wakeup: shop:7 [120] success=1 CPU:000'), false],
  };
  for (const [name, [told, isByWhom]] of Object.entries(telling))
    it(`lets a thread sleep until it is told of ${name}`, () => {
      const text = [
        line('shop', 7, 100, 'tracing_mark_write: B|7|open'),
        gives('shop', 7, 300, 'giver', 9),
        told,
        gives('giver', 9, 500, 'shop', 7),
        line('shop', 7, 900, 'tracing_mark_write: E|7'),
        line('giver', 9, 950, 'tracing_mark_write: B|9|more'),
      ].join('');
      const read = importWhole(anyImporter(), Buffer.from(text), 50);
      assert.equal(times(read)[0], 'shop 7: asleep 100, on a CPU 650');
      assert.equal(read.links.count, isByWhom ? 1 : 0);
    });

  it('lets no thread sleep that has ended', () => {
    for (const state of ['X', 'x', 'Z', 'X|K']) {
      const text = [
        line('shop', 7, 100, 'tracing_mark_write: B|7|open'),
        line('shop', 7, 200, 'tracing_mark_write: E|7'),
        gives('shop', 7, 300, 'other', 9).replace('prev_state=S', `prev_state=${state}`),
        line('other', 9, 900, 'tracing_mark_write: B|9|on'),
      ].join('');
      assert.equal(times(importWhole(anyImporter(), Buffer.from(text)))[0], 'shop 7: asleep 0, on a CPU 200');
    }
  });

  it('is read where the kernel does not know the name of the function that prints', () => {
    const text = [line('shop', 7, 100, '0: B|7|open'), line('shop', 7, 300, '0: E|7')].join('');
    const read = importWhole(anyImporter(), Buffer.from(`# tracer: nop\n${text}`));
    assert.deepEqual(
      read.threads.map(({ calls }) => [read.methods.name(calls.method[0]!), Math.round(calls.end[0]!)]),
      [['open', 200_000]],
    );
  });

  for (const many of ['a:1 [1] S ==> ', 'prev_pid=1 ', 'prev_pid=1 prev_state=S ==> next_comm=']) {
    it(`is not slow where a line is made to be: ${many}`, () => {
      const line = `sh-1 [001] 4851.2: sched_switch: ${many.repeat(64_000 / many.length)}\n`;
      const began = cpuMs();
      importWhole(anyImporter(), Buffer.from(line.repeat(20)));
      const took = cpuMs() - began;
      assert.ok(took < 3000, `${took} ms`);
    });
  }
});
