/** How a recording ends, and the words for it: the same for one that an agent sends and for one that Android sampled. */
import { EndReason } from '../../trace/model/kinds.js';
import type { SessionEnd } from '../target.js';
import type { FileError } from './recording-file.js';

export interface Ending {
  readonly reason: SessionEnd['reason'];
  readonly message: string;
}

/** As the recording itself says it. */
export const footerReasons: Record<SessionEnd['reason'], (typeof EndReason)[keyof typeof EndReason]> = {
  stopped: EndReason.Stopped,
  'target-exited': EndReason.TargetExited,
  'connection-lost': EndReason.ConnectionLost,
  limit: EndReason.Limit,
  cancelled: EndReason.Cancelled,
  fault: EndReason.Fault,
  'disk-full': EndReason.DiskFull,
};

/** Of a file that takes no more: what it has stays. */
export function endOfFile({ diskFull, message, path }: FileError): Ending {
  const kept = `What was recorded until then is in ${path}.`;
  return diskFull
    ? { reason: 'disk-full', message: `The disk is full. ${kept}` }
    : { reason: 'fault', message: `${message} ${kept}` };
}

/** What stands before another gets its full stop. */
export function sentences(said: readonly string[]): string {
  const [first = '', ...others] = said.filter((line) => line !== '');
  return others.reduce((all, line) => `${all}${/[.!?]$/.test(all) ? '' : '.'} ${line}`, first);
}
