/** Reads the lag files of folders one after another into groups, with names as they were written. */
import { LagGroups } from '../../trace/lags/lag-groups.js';
import type { LagRecord } from '../../trace/lags/lag-record.js';
import { retraceStack } from '../r8/retrace.js';
import type { RetraceMapping } from '../r8/retrace-mapping.js';
import { lagsIn, type NoLag } from './lag-files.js';

/** More files that cannot be read are counted, and not named. */
const namedSkips = 20;
const tellEvery = 200;

type Maybe<T> = T | undefined;

export interface GroupLagsOptions {
  /** The mapping that the program's names were minified by. */
  readonly mappingOf: (lag: LagRecord) => Maybe<RetraceMapping> | Promise<Maybe<RetraceMapping>>;
  readonly onProgress: (files: number) => void;
}

export interface GroupedLags {
  readonly groups: LagGroups;
  /** How many there are; `skips` of them are no lag files. */
  readonly files: number;
  readonly skips: number;
  readonly skipped: readonly NoLag[];
}

const isLag = (found: LagRecord | NoLag): found is LagRecord => !('why' in found);

/** Rejects with the system's error where a folder cannot be listed. */
export async function groupLags(
  operands: readonly string[],
  { mappingOf, onProgress }: GroupLagsOptions,
): Promise<GroupedLags> {
  const groups = new LagGroups();
  const skipped: NoLag[] = [];
  let skips = 0;
  let files = 0;
  for await (const found of lagsIn(operands)) {
    if (++files % tellEvery === 0) onProgress(files);
    if (isLag(found)) {
      const frames = found.frames.map((frame) => ({ ...frame, signature: '' }));
      const mapping = await mappingOf(found);
      groups.add(found, mapping === undefined ? frames : retraceStack(mapping, frames));
    } else if (++skips <= namedSkips) skipped.push(found);
  }
  return { groups, files, skips, skipped };
}
