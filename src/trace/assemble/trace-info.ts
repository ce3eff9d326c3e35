/** What a recording's header says, as facts of its trace. */
import { CounterBit, SampleFlag } from '../model/kinds.js';
import { type TraceInfo } from '../model/trace.js';
import { type Header } from '../recording/messages.js';
import { cut } from './methods.js';

/** `counters`: what was read with any sample, CounterBit bits. `flags`: what is said of any, SampleFlag bits. */
export function traceInfo(header: Header, counters: number, flags: number): TraceInfo {
  const { target, clock, config } = header;
  return {
    format: 'btrace',
    targetName: cut(target.name),
    pid: target.pid,
    runtime: target.runtime,
    os: target.os,
    arch: target.arch,
    device: target.device,
    agentVersion: header.agentVersion,
    mode: header.mode,
    modeReason: header.modeReason,
    buildId: header.buildId,
    startMonotonicNs: clock.monotonicNs,
    startBoottimeNs: clock.boottimeNs,
    startRealtimeNs: clock.realtimeNs,
    syncIntervalNs: config.syncIntervalNs,
    asyncIntervalNs: config.asyncIntervalNs,
    hasCpu: (counters & CounterBit.Cpu) !== 0,
    hasAllocations: (counters & (CounterBit.Allocations | CounterBit.AllocatedBytes)) !== 0,
    hasAllocationCounts: (counters & CounterBit.Allocations) !== 0,
    hasFaults: (counters & CounterBit.Faults) !== 0,
    hasSwitches: (counters & CounterBit.Switches) !== 0,
    exact: false,
    linesNearSafepoints: (flags & SampleFlag.Safepoint) !== 0,
    allocationsEstimated: (counters & (CounterBit.AllocationsEstimated | CounterBit.BytesEstimated)) !== 0,
  };
}
