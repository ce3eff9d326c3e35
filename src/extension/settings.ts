/** Every setting with its type, read when asked for, so that a change holds at once. Defaults are those of package.json. */
import { workspace, type ConfigurationScope } from 'vscode';
import type { RecordingPreset } from '../targets/presets.js';
import type { NativeFrom } from '../targets/target.js';
import { usualMemoryBytes } from '../trace/assemble/budget.js';

export type PresetName = RecordingPreset | 'custom';
export type FiguresShown = 'lens' | 'lensAndLines' | 'lensAndHeat' | 'all' | 'off';
export type FiguresTime = 'total' | 'self';

export interface CustomPreset {
  readonly intervalMicros?: number;
  readonly cpuIntervalMicros?: number;
  readonly pointIntervalMicros?: number;
  readonly allocationIntervalBytes?: number;
  readonly budgetPercent?: number;
  readonly mainThreadOnly?: boolean;
}

interface Values {
  'recording.preset': PresetName;
  'recording.custom': CustomPreset;
  'recording.folder': string;
  'recording.keep': number;
  'recording.maxMinutes': number;
  'recording.maxMegabytes': number;
  'recording.memoryMegabytes': number;
  'recording.ringSeconds': number;
  'recording.system': string;
  'recording.systemConfig': string;
  'recording.nativeFrom': NativeFrom;
  'figures.show': FiguresShown;
  'figures.time': FiguresTime;
  'figures.thresholdPercent': number;
  'chart.keys': Readonly<Record<string, unknown>>;
  'sources.openOnClick': boolean;
  'sources.myPackages': readonly string[];
  'sources.mapping': string;
  'sources.jdk': string;
  'files.readWholeMegabytes': number;
  'files.memoryMegabytes': number;
  'adb.path': string;
  'adb.server': string;
  'ios.token': string;
  'ios.symbols': string;
  'agent.folder': string;
}

const fallback: Values = {
  'recording.preset': 'balanced',
  'recording.custom': {},
  'recording.folder': '',
  'recording.keep': 30,
  'recording.maxMinutes': 0,
  'recording.maxMegabytes': 0,
  'recording.memoryMegabytes': 32,
  'recording.ringSeconds': 0,
  'recording.system': 'off',
  'recording.systemConfig': '',
  'recording.nativeFrom': 'outside',
  'figures.show': 'all',
  'figures.time': 'total',
  'figures.thresholdPercent': 0.5,
  'chart.keys': {},
  'sources.openOnClick': true,
  'sources.myPackages': [],
  'sources.mapping': '',
  'sources.jdk': '',
  'files.readWholeMegabytes': 512,
  'files.memoryMegabytes': usualMemoryBytes / 2 ** 20,
  'adb.path': '',
  'adb.server': '',
  'ios.token': '',
  'ios.symbols': '',
  'agent.folder': '',
};

/** A value of another type than package.json allows (settings are edited by hand) counts as not set. */
export function setting<K extends keyof Values>(key: K, scope?: ConfigurationScope): Values[K] {
  const standard = fallback[key];
  const value: unknown = workspace.getConfiguration('btrace', scope).get(key);
  const fits =
    typeof value === typeof standard && value !== null && Array.isArray(value) === Array.isArray(standard);
  return fits ? (value as Values[K]) : standard;
}

/** What an opened file may take. */
export function openedMemoryBytes(): number {
  return setting('files.memoryMegabytes') * 2 ** 20;
}

export const settingDefaults: Readonly<Values> = fallback;
