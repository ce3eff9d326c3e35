import assert from 'node:assert/strict';
import { Redactor } from '../../../src/targets/session/redact.js';
import { type Chunk, ChunkKind, encodeChunk, flagOpen } from '../../../src/trace/recording/chunk.js';
import {
  Classes,
  Counters,
  Header,
  Images,
  Methods,
  Symbols,
  Texts,
  Threads,
} from '../../../src/trace/recording/messages.js';

function chunk(kind: number, stored: Uint8Array): Chunk {
  return { sequence: 0, kind, flags: 0, offset: 0, stored, rawLength: stored.length };
}

describe('redaction', () => {
  it('leaves no name of the program in any chunk, and keeps those of the platform', () => {
    const redactor = new Redactor();
    const secret = 'com.acme.Secret';
    const chunks = [
      chunk(
        ChunkKind.Header,
        Header.encode({ major: 1, target: { name: secret, device: secret, pid: 7 }, buildId: secret }),
      ),
      chunk(ChunkKind.Threads, Threads.encode({ threads: [{ index: 3, tid: 33, name: secret }] })),
      chunk(
        ChunkKind.Classes,
        Classes.encode({
          classes: [
            { id: 1, name: secret, file: `${secret}.java` },
            { id: 2, name: 'java.util.HashMap', file: 'HashMap.java' },
            { id: 3, name: 'byte[]' },
            { id: 4, name: `${secret}[]` },
          ],
        }),
      ),
      chunk(
        ChunkKind.Methods,
        Methods.encode({
          methods: [
            {
              id: 10,
              classId: 1,
              name: secret,
              signature: `(L${secret};)V`,
              linePosition: [0],
              lineNumber: [42],
            },
            { id: 11, classId: 2, name: 'get' },
            { id: 12, classId: 0, name: secret },
          ],
        }),
      ),
      chunk(
        ChunkKind.Images,
        Images.encode({
          images: [
            { id: 1, path: `/home/me/${secret}.so` },
            { id: 2, path: '/usr/lib/libc.so.6' },
          ],
        }),
      ),
      chunk(
        ChunkKind.Symbols,
        Symbols.encode({
          functions: [
            { image: 1, name: secret },
            { image: 2, name: 'malloc' },
          ],
        }),
      ),
      chunk(ChunkKind.Texts, Texts.encode({ texts: [{ id: 5, value: secret }] })),
      chunk(62, Buffer.from(secret)),
    ];
    const kept = chunks.map((one) => redactor.redact(one));
    assert.equal(kept.pop(), undefined, 'a kind that is not known is left out');
    for (const one of kept) assert.ok(!Buffer.from(one!.stored).includes('acme'), String(one!.kind));
    assert.equal(Header.decode(kept[0]!.stored).target.pid, 7);
    assert.deepEqual(
      Classes.decode(kept[2]!.stored).classes.map(({ name, file }) => [name, file]),
      [
        ['Class1', ''],
        ['java.util.HashMap', 'HashMap.java'],
        ['byte[]', ''],
        ['Class4', ''],
      ],
    );
    const methods = Methods.decode(kept[3]!.stored).methods;
    assert.deepEqual(
      methods.map(({ name }) => name),
      ['method10', 'get', 'method12'],
    );
    assert.equal(methods[0]!.signature, '');
    assert.deepEqual([...methods[0]!.lineNumber], [42]);
    assert.deepEqual(
      Images.decode(kept[4]!.stored).images.map(({ path }) => path),
      ['image 1', '/usr/lib/libc.so.6'],
    );
    assert.deepEqual(
      Symbols.decode(kept[5]!.stored).functions.map(({ name }) => name),
      ['malloc'],
    );
  });

  it('keeps the counters of the agent, and none that the system’s trace has of programs', () => {
    const counters = (...names: string[]): Chunk =>
      chunk(
        ChunkKind.Counters,
        Counters.encode({ blocks: names.map((name) => ({ name, time: [5, 1], value: [7, 0] })) }),
      );
    const kept = new Redactor().redact(counters('CPU', 'secret (com.acme)', 'heap used'));
    assert.deepEqual(
      Counters.decode(kept!.stored).blocks.map(({ name, value }) => [name, [...value]]),
      [
        ['CPU', [7, 0]],
        ['heap used', [7, 0]],
      ],
    );
    assert.equal(new Redactor().redact(counters('secret (com.acme)')), undefined);
  });

  it('keeps the samples of a ring in the file, and nothing else that is in its room', () => {
    const samples = (sequence: number): Buffer =>
      Buffer.from(encodeChunk(ChunkKind.Samples, Uint8Array.of(1, 2, 3), sequence));
    const names = encodeChunk(ChunkKind.Texts, Texts.encode({ texts: [{ id: 1, value: 'secret' }] }), 8);
    // The newest lies in front; behind it the rest of one that it overwrote.
    const room = Buffer.concat([samples(9), Buffer.from('secret'), samples(7), names, Buffer.alloc(20)]);
    const kept = new Redactor().redact({ ...chunk(ChunkKind.Ring, room), flags: flagOpen });
    const expected = Buffer.alloc(room.length);
    samples(9).copy(expected);
    samples(7).copy(expected, samples(9).length + 'secret'.length);
    assert.deepEqual(Buffer.from(kept!.stored), expected);
  });
});
