/** A recording that grows is shown at most once a second, on a clock that the test turns. */
import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'mocha';
import type { FromWorker, ToWorker } from '../../../src/webview/worker/messages.js';
import { serve, type WorkerPort } from '../../../src/webview/worker/serve.js';
import { generateTrace } from '../../page/generated-trace.js';

const trace = generateTrace({ samples: 50, threads: 1, depth: 4, methods: 8, seed: 3 });

class Clock {
  now = 0;
  #timers: { readonly at: number; readonly run: () => void }[] = [];
  readonly #real = { setTimeout, clearTimeout, now: performance.now.bind(performance) };

  start(): void {
    const set = (run: () => void, ms: number): object => {
      const timer = { at: this.now + ms, run };
      this.#timers.push(timer);
      return timer;
    };
    const clear = (timer: unknown): void => {
      this.#timers = this.#timers.filter((one) => one !== timer);
    };
    Object.assign(globalThis, { setTimeout: set, clearTimeout: clear });
    performance.now = () => this.now;
  }

  stop(): void {
    Object.assign(globalThis, { setTimeout: this.#real.setTimeout, clearTimeout: this.#real.clearTimeout });
    performance.now = this.#real.now;
  }

  turnTo(end: number): void {
    for (;;) {
      const next = this.#timers.filter(({ at }) => at <= end).sort((a, b) => a.at - b.at)[0];
      if (next === undefined) break;
      this.#timers = this.#timers.filter((one) => one !== next);
      this.now = Math.max(this.now, next.at);
      next.run();
    }
    this.now = Math.max(this.now, end);
  }
}

describe('a recording that is being made', () => {
  const clock = new Clock();
  beforeEach(() => {
    clock.now = 0;
    clock.start();
  });
  afterEach(() => clock.stop());

  /** When it was shown, if bytes come every 20 ms for ten seconds and to make a snapshot takes `costMs`. */
  function shownAt(costMs: number): { readonly times: readonly number[]; readonly lastIsLive: boolean } {
    const times: number[] = [];
    let lastIsLive = true;
    const port: WorkerPort = {
      onmessage: null,
      postMessage(message: FromWorker): void {
        if (message.type !== 'snapshot') return;
        times.push(clock.now);
        lastIsLive = message.snapshot.live;
      },
    };
    serve(
      port,
      () => ({
        append: () => undefined,
        finish: () => undefined,
        trace: () => {
          clock.now += costMs;
          return trace;
        },
      }),
      () => assert.fail('nothing is asked'),
    );
    const tell = (data: ToWorker): void => port.onmessage?.({ data } as MessageEvent<ToWorker>);
    tell({ type: 'open', live: true, totalBytes: 0, rowsInSight: 10, part: {} });
    for (let at = 0; at < 10_000; at += 20) {
      clock.turnTo(at);
      tell({ type: 'bytes', data: new ArrayBuffer(8) });
    }
    tell({ type: 'end' });
    clock.turnTo(20_000);
    return { times, lastIsLive };
  }

  const gaps = (times: readonly number[]): number[] =>
    times.slice(1).map((at, row) => at - (times[row] ?? 0));

  it('is shown at once, and then once a second', () => {
    const { times, lastIsLive } = shownAt(1);
    assert.ok((times[0] ?? Infinity) < 50, times.join());
    const live = times.slice(0, -1);
    for (const gap of gaps(live)) assert.ok(gap >= 1000 && gap < 1050, times.join());
    assert.equal(live.length, 10);
    assert.equal(lastIsLive, false, 'its end is shown without waiting');
    assert.ok((times.at(-1) ?? Infinity) < 10_050, times.join());
  });

  it('takes a fifth of the time at most where to show it is slow', () => {
    const live = shownAt(500).times.slice(0, -1);
    for (const gap of gaps(live)) assert.ok(gap >= 2500 && gap < 2550, live.join());
    assert.equal(live.length, 4);
  });
});
