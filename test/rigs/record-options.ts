import { defaultMemoryBytes, recordingPresets } from '../../src/targets/presets.js';
import type { RecordOptions } from '../../src/targets/target.js';

/** As a person records who chose nothing. */
export function recordOptions(file: string, changes: Partial<RecordOptions> = {}): RecordOptions {
  return {
    ...recordingPresets.balanced,
    file,
    memoryBytes: defaultMemoryBytes,
    policy: 'stream',
    ringNs: 0,
    maxDurationMs: 0,
    maxBytes: 0,
    ...changes,
  };
}
