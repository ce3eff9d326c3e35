/** Fields of pprof's profile.proto. */
export const Profile = {
  sampleType: 1,
  sample: 2,
  mapping: 3,
  location: 4,
  function: 5,
  string: 6,
  timeNanos: 9,
  durationNanos: 10,
  defaultSampleType: 14,
} as const;
export const ValueType = { type: 1, unit: 2 } as const;
export const Sample = { locations: 1, values: 2, label: 3 } as const;
export const Label = { key: 1, text: 2, number: 3 } as const;
export const Mapping = { id: 1, file: 5, hasFunctions: 7, hasFilenames: 8 } as const;
export const Location = { id: 1, mapping: 2, address: 3, line: 4 } as const;
export const Line = { function: 1, line: 2 } as const;
export const Function = { id: 1, name: 2, systemName: 3, file: 4, startLine: 5 } as const;
/** Labels of a sample that say its thread: its name, and its id. Ours, and those of other profilers. */
export const threadNameKeys = ['thread', 'thread_name', 'thread name'];
export const threadIdKeys = ['tid', 'thread_id', 'thread id'];
