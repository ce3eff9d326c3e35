/** What a recording looks at, by name: the presets of every front end, and one that the settings spell out. */
import { l10n } from 'vscode';
import { recordingPresets, type RecordingChoice } from '../../targets/presets.js';
import type { RecordOptions } from '../../targets/target.js';
import { setting, type PresetName } from '../settings.js';

export function isPresetName(name: string): name is PresetName {
  return name === 'custom' || Object.hasOwn(recordingPresets, name);
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
      description: l10n.t('where the time goes and what is waited for, in all threads'),
    },
    {
      name: 'mainThread',
      label: l10n.t('Main thread'),
      description: l10n.t('the main thread alone, in finer steps'),
    },
    {
      name: 'memory',
      label: l10n.t('Memory'),
      description: l10n.t('what allocates, in finer steps, and garbage collection'),
    },
    {
      name: 'locks',
      label: l10n.t('Locks'),
      description: l10n.t('what threads wait for, and who ends it'),
    },
    { name: 'custom', label: l10n.t('Custom'), description: l10n.t('as set in btrace.recording.custom') },
  ];
}

function choice(name: PresetName): RecordingChoice {
  if (name !== 'custom') return recordingPresets[name];
  const own = setting('recording.custom');
  const pointMicros = own.pointIntervalMicros ?? own.intervalMicros;
  const cpuMicros = own.cpuIntervalMicros ?? own.intervalMicros;
  return {
    ...recordingPresets.balanced,
    ...(pointMicros === undefined ? {} : { syncIntervalNs: pointMicros * 1000 }),
    ...(cpuMicros === undefined ? {} : { asyncIntervalNs: cpuMicros * 1000 }),
    ...(own.allocationIntervalBytes === undefined
      ? {}
      : { allocationIntervalBytes: own.allocationIntervalBytes }),
    ...(own.budgetPercent === undefined ? {} : { budgetPpm: own.budgetPercent * 10_000 }),
    ...(own.mainThreadOnly === undefined ? {} : { mainOnly: own.mainThreadOnly }),
  };
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
    maxBytes: setting('recording.maxMegabytes') * 2 ** 20,
    fromLaunch,
    nativeFrom: setting('recording.nativeFrom'),
  };
}
