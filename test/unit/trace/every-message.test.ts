/** What is damaged, cut and compared in the other tests has everything in it that a recording can hold. */
import assert from 'node:assert/strict';
import { fileURLToPath } from 'node:url';
import { describe, it } from 'mocha';
import protobuf from 'protobufjs';
import { ChunkKind, chunkPayload, firstConversationKind } from '../../../src/trace/recording/chunk.js';
import { chunksOf } from './mutations.js';
import { randomRecording } from './random-recording.js';

const root = protobuf.loadSync(fileURLToPath(new URL('../../../proto/recording.proto', import.meta.url)));
root.resolveAll();
// A ring holds chunks, no message: ring.test.ts.
const kinds = Object.entries(ChunkKind).filter(
  ([, kind]) => kind < firstConversationKind && kind !== ChunkKind.Ring,
);

/** "Message.field" of all that a message, and those in it, can hold. */
function fieldsIn(type: protobuf.Type, found: Set<string>): Set<string> {
  for (const field of type.fieldsArray) {
    found.add(`${type.name}.${field.name}`);
    if (field.resolvedType instanceof protobuf.Type) fieldsIn(field.resolvedType, found);
  }
  return found;
}

/** Those of them in which there is something. */
function fieldsSet(type: protobuf.Type, message: Record<string, unknown>, found: Set<string>): void {
  for (const field of type.fieldsArray) {
    const { resolvedType } = field;
    const given = message[field.name] ?? [];
    for (const value of Array.isArray(given) ? (given as unknown[]) : [given]) {
      if (resolvedType instanceof protobuf.Type)
        fieldsSet(resolvedType, value as Record<string, unknown>, found);
      if (value !== 0 && value !== '0' && value !== '' && value !== false)
        found.add(`${type.name}.${field.name}`);
    }
  }
}

describe('random recordings', () => {
  it('have chunks of every kind, with something in every field of recording.proto', () => {
    const possible = new Set<string>();
    const found = new Set<string>();
    const names = new Map(kinds.map(([name, kind]) => [kind as number, name]));
    for (const name of names.values()) fieldsIn(root.lookupType(`btrace.${name}`), possible);
    for (let seed = 1; seed <= 30; seed++) {
      for (const chunk of chunksOf(randomRecording(seed).bytes)) {
        const type = root.lookupType(`btrace.${names.get(chunk.kind)!}`);
        const message = type.toObject(type.decode(chunkPayload(chunk)), { longs: String, enums: Number });
        fieldsSet(type, message, found);
      }
    }
    assert.deepEqual(
      [...possible].filter((field) => !found.has(field)),
      [],
    );
  });
});
