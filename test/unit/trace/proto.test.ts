/** Our bytes against recording.proto as protobufjs reads it: the schema, not our reader, says what they mean. */
import assert from 'node:assert/strict';
import { fileURLToPath } from 'node:url';
import { describe, it } from 'mocha';
import protobuf from 'protobufjs';
import * as messages from '../../../src/trace/recording/messages.js';
import { encodeHeldMemory } from '../../../src/trace/recording/held-memory.js';
import { encodeLinks } from '../../../src/trace/recording/links.js';
import { encodeNodes } from '../../../src/trace/recording/nodes.js';
import { encodeOffCarrierWaits } from '../../../src/trace/recording/off-carrier-waits.js';
import { encodeSamples } from '../../../src/trace/recording/samples.js';
import type { Message } from '../../../src/trace/recording/schema.js';
import { Random } from '../../../src/trace/synth/random.js';

const root = protobuf.loadSync(fileURLToPath(new URL('../../../proto/recording.proto', import.meta.url)));
root.resolveAll();
const schema = (name: string): protobuf.Type => root.lookupType(`btrace.${name}`);
// protobufjs names fields in camel case, as we do; 64-bit numbers as bigint-safe strings.
const asObject = (type: protobuf.Type, bytes: Uint8Array): Record<string, unknown> =>
  type.toObject(type.decode(bytes), { longs: String, enums: Number, defaults: true, arrays: true });

/** A value for every field of a message type, of every size of number. */
function randomValue(type: protobuf.Type, random: Random): Record<string, unknown> {
  const value: Record<string, unknown> = {};
  for (const field of type.fieldsArray) {
    field.resolve();
    const one = (): unknown => {
      const magnitude = Math.floor(2 ** (random.next() * 52));
      if (field.resolvedType instanceof protobuf.Type) return randomValue(field.resolvedType, random);
      if (field.resolvedType instanceof protobuf.Enum) return 1;
      switch (field.type) {
        case 'string':
          return 'naïve\u0000 text 🙂'.slice(0, random.below(12));
        case 'bytes':
          return Uint8Array.from({ length: random.below(40) }, () => random.below(256));
        case 'bool':
          return random.next() < 0.5;
        case 'uint32':
        case 'fixed32':
          return magnitude % 2 ** 32;
        case 'uint64':
          return magnitude;
        case 'sint64':
          return random.next() < 0.5 ? -magnitude : magnitude;
        default:
          throw new Error(`nothing is known of ${field.type}`);
      }
    };
    value[field.name] = field.repeated ? Array.from({ length: random.below(4) }, one) : one();
  }
  return value;
}

/** Numbers as strings, bytes as lists, so that both sides can be compared. */
function plain(value: unknown): unknown {
  if (value instanceof Uint8Array) return [...value];
  if (Array.isArray(value)) return value.map(plain);
  if (typeof value === 'number' || typeof value === 'bigint') return String(value);
  if (typeof value === 'object' && value !== null) {
    return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, plain(part)]));
  }
  return value;
}

/** Wall clocks and hashes are bigints on our side. */
function withBigints(value: Record<string, unknown>): Record<string, unknown> {
  const result = { ...value };
  for (const [name, part] of Object.entries(result)) {
    if (name === 'clock') {
      const clock = part as Record<string, number>;
      result[name] = Object.fromEntries(Object.entries(clock).map(([key, ns]) => [key, BigInt(ns)]));
    }
    if (name === 'user' || name === 'realtimeNs') result[name] = BigInt(part as number);
    if (name === 'images') {
      result[name] = (part as Record<string, unknown>[]).map((image) => ({
        ...image,
        loadAddress: BigInt(image['loadAddress'] as number),
      }));
    }
  }
  return result;
}

const cold: Record<string, Message<never>> = Object.fromEntries(
  Object.entries(messages)
    .filter(([name]) => !['Image', 'Class', 'Text', 'Thread', 'Method', 'SampleBlockHead'].includes(name))
    .map(([name, type]) => [name, type as unknown as Message<never>]),
);

