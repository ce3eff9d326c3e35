import assert from 'node:assert/strict';
import { EndReason, LossReason } from '../../../src/trace/index.js';
import { gapShare, lostOf, samplingOf } from '../../../src/trace/measure/trust.js';
import { unsampledCpu } from '../../../src/trace/measure/unsampled-cpu.js';

describe('how far a recording can be trusted', () => {
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

  it('says that an interval was widened from 5 % on', () => {
    const info = { exact: false, syncIntervalNs: 1e6 };
    assert.deepEqual(samplingOf(info, undefined), { everyNs: 1e6, askedNs: 1e6, isWidened: false });
    assert.equal(samplingOf(info, { effectiveIntervalNs: 1.04e6 })?.isWidened, false);
    assert.equal(samplingOf(info, { effectiveIntervalNs: 1.06e6 })?.isWidened, true);
    assert.equal(samplingOf({ ...info, exact: true }, undefined), undefined);
    assert.equal(samplingOf({ ...info, syncIntervalNs: 0 }, { effectiveIntervalNs: 0 }), undefined);
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
