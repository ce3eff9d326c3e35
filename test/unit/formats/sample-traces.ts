import { EventBuilder, type EventThread } from '../../../src/trace/assemble/event-builder.js';
import { endTop } from '../../../src/trace/assemble/event-columns.js';
import { NamedMethods } from '../../../src/trace/formats/named-methods.js';
import { NameTable } from '../../../src/trace/formats/names.js';
import type { Trace } from '../../../src/trace/model/trace.js';

/** A small trace with everything that is easy to lose: recursion, calls of no length, equal times, odd names, CPU, links. */
export function smallTrace(): Trace {
  const builder = new EventBuilder();
  const names = new NameTable();
  const methods = new NamedMethods(names);
  const id = (name: string): number =>
    names.intern(new TextEncoder().encode(name), 0, Buffer.byteLength(name));
  const main = builder.thread(1200, 1200, 'main');
  const worker = builder.thread(1201, 1200, 'worker "two"\\');
  const run = id('com.example.Shop.run');
  const add = id('com.example.Shop$Cart.add');
  const odd = id('std::vector<int, "x">; naïve\ttab');
  methods.setSource(run, 'Shop.kt', 12);
  methods.setSource(add, 'Shop.kt', 40);
  const play = (thread: EventThread, events: readonly (readonly [number, number, number])[]): void => {
    for (const [time, what, cpu] of events) thread.events.pushWithCpu(time, what, cpu);
  };
  play(main, [
    [0, run, 100],
    [1000, add, 1050],
    [1500, add, 1500],
    [1500, odd, 1500],
    [1500, endTop, 1500],
    [2001, endTop, 1900],
    [2001, add, 1900],
    [2001, add, 1900],
    [2001, endTop, 1900],
    [2001, endTop, 1900],
    [3000, endTop, 2000],
    [10_000_003, endTop, 2500],
    [20_000_000, run, 2500],
    [20_000_001, endTop, 2501],
  ]);
  play(worker, [
    [500, odd, 7],
    [9_000_000, endTop, 9],
  ]);
  builder.link(main, 20_000_000, worker, 9_000_000, 0);
  const heap = builder.counter('heap used', 'bytes');
  heap.push(0, 1 << 20);
  heap.push(5000, 3.5);
  return builder.finish(
    methods,
    { format: 'made', pid: 1200, targetName: 'com.example.shop' },
    {
      monotonicNs: 86_400_000_000_000n,
      boottimeNs: 90_000_000_000_000n,
      realtimeNs: 1_700_000_000_000_000_000n,
    },
  );
}

/** A random trace; the same seed gives the same. With `apart`, no two events of a thread have the same time. */
export function randomTrace(seed: number, events: number, apart = false): Trace {
  const builder = new EventBuilder();
  const names = new NameTable();
  const methods = new NamedMethods(names);
  const random = randomNumbers(seed);
  const ids = Array.from({ length: 20 }, (_, i) => names.internText(`pkg${i % 4}.Class${i % 7}.method${i}`));
  for (let t = 0; t < 3; t++) {
    const thread = builder.thread(100 + t, 100, `thread-${t}`);
    let time = Math.floor(random() * 1000);
    let cpu = 0;
    let depth = 0;
    for (let i = 0; i < events; i++) {
      const step = random() < 0.3 && !apart ? 0 : Math.floor(random() ** 6 * 1e7) + (apart ? 1 : 0);
      time += step;
      cpu += Math.floor(step * random());
      if (depth === 0 || (random() < 0.55 && depth < 30)) {
        thread.events.pushWithCpu(time, ids[Math.floor(random() * ids.length)]!, cpu);
        depth++;
      } else {
        thread.events.pushWithCpu(time, endTop, cpu);
        depth--;
      }
    }
    for (; depth > 0; depth--) thread.events.pushWithCpu((time += 10), endTop, cpu);
  }
  return builder.finish(
    methods,
    { format: 'made', pid: 100, targetName: 'random' },
    { monotonicNs: 5_000_000n },
  );
}

/** Mulberry32: small, and the same everywhere. */
export function randomNumbers(seed: number): () => number {
  let state = seed | 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
}
