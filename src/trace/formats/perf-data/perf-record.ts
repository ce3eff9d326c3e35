/** Kinds of records in a perf.data file. */
export const PerfRecord = {
  map: 1,
  lost: 2,
  comm: 3,
  exit: 4,
  fork: 7,
  sample: 9,
  map2: 10,
  lostSamples: 13,
  attributes: 64,
  tracingData: 66,
  buildId: 67,
  auxTrace: 71,
  feature: 80,
  compressed: 81,
  compressed2: 83,
} as const;

/** Bits of a record's `misc`. */
export const Misc = { mapsData: 1 << 13, hasBuildId: 1 << 14 } as const;

export const recordHeadBytes = 8;