describe('messages follow recording.proto', () => {
  for (const [name, ours] of Object.entries(cold)) {
    it(`in ${name}, both ways`, () => {
      const type = schema(name);
      for (let seed = 1; seed <= 50; seed++) {
        const value = randomValue(type, new Random(seed));
        const read = ours.decode(type.encode(type.fromObject(value)).finish());
        const reread = asObject(type, ours.encode(withBigints(value) as never));
        assert.deepEqual(plain(read), plain(asObject(type, type.encode(type.fromObject(value)).finish())));
        assert.deepEqual(plain(reread), plain(read));
      }
    });
  }

  it('in every field: none is missing on our side', () => {
    for (const [name, ours] of Object.entries(cold)) {
      const known = Object.keys(ours.empty()).sort();
      assert.deepEqual(
        known,
        schema(name)
          .fieldsArray.map((field) => field.name)
          .sort(),
        name,
      );
    }
  });

  it('in the columns of samples, nodes and links', () => {
    const samples = asObject(
      schema('Samples'),
      encodeSamples([
        { thread: 3, counters: 1, time: [10, 15, 15], stack: [1, 2, 1], cpu: [5, 9, 9], merged: [0, 0, 7] },
      ]),
    );
    const block = (samples['blocks'] as Record<string, unknown>[])[0]!;
    assert.equal(block['thread'], 3);
    assert.equal(block['count'], 3);
    assert.equal(block['baseTimeNs'], '10');
    assert.deepEqual(block['time'], ['0', '5', '0']);
    assert.deepEqual(block['stack'], ['0', '1', '-1']);
    assert.deepEqual(block['cpu'], ['0', '-1', '0']);
    assert.deepEqual(block['merged'], ['0', '1', '7']);
    const nodes = asObject(
      schema('Nodes'),
      encodeNodes({ id: [4, 6], parent: [0, 4], frame: [9, 8], position: [-1, 3] }),
    );
    assert.equal(nodes['first'], 4);
    assert.deepEqual(nodes['id'], ['0', '0', '1']);
    assert.deepEqual(nodes['parent'], ['3', '1']);
    assert.deepEqual(nodes['frame'], ['9', '-1']);
    assert.deepEqual(nodes['position'], ['0', '4']);
    const links = asObject(
      schema('Links'),
      encodeLinks({
        waiter: [1, 2],
        waiterTime: [5, 9],
        waker: [2, 1],
        wakerTime: [6, 11],
        certainty: [0, 1],
      }),
    );
    assert.deepEqual(links['waiterTime'], ['5', '4']);
    assert.deepEqual(links['certainty'], ['0', '0', '1']);
    const waits = asObject(
      schema('OffCarrierWaits'),
      encodeOffCarrierWaits({
        thread: [3, 3],
        id: [40, 38],
        begin: [-5, 9],
        duration: [7, 8],
        stack: [2, 1],
        flags: [0, 128],
        leftOut: [4, 0],
        leftOutNs: [0, 0],
      }),
    );
    assert.deepEqual(waits['thread'], ['3', '0', '0']);
    assert.deepEqual(waits['id'], ['40', '-2']);
    assert.deepEqual(waits['begin'], ['-5', '14']);
    assert.deepEqual(waits['duration'], ['7', '8']);
    assert.deepEqual(waits['flags'], ['0', '0', '128']);
    assert.deepEqual(waits['leftOut'], ['4', '0', '0']);
    const held = asObject(
      schema('HeldMemory'),
      encodeHeldMemory({ thread: [1, 1], time: [5, 9], stack: [3, 2], bytes: [2 ** 40, 7] }),
    );
    assert.deepEqual(held['thread'], ['1', '0', '0']);
    assert.deepEqual(held['time'], ['5', '4']);
    assert.deepEqual(held['stack'], ['3', '-1']);
    assert.deepEqual(held['bytes'], [String(2 ** 40), '7']);
  });
});
