/** A recording that its program wrote by itself → the same with the names of its native functions. */
import { type Copied, copyRecording } from '../../trace/recording/copy.js';
import { Symbols } from '../../trace/recording/messages.js';
import type { ByteSink } from '../../trace/recording/writer.js';
import { NativeNames } from './native-names.js';

export interface Named extends Copied {
  readonly functions: number;
  /** Of calls, in all functions. */
  readonly places: number;
  /** Files of debug information that are damaged. */
  readonly damaged: readonly string[];
  /** Files that have a part of the debug information, and were not found. */
  readonly missing: readonly string[];
}

/** Names that are there already stay, but those that the agent found in memory where a file tells more. `folders`: where the program's files and debug information are, of one that ran elsewhere. */
export async function nameRecording(
  pieces: AsyncIterable<Uint8Array>,
  folders: readonly string[],
  sink: ByteSink,
): Promise<Named> {
  const names = new NativeNames({ root: '', folders });
  const functions = new Set<string>();
  let places = 0;
  try {
    const copied = await copyRecording(pieces, sink, {
      before: async (chunk) => {
        const found = await names.before(chunk);
        if (found === undefined) return undefined;
        for (const { image, name, file, offset, ofMemory } of Symbols.decode(found.stored).functions) {
          if (ofMemory) continue;
          functions.add([image, name, file].join('\0'));
          places += offset.length;
        }
        return found;
      },
    });
    return { ...copied, functions: functions.size, places, damaged: names.damaged, missing: names.missing };
  } finally {
    names.close();
  }
}
