/** What was asked for on the command line of `btrace record`, and the options that follow from it. */
import { renameSync } from 'node:fs';
import { lstat, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { type SystemPreset, systemPresets } from '../../targets/system/system-presets.js';
import { defaultMemoryBytes, recordingPresets, type RecordingChoice } from '../../targets/presets.js';
import { partName } from '../../targets/part-file.js';
import { newRecordingFile } from '../../targets/recording-folder.js';
import type { NativeFrom, RecordOptions } from '../../targets/target.js';
import { SampleKind } from '../../trace/index.js';

/** As the command line has it: "main-thread" for `mainThread`. */
const word = (name: string): string => name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);

const presets = new Map<string, RecordingChoice>(
  Object.entries(recordingPresets).map(([name, choice]) => [word(name), choice]),
);
export const systemPresetsByWord: ReadonlyMap<string, SystemPreset> = new Map(
  (Object.keys(systemPresets) as SystemPreset[]).map((name) => [word(name), name]),
);
export const systemPresetNames: readonly string[] = [...systemPresetsByWord.keys()];
export const presetNames: readonly string[] = [...presets.keys()];

export const recordingsFolder = 'btrace-recordings';

export interface RecordRequest {
  readonly preset: string;
  readonly output: string | undefined;
  readonly force: boolean;
  readonly durationMs: number;
  readonly syncIntervalNs: number | undefined;
  readonly asyncIntervalNs: number | undefined;
  readonly allocationIntervalBytes: number | undefined;
  readonly budgetPercent: number | undefined;
  readonly memoryBytes: number | undefined;
  readonly mainOnly: boolean;
  readonly noSignals: boolean;
  readonly maxBytes: number;
  readonly stopWhenFull: boolean;
  readonly ringNs: number | undefined;
  readonly fromLaunch: boolean;
  readonly redact: boolean;
  readonly system: boolean;
  readonly nativeFrom: NativeFrom | undefined;
  readonly systemPreset: SystemPreset | undefined;
  readonly systemConfig: string | undefined;
}

function withoutSignals(kinds: readonly number[]): readonly number[] {
  const asked = kinds.length > 0 ? kinds : Object.values(SampleKind);
  return asked.filter((kind) => kind !== SampleKind.CpuTimer);
}

/** `name` is the program's: it names the file when the request does not. */
export async function recordOptions(request: RecordRequest, name: string): Promise<RecordOptions> {
  const base = presets.get(request.preset) ?? recordingPresets.balanced;
  const file = request.output ?? (await newRecordingFile(recordingsFolder, name, new Date()));
  return {
    ...base,
    file: path.resolve(file),
    syncIntervalNs: request.syncIntervalNs ?? base.syncIntervalNs,
    asyncIntervalNs: request.asyncIntervalNs ?? base.asyncIntervalNs,
    allocationIntervalBytes: request.allocationIntervalBytes ?? base.allocationIntervalBytes,
    budgetPpm: request.budgetPercent === undefined ? base.budgetPpm : request.budgetPercent * 10_000,
    kinds: request.noSignals ? withoutSignals(base.kinds) : base.kinds,
    mainOnly: request.mainOnly || base.mainOnly,
    memoryBytes: request.memoryBytes ?? defaultMemoryBytes,
    policy: request.ringNs !== undefined ? 'ring' : request.stopWhenFull ? 'stop-when-full' : 'stream',
    ringNs: request.ringNs ?? 0,
    maxDurationMs: request.durationMs,
    maxBytes: request.maxBytes,
    fromLaunch: request.fromLaunch,
    redact: request.redact,
    system: request.system,
    ...(request.nativeFrom !== undefined && { nativeFrom: request.nativeFrom }),
    ...(request.systemPreset !== undefined && { systemPreset: request.systemPreset }),
    ...(request.systemConfig !== undefined && { systemConfig: request.systemConfig }),
  };
}

/** With --force the file that is there makes room for the new one: for good once that has begun. */
export async function makingRoom<T>(
  { force, output }: Pick<RecordRequest, 'force' | 'output'>,
  begin: () => Promise<T>,
): Promise<T> {
  const isFile = force && output !== undefined && (await lstat(output).catch(() => undefined))?.isFile();
  if (isFile !== true) return begin();
  const aside = partName(output);
  await rename(output, aside);
  const backAtExit = () => renameSync(aside, output);
  process.once('exit', backAtExit);
  try {
    const begun = await begin();
    await rm(aside, { force: true });
    return begun;
  } catch (error) {
    await rename(aside, output);
    throw error;
  } finally {
    process.off('exit', backAtExit);
  }
}
