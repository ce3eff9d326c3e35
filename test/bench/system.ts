/**
 * The kernel's trace: how many scheduler events a second one core decodes, from raw pages and from Perfetto's bundles,
 * beside protobufjs's generic decode of the same bundles in the same run. `--quick` decodes fewer events, once.
 */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import protobuf from 'protobufjs';
import { FtraceBundles } from '../../src/trace/system/ftrace-bundles.js';
import { KernelEvents } from '../../src/trace/system/kernel-events.js';
import { RingPages } from '../../src/trace/system/ring-pages.js';
import { formats, type KernelEvent, layout, pagesOf, switched, waking } from '../unit/trace/kernel-pages.js';
import { cpuMs } from '../unit/cpu-time.js';
import { isQuick, say } from './figure.js';

const events = isQuick ? 200_000 : 1_000_000;
const runs = isQuick ? 1 : 5;
const threads = 200;
const zero = 3_600_000_000_000;
/** As the kernel's buffer is read: a Perfetto bundle holds what came in a period, some hundred to some thousand events. */
const bundleEvents = 2000;

/** CPU time of the best of the runs, in ms: what else runs here makes each slower, and none faster. */
class Measured {
  ms = Infinity;
  readonly #run: () => void;

  constructor(run: () => void) {
    this.#run = run;
  }

  measure(): void {
    const began = cpuMs();
    this.#run();
    this.ms = Math.min(this.ms, cpuMs() - began);
  }
}

const nameOf = (tid: number): string => (tid === 0 ? 'swapper/0' : `worker-${tid}`);

interface Step {
  readonly time: number;
  readonly kind: 'switch' | 'wake';
  readonly from: number;
  readonly to: number;
}

/** Each thread runs for a while, wakes another and sleeps. */
function steps(): Step[] {
  const made: Step[] = [];
  let running = 0;
  let time = zero;
  for (let at = 0; at < events; at++) {
    time += 700 + ((at * 7919) % 3000);
    const to = ((at * 31) % threads) + 1000;
    made.push({ time, kind: at % 2 === 0 ? 'wake' : 'switch', from: running, to });
    if (at % 2 === 1) running = to;
  }
  return made;
}

/** Only what is decoded stays: collecting a million steps would be measured, too. */
let all = steps();
const pages = pagesOf(
  all.map(({ time, kind, from, to }): KernelEvent =>
    kind === 'wake'
      ? waking(time, from, [to, nameOf(to)])
      : switched(time, [from, nameOf(from)], 1, [to, nameOf(to)]),
  ),
);

const schema = protobuf
  .parse(readFileSync(fileURLToPath(new URL('../../proto/perfetto.proto', import.meta.url)), 'utf8'), {
    keepCase: true,
  })
  .root.lookupType('perfetto.FtraceEventBundle');

function bundlesOf(make: (part: readonly Step[]) => object): Uint8Array[] {
  const made: Uint8Array[] = [];
  for (let at = 0; at < all.length; at += bundleEvents)
    made.push(schema.encode(schema.fromObject(make(all.slice(at, at + bundleEvents)))).finish());
  return made;
}

const whole = bundlesOf((part) => ({
  cpu: 0,
  event: part.map(({ time, kind, from, to }) => ({
    timestamp: time,
    pid: from,
    ...(kind === 'wake'
      ? { sched_waking: { comm: nameOf(to), pid: to, prio: 120, success: 1, target_cpu: 1 } }
      : {
          sched_switch: {
            ...{ prev_comm: nameOf(from), prev_pid: from, prev_prio: 120, prev_state: 1 },
            ...{ next_comm: nameOf(to), next_pid: to, next_prio: 120 },
          },
        }),
  })),
}));

const differences = (times: readonly number[]): number[] =>
  times.map((time, at) => time - (times[at - 1] ?? 0));
const compact = bundlesOf((part) => {
  const names = [...new Set(part.map(({ to }) => nameOf(to)))];
  const [switches, wakes] = [
    part.filter(({ kind }) => kind === 'switch'),
    part.filter(({ kind }) => kind === 'wake'),
  ];
  const index = ({ to }: Step): number => names.indexOf(nameOf(to));
  return {
    cpu: 0,
    compact_sched: {
      intern_table: names,
      switch_timestamp: differences(switches.map(({ time }) => time)),
      switch_prev_state: switches.map(() => 1),
      switch_next_pid: switches.map(({ to }) => to),
      switch_next_prio: switches.map(() => 120),
      switch_next_comm_index: switches.map(index),
      waking_timestamp: differences(wakes.map(({ time }) => time)),
      waking_pid: wakes.map(({ to }) => to),
      waking_target_cpu: wakes.map(() => 1),
      waking_prio: wakes.map(() => 120),
      waking_comm_index: wakes.map(index),
      waking_common_flags: wakes.map(() => 0),
    },
  };
});

all = [];

const decoded = (what: KernelEvents): void => {
  if (what.switches.count + what.wakes.count !== events) throw new Error('Events are missing');
};

const readPages = (): void => {
  const made = new KernelEvents();
  new RingPages({ formats, layout, zeroNs: BigInt(zero) }, made).read(pages, 0);
  decoded(made);
};
const readBundles = (bundles: readonly Uint8Array[]): void => {
  const made = new KernelEvents();
  const reader = new FtraceBundles(made);
  const zeroHigh = Math.floor(zero / 2 ** 32);
  const zeroLow = zero % 2 ** 32;
  const toNs = (low: number, high: number): number => (high - zeroHigh) * 2 ** 32 + (low - zeroLow);
  for (const bytes of bundles) reader.read(bytes, 0, bytes.length, toNs);
  decoded(made);
};

const perSecond = (ms: number): number => events / ms / 1000;
const sizes = `${events / 1000}k`;
const pagesRun = new Measured(readPages);
const wholeRun = new Measured(() => readBundles(whole));
const compactRun = new Measured(() => readBundles(compact));
const peer = new Measured(() => {
  for (const bytes of whole) schema.decode(bytes);
});
const compactPeer = new Measured(() => {
  for (const bytes of compact) schema.decode(bytes);
});
// By turns, so that a busy moment meets all of them.
for (let run = 0; run <= runs; run++)
  for (const one of [pagesRun, wholeRun, compactRun, peer, compactPeer]) one.measure();
say(`system.pages.${sizes}`, perSecond(pagesRun.ms), 'M events/s', ['>=', 3]);
say(`system.bundles.${sizes}`, perSecond(wholeRun.ms), 'M events/s', ['>=', 3]);
say(`system.compact.${sizes}`, perSecond(compactRun.ms), 'M events/s', ['>=', 3]);
say(`system.protobufjs.${sizes}`, perSecond(peer.ms), 'M events/s');
say(`system.protobufjs-compact.${sizes}`, perSecond(compactPeer.ms), 'M events/s');
say('system.pages-to-protobufjs', peer.ms / pagesRun.ms, 'x', ['>=', 4]);
say('system.bundles-to-protobufjs', peer.ms / wholeRun.ms, 'x', ['>=', 4]);
say('system.compact-to-protobufjs', compactPeer.ms / compactRun.ms, 'x');
