/** What was asked for on the command line of `btrace record`, and the options that follow from it. */
import { lstat, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { DEFAULT_MEMORY_BYTES, recordingPresets, type RecordingChoice } from '../../targets/presets.js';
import { newRecordingFile } from '../../targets/recording-folder.js';
import type { RecordOptions } from '../../targets/target.js';
import { SampleKind } from '../../trace/index.js';

/** By the words of the command line: "main-thread" for `mainThread`. */
const presets = new Map<string, RecordingChoice>(
  Object.entries(recordingPresets).map(([name, choice]) => [
    name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`),
    choice,
  ]),
);
export const presetNames: readonly string[] = [...presets.keys()];

export const RECORDINGS_FOLDER = 'btrace-recordings';

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
}

function withoutSignals(kinds: readonly number[]): readonly number[] {
  const asked = kinds.length > 0 ? kinds : Object.values(SampleKind);
  return asked.filter((kind) => kind !== SampleKind.AsyncSelf);
}

/** `name` is the program's: it names the file when the request does not. */
export async function recordOptions(request: RecordRequest, name: string): Promise<RecordOptions> {
  const base = presets.get(request.preset) ?? recordingPresets.balanced;
  const file = request.output ?? (await newRecordingFile(RECORDINGS_FOLDER, name, new Date()));
  return {
    ...base,
    file: path.resolve(file),
    syncIntervalNs: request.syncIntervalNs ?? base.syncIntervalNs,
    asyncIntervalNs: request.asyncIntervalNs ?? base.asyncIntervalNs,
    allocationIntervalBytes: request.allocationIntervalBytes ?? base.allocationIntervalBytes,
    budgetPpm: request.budgetPercent === undefined ? base.budgetPpm : request.budgetPercent * 10_000,
    kinds: request.noSignals ? withoutSignals(base.kinds) : base.kinds,
    mainOnly: request.mainOnly || base.mainOnly,
    memoryBytes: request.memoryBytes ?? DEFAULT_MEMORY_BYTES,
    policy: request.ringNs !== undefined ? 'ring' : request.stopWhenFull ? 'stop-when-full' : 'stream',
    ringNs: request.ringNs ?? 0,
    maxDurationMs: request.durationMs,
    maxBytes: request.maxBytes,
    fromLaunch: request.fromLaunch,
    redact: request.redact,
  };
}

/** With --force the file that is there makes room for the new one: for good once that has begun. */
export async function makingRoom<T>(
  { force, output }: Pick<RecordRequest, 'force' | 'output'>,
  begin: () => Promise<T>,
): Promise<T> {
  const isFile = force && output !== undefined && (await lstat(output).catch(() => undefined))?.isFile();
  if (isFile !== true) return begin();
  const aside = `${output}.${process.pid}.before`;
  await rename(output, aside);
  try {
    const begun = await begin();
    await rm(aside, { force: true });
    return begun;
  } catch (error) {
    await rename(aside, output);
    throw error;
  }
}
