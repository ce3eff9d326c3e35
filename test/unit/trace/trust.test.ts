import assert from 'node:assert/strict';
import { EndReason, LossReason, SourceKind } from '../../../src/trace/index.js';
import { captureTimes } from '../../../src/trace/measure/capture-times.js';
import { gapShare, lostOf, samplingOf } from '../../../src/trace/measure/trust.js';
import { unsampledCpu } from '../../../src/trace/measure/unsampled-cpu.js';

describe('how far a recording can be trusted', () => {
  it('tells how long captures took, by the histograms of all kinds together', () => {
    const costs = [
      { kind: 1, count: 90, totalNs: 90 * 1500, buckets: [...Array<number>(10).fill(0), 90] },
      { kind: 2, count: 10, totalNs: 10 * 30_000, buckets: [...Array<number>(14).fill(0), 8, 2] },
    ];
    const times = captureTimes(costs)!;
    assert.deepEqual([times.count, times.meanNs], [100, 4350]);
    assert.deepEqual([50, 90, 93, 98, 99].map(times.below), [2048, 2048, 32768, 32768, 65536]);
    assert.equal(captureTimes([]), undefined);
  });

  it('counts what was lost by reason, without what was asked for, and at least what the agent counted', () => {
    const loss = (reason: number, count: number) => ({ thread: 1, beginNs: 0, endNs: 1, count, reason });
    const { BufferFull, SlowReader, Overwritten, Budget } = LossReason;
    const losses = [loss(BufferFull, 2), loss(SlowReader, 3), loss(BufferFull, 1), loss(Overwritten, 50)];
    const byReason = new Map([
      [BufferFull, 3],
      [SlowReader, 3],
    ]);
    assert.deepEqual(lostOf([...losses, loss(Budget, 60)], undefined), {
      total: 6,
      byReason,
      unexplained: 0,
    });
    assert.deepEqual(lostOf(losses, { dropped: 4 }), { total: 6, byReason, unexplained: 0 });
    assert.deepEqual(lostOf(losses, { dropped: 10 }), { total: 10, byReason, unexplained: 4 });
  });

  it('says of an older agent’s interval that it was widened from 5 % on', () => {
    const info = { exact: false, syncIntervalNs: 1e6 };
    const { Points } = SourceKind;
    assert.deepEqual(samplingOf(info, undefined), [
      { kind: Points, askedNs: 1e6, effectiveNs: 1e6, isWidened: false, isLoud: false, isByTick: false },
    ]);
    assert.equal(samplingOf(info, { effectiveIntervalNs: 1.04e6 })[0]?.isWidened, false);
    assert.equal(samplingOf(info, { effectiveIntervalNs: 1.06e6 })[0]?.isWidened, true);
    assert.deepEqual(samplingOf({ ...info, exact: true }, undefined), []);
    assert.deepEqual(samplingOf({ ...info, syncIntervalNs: 0 }, { effectiveIntervalNs: 0 }), []);
  });

  it('says of each source what was asked and kept, and is loud where shares of time or waits change by it', () => {
    const info = { exact: false, syncIntervalNs: 1e6 };
    const { CpuTime, Points, Waits, ExternalSampler } = SourceKind;
    const of = (kept: Readonly<Record<number, number>>, tickNs = 4e6) =>
      samplingOf(info, {
        effectiveIntervalNs: 64e6,
        tickNs,
        sources: Object.entries(kept).map(([kind, effectiveNs]) => {
          const askedNs = Number(kind) === Points || Number(kind) === Waits ? 1e6 : 10e6;
          return { kind: Number(kind), askedNs, effectiveNs };
        }),
      });
    const said = (kept: Readonly<Record<number, number>>) =>
      of(kept).map(({ kind, isWidened, isLoud }) => [kind, isWidened, isLoud]);
    // What was kept and matters to few is not told.
    assert.deepEqual(said({ [Points]: 1e6, [CpuTime]: 10e6, [ExternalSampler]: 10e6, [Waits]: 1e6 }), [
      [CpuTime, false, false],
      [Points, false, false],
    ]);
    // Shares of CPU time rest upon the CPU clock: points may come less often.
    assert.deepEqual(said({ [Points]: 64e6, [CpuTime]: 10e6, [ExternalSampler]: 30e6, [Waits]: 4e6 }), [
      [CpuTime, false, false],
      [Points, true, false],
      [Waits, true, true],
      [ExternalSampler, true, false],
    ]);
    assert.deepEqual(said({ [Points]: 1e6, [CpuTime]: 40e6 })[0], [CpuTime, true, true]);
    // Without such interrupts they rest upon points.
    assert.deepEqual(said({ [Points]: 2.5e6 }), [[Points, true, true]]);
    assert.deepEqual(said({ [Points]: 1.9e6 }), [[Points, true, false]]);
  });

  it('says where it is the kernel’s tick that an interval cannot be shorter than', () => {
    const sources = [{ kind: SourceKind.CpuTime, askedNs: 1e6, effectiveNs: 4e6 }];
    const info = { exact: false, syncIntervalNs: 1e6 };
    const [byTick] = samplingOf(info, { effectiveIntervalNs: 1e6, tickNs: 4e6, sources });
    assert.deepEqual([byTick?.isByTick, byTick?.isLoud], [true, true]);
    const [byBudget] = samplingOf(info, { effectiveIntervalNs: 1e6, tickNs: 1e6, sources });
    assert.equal(byBudget?.isByTick, false);
  });

  it('is loud about gaps above a tenth of all time, gaps included', () => {
    const of = (gap: number) => gapShare({ exact: false }, { sum: { wall: 100 }, gap: { wall: gap } });
    assert.deepEqual(of(10), { gapNs: 10, ofTime: 0.1, isLoud: false });
    assert.equal(of(11)?.isLoud, true);
    assert.equal(gapShare({ exact: true }, { sum: { wall: 100 }, gap: { wall: 0 } }), undefined);
  });

  it('tells of CPU time that no sampled thread has, from a tenth on, and loudly from a third on', () => {
    type Whole = Parameters<typeof unsampledCpu>[0];
    const whole = {
      info: { hasCpu: true },
      status: { processCpuNs: 2.1e9, drainNs: 0.1e9 },
      losses: [],
      endReason: EndReason.Stopped,
    } as unknown as Whole;
    const of = (sampledNs: number, more: Partial<Whole> = {}) =>
      unsampledCpu({ ...whole, ...more }, sampledNs);
    assert.equal(of(1.81e9), undefined);
    assert.deepEqual(of(1.7e9), { unsampledNs: 0.3e9, processNs: 2e9, isLoud: false });
    assert.equal(of(1.3e9)?.isLoud, true);
    assert.equal(of(0, { endReason: EndReason.Dumped }), undefined);
    assert.equal(of(0, { part: { next: 1, recordingEndNs: 2 } }), undefined);
    const overwritten = { thread: 0, beginNs: 0, endNs: 1, count: 1, reason: LossReason.Overwritten };
    assert.equal(of(0, { losses: [overwritten] }), undefined);
    const short = { ...whole.status, processCpuNs: 0.19e9 } as Whole['status'];
    assert.equal(of(0, { status: short }), undefined);
  });
});
