/** What a recording looks at, by name. The kinds are those of recording.proto's SampleKind. */
import { l10n } from 'vscode';
import type { RecordOptions } from '../../targets/target.js';
import { setting, type PresetName } from '../settings.js';

export const presetNames: readonly PresetName[] = ['balanced', 'mainThread', 'memory', 'locks', 'custom'];

export function isPresetName(name: string): name is PresetName {
  return (presetNames as readonly string[]).includes(name);
}

export interface Preset {
  readonly name: PresetName;
  readonly label: string;
  readonly description: string;
}

export function presets(): Preset[] {
  return [
    {
      name: 'balanced',
      label: l10n.t('Balanced'),
      description: l10n.t('all threads, every kind of point, 1 ms'),
    },
    {
      name: 'mainThread',
      label: l10n.t('Main thread'),
      description: l10n.t('the main thread alone, twice as fine'),
    },
    {
      name: 'memory',
      label: l10n.t('Memory'),
      description: l10n.t('allocations in fine steps, garbage collection'),
    },
    {
      name: 'locks',
      label: l10n.t('Locks'),
      description: l10n.t('monitors, waits, parks and who ended them'),
    },
    { name: 'custom', label: l10n.t('Custom'), description: l10n.t('as set in btrace.recording.custom') },
  ];
}

/** SampleKind: what the presets that narrow the set ask for. */
const kind = {
  asyncSelf: 1,
  asyncOutside: 2,
  allocation: 3,
  monitor: 5,
  wait: 6,
  park: 7,
  sleep: 8,
  gc: 9,
  threadStart: 13,
  notify: 14,
  unpark: 15,
  monitorRelease: 16,
} as const;

type Choice = Pick<
  RecordOptions,
  'syncIntervalNs' | 'asyncIntervalNs' | 'budgetPpm' | 'mainOnly' | 'kinds' | 'allocationIntervalBytes'
>;

const balanced: Choice = {
  syncIntervalNs: 1_000_000,
  asyncIntervalNs: 10_000_000,
  budgetPpm: 10_000,
  mainOnly: false,
  kinds: [],
  allocationIntervalBytes: 64 * 1024,
};

function choice(name: PresetName): Choice {
  switch (name) {
    case 'balanced':
      return balanced;
    case 'mainThread':
      return { ...balanced, mainOnly: true, syncIntervalNs: 500_000, asyncIntervalNs: 5_000_000 };
    case 'memory':
      return {
        ...balanced,
        kinds: [kind.asyncSelf, kind.asyncOutside, kind.allocation, kind.gc],
        allocationIntervalBytes: 8 * 1024,
      };
    case 'locks':
      return {
        ...balanced,
        kinds: [
          kind.asyncSelf,
          kind.asyncOutside,
          kind.monitor,
          kind.wait,
          kind.park,
          kind.sleep,
          kind.threadStart,
          kind.notify,
          kind.unpark,
          kind.monitorRelease,
        ],
      };
    case 'custom': {
      const own = setting('recording.custom');
      return {
        ...balanced,
        ...(own.syncIntervalMicros === undefined ? {} : { syncIntervalNs: own.syncIntervalMicros * 1000 }),
        ...(own.asyncIntervalMicros === undefined ? {} : { asyncIntervalNs: own.asyncIntervalMicros * 1000 }),
        ...(own.allocationIntervalBytes === undefined
          ? {}
          : { allocationIntervalBytes: own.allocationIntervalBytes }),
        ...(own.budgetPercent === undefined ? {} : { budgetPpm: own.budgetPercent * 10_000 }),
        ...(own.mainThreadOnly === undefined ? {} : { mainOnly: own.mainThreadOnly }),
      };
    }
  }
}

export interface RecordingLimits {
  /** 0: until stopped. */
  readonly maxDurationMs: number;
}

export function recordOptions(
  file: string,
  preset: PresetName,
  fromLaunch: boolean,
  limits: RecordingLimits = { maxDurationMs: setting('recording.maxMinutes') * 60_000 },
): RecordOptions {
  const ringSeconds = setting('recording.ringSeconds');
  return {
    ...choice(preset),
    file,
    memoryBytes: setting('recording.memoryMegabytes') * 2 ** 20,
    policy: ringSeconds > 0 ? 'ring' : 'stream',
    ringNs: ringSeconds * 1e9,
    maxDurationMs: limits.maxDurationMs,
    maxBytes: setting('recording.maxMegabytes') * 1e6,
    fromLaunch,
  };
}
