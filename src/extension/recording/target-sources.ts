/** Which kinds of targets this window can record. */
import type { TargetSource } from '../../targets/target.js';

export function targetSources(): TargetSource[] {
  return [];
}
