/** What a recording looks at, by name: the same words in the command line and in VS Code. */
import { SampleKind } from '../trace/model/kinds.js';
import type { RecordOptions } from './target.js';

export type RecordingChoice = Pick<
  RecordOptions,
  'syncIntervalNs' | 'asyncIntervalNs' | 'budgetPpm' | 'mainOnly' | 'kinds' | 'allocationIntervalBytes'
>;

const balanced: RecordingChoice = {
  syncIntervalNs: 1_000_000,
  asyncIntervalNs: 10_000_000,
  budgetPpm: 10_000,
  mainOnly: false,
  kinds: [],
  allocationIntervalBytes: 64 * 1024,
};

const cpu = [SampleKind.CpuTimer, SampleKind.ExternalSampler];

export const recordingPresets = {
  /** All threads, every kind of point. */
  balanced,
  /** The main thread alone, twice as fine. */
  mainThread: { ...balanced, mainOnly: true, syncIntervalNs: 500_000, asyncIntervalNs: 5_000_000 },
  /** Allocations in fine steps, and collections. */
  memory: {
    ...balanced,
    kinds: [...cpu, SampleKind.Allocation, SampleKind.Gc, SampleKind.GcWait],
    allocationIntervalBytes: 8 * 1024,
  },
  /** Monitors, waits, parks, sleeps and who ended them. */
  locks: {
    ...balanced,
    kinds: [
      ...cpu,
      SampleKind.Monitor,
      SampleKind.Wait,
      SampleKind.Park,
      SampleKind.Sleep,
      SampleKind.ThreadStart,
      SampleKind.Notify,
      SampleKind.Unpark,
      SampleKind.MonitorRelease,
      SampleKind.OffCarrierWait,
    ],
  },
} as const satisfies Record<string, RecordingChoice>;

export type RecordingPreset = keyof typeof recordingPresets;

/** The agent's bound on its own memory. */
export const defaultMemoryBytes = 32 * 2 ** 20;
