import { EventBuilder } from '../../src/trace/build/event-builder.js';
import { endTop } from '../../src/trace/build/event-columns.js';
import { NamedMethods } from '../../src/trace/formats/named-methods.js';
import { NameTable } from '../../src/trace/formats/names.js';
import type { Trace } from '../../src/trace/model/trace.js';

/**
 * A made-up program as the benches of the project state it: 8 threads, stacks about 40 deep, 20,000 methods, a sample about
 * each ms that differs from the one before in about two frames. Calls come from a fixed call graph, as in a real program.
 */
export function madeTrace(samples: number): Trace {
  const builder = new EventBuilder();
  const names = new NameTable();
  const methods = new NamedMethods(names);
  const methodCount = 20_000;
  for (let i = 0; i < methodCount; i++)
    names.internText(`com.example.part${i % 97}.Class${i % 1999}.method${i}`);
  let state = 12345;
  const random = (): number => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 4294967296;
  };
  const threads = 8;
  for (let t = 0; t < threads; t++) {
    const thread = builder.thread(1000 + t, 1000, t === 0 ? 'main' : `worker-${t}`);
    const { events } = thread;
    const stack: number[] = [];
    let time = Math.floor(random() * 1e6);
    let cpu = 0;
    for (let s = 0; s < samples / threads; s++) {
      const step = 500_000 + Math.floor(random() * 1e6);
      time += step;
      cpu += Math.floor(step * (0.5 + random() / 2));
      // The depth wanders around 40.
      let pops = Math.min(stack.length, Math.floor(random() ** 2 * 6));
      while (pops-- > 0) {
        stack.pop();
        events.pushWithCpu(time, endTop, cpu);
      }
      const target = 36 + Math.floor(random() * 10);
      let pushes =
        stack.length < 30 ? target - stack.length : Math.max(0, Math.min(5, target - stack.length));
      while (pushes-- > 0) {
        const caller = stack.at(-1) ?? t;
        const callee = (caller * 31 + 7 + Math.floor(random() ** 3 * 8)) % methodCount;
        stack.push(callee);
        events.pushWithCpu(time, callee, cpu);
      }
    }
    while (stack.length > 0) {
      stack.pop();
      events.pushWithCpu(time + 1000, endTop, cpu + 1000);
    }
  }
  return builder.finish(
    methods,
    { format: 'made', pid: 1000, targetName: 'com.example' },
    { monotonicNs: 1_000_000_000n },
  );
}
