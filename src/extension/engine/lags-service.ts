/** Groups lag files in the worker and keeps the groups: the host asks for what a person opens. */
import { groupLags } from '../../symbols/lags/group-lags.js';
import { mapIdOf } from '../../symbols/r8/map-id.js';
import { type LagGroup, type LagTotals, trend } from '../../trace/lags/lag-groups.js';
import type { LagRecord } from '../../trace/lags/lag-record.js';
import type { KnownRetraceMappings, LagPlaceRow, LagRow, LagsOfFolder } from './engine-messages.js';
import type { RetraceMappingService } from './retrace-mapping-service.js';

/** Nobody looks further down; each crosses to the host's thread as an object. */
const mostGroups = 200;
const mostPlaces = 50;
const mostVersions = 10;
/** Kept at a time: each may take hundreds of MB. */
const mostMappings = 4;

function buildOf({ frames }: LagRecord): string {
  return frames.map(({ file }) => mapIdOf(file)).find((id) => id !== '') ?? '';
}

function rowOf(of: LagTotals, frames: readonly string[]): LagRow {
  const { count, users, freezes, notResponding, worst } = of;
  const versions = [...of.versions].sort(([, a], [, b]) => b - a);
  return {
    frames,
    count,
    users,
    freezes,
    notResponding,
    worst,
    versions: versions.slice(0, mostVersions),
    moreVersions: Math.max(versions.length - mostVersions, 0),
    trend: trend(of),
    lastDay: Math.max(0, ...of.days.keys()),
  };
}

export class LagsService {
  readonly #mappings: RetraceMappingService;
  #groups: readonly LagGroup[] = [];

  constructor(mappings: RetraceMappingService) {
    this.#mappings = mappings;
  }

  async group(
    folder: string,
    mapping: KnownRetraceMappings,
    onProgress: (files: number) => void,
  ): Promise<LagsOfFolder> {
    const kept = new Map<string, ReturnType<RetraceMappingService['ofBuild']>>();
    const mappingOf = (lag: LagRecord) => {
      const build = mapping.chosen ? '' : buildOf(lag);
      let found = kept.get(build);
      if (found === undefined) {
        for (const oldest of kept.keys()) if (kept.size >= mostMappings) kept.delete(oldest);
        kept.set(build, (found = this.#mappings.ofBuild(mapping, build)));
      }
      return found;
    };
    const { groups, files, skips, skipped } = await groupLags([folder], { mappingOf, onProgress });
    this.#groups = groups.groups();
    const shown = this.#groups.slice(0, mostGroups);
    return {
      all: rowOf(groups.all, []),
      files,
      skips,
      skipped,
      groups: shown.map((group) => rowOf(group, group.frames)),
      moreGroups: this.#groups.length - shown.length,
    };
  }

  places(group: number): readonly LagPlaceRow[] {
    const places = this.#groups[group]?.places.slice(0, mostPlaces) ?? [];
    return places.map((place) => ({ ...rowOf(place, place.frames), longest: place.longest }));
  }
}
