/** Bytes of a file → a decoder for what they are, whatever the file is called. */
import { RecordingDecoder } from '../../trace/build/decoder.js';
import type { PartOptions } from '../../trace/build/part.js';
import { anyImporter, importers } from '../../trace/formats/index.js';
import type { Recognised } from '../../trace/formats/recognised.js';
import type { Trace } from '../../trace/model/trace.js';
import { NotATrace } from './serve.js';
import type { Decoder } from './serve.js';

const ownMagic = [0x42, 0x54, 0x52, 0x41, 0x43, 0x45];

/** Holds the first bytes until they tell a recording of ours from all others. */
export function openRecording(part: PartOptions): Decoder {
  let held: Uint8Array = new Uint8Array(0);
  let chosen: Decoder | undefined;
  const choose = (): Decoder => {
    const isOwn = ownMagic.every((byte, at) => held[at] === byte);
    chosen = isOwn ? ownRecording(part) : foreignTrace(part);
    chosen.append(held);
    held = new Uint8Array(0);
    return chosen;
  };
  return {
    append: (bytes): void => {
      if (chosen !== undefined) {
        chosen.append(bytes);
        return;
      }
      held = held.length === 0 ? bytes : joined(held, bytes);
      if (held.length >= ownMagic.length) choose();
    },
    finish: () => (chosen ?? choose()).finish(),
    trace: () => (chosen ?? choose()).trace(),
  };
}

function joined(one: Uint8Array, other: Uint8Array): Uint8Array {
  const both = new Uint8Array(one.length + other.length);
  both.set(one);
  both.set(other, one.length);
  return both;
}

function ownRecording(part: PartOptions): Decoder {
  const decoder = new RecordingDecoder({ magic: true, ...part });
  const check = (): void => {
    if (decoder.refused !== '') throw new NotATrace(decoder.refused);
  };
  return {
    append: (bytes): void => {
      decoder.append(bytes);
      check();
    },
    finish: (): void => {
      decoder.finish();
      check();
    },
    trace: () => decoder.trace(),
  };
}

/** Foreign formats have a trace when they have ended, not before. */
function foreignTrace(part: PartOptions): Decoder {
  const importer = anyImporter(part);
  let trace: Trace | undefined;
  const finish = (): Trace => {
    trace ??= importer.finish();
    return trace;
  };
  return {
    append: (bytes): void => {
      importer.append(bytes);
      // Known by its first bytes: whoever opens a film of 2 GB does not wait for its end.
      if (importer.recognised !== undefined) check(importer.recognised);
    },
    finish: (): void => {
      finish();
      check(importer.recognised ?? { format: undefined, name: 'an empty file', advice: '' });
    },
    trace: finish,
  };
}

function check({ format, name, advice }: Recognised): void {
  if (format === 'gzip' || importers.some(({ id }) => id === format)) return;
  throw new NotATrace(`${name}. ${advice}`.trim());
}
