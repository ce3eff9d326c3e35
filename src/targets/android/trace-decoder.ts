/** Decodes the device's file as it comes, into chunks of the recording. */
import { countOr0, numberIn } from '../../trace/assemble/number-gate.js';
import type { System } from '../../trace/recording/scheduling.js';
import { SystraceImporter } from '../../trace/formats/systrace-import.js';
import { KernelEvents } from '../../trace/system/kernel-events.js';
import { shiftOf } from '../../trace/system/lay-beside.js';
import { PerfettoKernel } from '../../trace/system/perfetto-kernel.js';
import type { SystemChunks } from '../../trace/system/system-chunks.js';
import type { StartedClock } from '../system/system-source.js';

export interface TraceDecoder {
  take(bytes: Uint8Array): void;
  /** All is here: what the recording says of it. */
  finish(): { readonly system: Partial<System>; readonly damage: string };
}

export function serviceDecoder(chunks: SystemChunks, clock: StartedClock): TraceDecoder {
  const events = new KernelEvents();
  const kernel = new PerfettoKernel(events, clock);
  return {
    take(bytes) {
      kernel.append(bytes);
      chunks.flush(events, 0);
    },
    finish() {
      const { offsetNs, errorNs, readings, lost, damage } = kernel;
      return {
        damage,
        system: {
          ...rangeOf(chunks),
          offsetNs: Math.round(offsetNs),
          errorNs: Math.round(errorNs),
          marks: readings,
          events: kernel.events,
          lost,
        },
      };
    },
  };
}

/** atrace's text comes at the end and whole, as much as its buffers hold. */
export function textDecoder(chunks: SystemChunks, clock: StartedClock): TraceDecoder {
  const events = new KernelEvents();
  const importer = new SystraceImporter({ kernel: events });
  let head = '';
  return {
    take(bytes) {
      if (head.length < 4096) head += new TextDecoder().decode(bytes.subarray(0, 4096));
      importer.append(bytes);
    },
    finish() {
      importer.finish();
      const count = events.switches.count + events.wakes.count;
      const shift = shiftOf(events, {
        startMonotonicNs: clock.monotonicNs,
        startBoottimeNs: clock.boottimeNs,
      });
      chunks.flush(events, shift.ns);
      const [, kept, written] = /entries-in-buffer\/entries-written: (\d+)\/(\d+)/.exec(head) ?? [];
      return {
        damage: count === 0 ? 'it has no events of the scheduler' : '',
        system: {
          ...rangeOf(chunks),
          clock: `${shift.clock}, the nearer one`,
          events: count,
          lost: countOr0(numberIn(written ?? '') - numberIn(kept ?? '')),
        },
      };
    },
  };
}

function rangeOf({ beginNs, endNs, cores }: SystemChunks): Partial<System> {
  return endNs >= beginNs ? { beginNs: Math.round(beginNs), endNs: Math.round(endNs), cores } : {};
}
