/** Names, lines, images and texts: late, missing, replaced, damaged; each costs itself only. */
import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { RecordingDecoder } from '../../../src/trace/assemble/decoder.js';
import { lineFigures } from '../../../src/trace/measure/lines.js';
import { wholeTrace } from '../../../src/trace/measure/scope.js';
import { MethodKind, SampleFlag } from '../../../src/trace/model/kinds.js';
import type { Trace } from '../../../src/trace/model/trace.js';
import { ChunkKind, encodeChunk, fileMagic } from '../../../src/trace/recording/chunk.js';
import {
  Classes,
  Header,
  Images,
  Methods,
  Symbols,
  Texts,
  Threads,
} from '../../../src/trace/recording/messages.js';
import { encodeNodes } from '../../../src/trace/recording/nodes.js';
import { encodeSamples } from '../../../src/trace/recording/samples.js';
import { textOf } from '../../../src/trace/recording/text.js';

class Recording {
  readonly decoder = new RecordingDecoder();
  #sequence = 0;

  constructor() {
    this.decoder.append(fileMagic);
    this.add(ChunkKind.Header, Header.encode({ major: 1 }));
  }

  add(kind: number, payload: Uint8Array): this {
    this.decoder.append(encodeChunk(kind, payload, this.#sequence++));
    return this;
  }

  get trace(): Trace {
    return this.decoder.trace();
  }
}

/** A message with `name~~~~~~` in it, where six tildes become an emoji and two a NUL, both as a JVM has them. */
function inJavasUtf8(payload: Uint8Array): Uint8Array {
  const as = (from: string, to: readonly number[]): void => {
    for (let at; (at = Buffer.from(payload).indexOf(from)) >= 0;) payload.set(to, at);
  };
  as('~~~~~~', [0xed, 0xa0, 0xbd, 0xed, 0xb8, 0x80]);
  as('~~', [0xc0, 0x80]);
  return payload;
}

const oneStack = encodeNodes({ id: [1, 2], parent: [0, 1], frame: [1, 2], position: [4, 20] });

describe('names', () => {
  it('have lines of which is known whether they are of a place near by', () => {
    const samples = (flags: number[]): Uint8Array =>
      encodeSamples([{ thread: 1, counters: 0, time: [0, 5], stack: [2, 2], kind: [1, 1], flags }]);
    const recording = new Recording().add(ChunkKind.Nodes, oneStack).add(ChunkKind.Samples, samples([0, 0]));
    assert.equal(recording.trace.info.linesNearSafepoints, false);
    recording.add(ChunkKind.Samples, samples([0, SampleFlag.Safepoint]));
    assert.equal(recording.trace.info.linesNearSafepoints, true);
  });

  it('may come after the stacks that use them, and be replaced', () => {
    const recording = new Recording().add(ChunkKind.Nodes, oneStack);
    const { methods } = recording.trace;
    assert.equal(methods.count, 2);
    assert.equal(methods.qualifiedName(0), '(method 1, name lost)');
    recording.add(
      ChunkKind.Methods,
      Methods.encode({ methods: [{ id: 1, classId: 3, name: 'run', signature: '()V' }] }),
    );
    assert.equal(methods.qualifiedName(0), 'run');
    const hash = Uint8Array.of(1, 2, 3);
    recording.add(
      ChunkKind.Classes,
      Classes.encode({ classes: [{ id: 3, name: 'a.B', file: 'B.kt', sourceHash: hash }] }),
    );
    recording.add(
      ChunkKind.Methods,
      Methods.encode({ methods: [{ id: 1, classId: 3, name: 'run', signature: '()V' }] }),
    );
    assert.equal(methods.qualifiedName(0), 'a.B.run');
    assert.equal(methods.signature(0), '()V');
    assert.equal(methods.file(0), 'B.kt');
    assert.deepEqual(methods.sourceHash?.(0), hash);
    assert.equal(methods.kind(1), MethodKind.Unresolved);
  });

  it('of which one is damaged cost one', () => {
    const payload = Methods.encode({
      methods: [
        { id: 1, name: 'first' },
        { id: 2, name: 'second' },
      ],
    });
    // The length of the first name reaches beyond its message.
    payload[payload.indexOf('f'.charCodeAt(0)) - 1] = 100;
    const { methods } = new Recording().add(ChunkKind.Methods, payload).trace;
    assert.equal(methods.name(0), '(method 1, name lost)');
    assert.equal(methods.name(1), 'second');
  });

  it('of any script are kept, and very long ones are cut', () => {
    const long = 'x'.repeat(2 ** 20 + 10);
    const names = ['größe', 'メソッド', '🙂', '‮evil', '<b>&"', long];
    const { methods } = new Recording().add(
      ChunkKind.Methods,
      Methods.encode({ methods: names.map((name, at) => ({ id: at + 1, name })) }),
    ).trace;
    names.slice(0, 5).forEach((name, at) => assert.equal(methods.name(at), name));
    assert.equal(methods.name(5).length, 2 ** 20);
  });

  it("are what they mean where they came in a JVM's own form of UTF-8", () => {
    const smile = '\u{1f600}';
    const trace = new Recording()
      .add(ChunkKind.Threads, inJavasUtf8(Threads.encode({ threads: [{ index: 1, name: 'reader ~~~~~~' }] })))
      .add(ChunkKind.Classes, inJavasUtf8(Classes.encode({ classes: [{ id: 1, name: 'a.~~~~~~Ä' }] })))
      .add(
        ChunkKind.Methods,
        inJavasUtf8(
          Methods.encode({
            methods: [
              { id: 1, classId: 1, name: 'run~~~~~~~~~~~~' },
              { id: 2, classId: 1, name: 'nul~~', signature: '(La/~~~~~~Ä;)V' },
            ],
          }),
        ),
      )
      .add(ChunkKind.Nodes, encodeNodes({ id: [1, 2], parent: [0, 1], frame: [1, 2], position: [4, 20] }))
      .add(ChunkKind.Texts, inJavasUtf8(Texts.encode({ texts: [{ id: 1, value: 'frame ~~~~~~' }] })))
      .add(
        ChunkKind.Samples,
        encodeSamples([{ thread: 1, counters: 0, time: [0, 5], stack: [2, 2], kind: [1, 1] }]),
      ).trace;
    const { methods } = trace;
    assert.equal(trace.threads[0]?.name, `reader ${smile}`);
    assert.equal(methods.qualifiedName(0), `a.${smile}Ä.run${smile}${smile}`);
    assert.equal(methods.name(1), 'nul\0');
    assert.equal(methods.signature(1), `(La/${smile}Ä;)V`);
    assert.equal(trace.text(1), `frame ${smile}`);
  });

  it('keep a damaged character as one that is unknown', () => {
    const name = (bytes: readonly number[]): string => textOf(Uint8Array.from([...bytes, 0x61]));
    const half = [0xed, 0xa0, 0xbd];
    const other = [0xed, 0xb8, 0x80];
    for (const bytes of [half, other, [...other, ...half], [0xc0], [0xed], [...half, 0xed, 0xb8], [0xff]])
      assert.match(name(bytes), /^\ufffd+a$/);
    assert.equal(name([0xef, 0xbf, 0xbd, ...half, ...other]), '\ufffd\u{1f600}a');
  });

  it('of native frames are their images, with offsets as positions', () => {
    const nodes = encodeNodes({
      id: [1, 2, 3, 4],
      parent: [0, 1, 0, 1],
      frame: [0x1234, 0x1234, 0x5678, 2 ** 40],
      position: [-1, -1, -1, -1],
      image: [1, 2, 1, 2],
    });
    const { trace } = new Recording()
      .add(
        ChunkKind.Images,
        Images.encode({
          images: [{ id: 1, path: '/lib/libfoo.so', buildId: Uint8Array.of(7), loadAddress: 1n << 60n }],
        }),
      )
      .add(ChunkKind.Nodes, nodes);
    const { methods, paths } = trace;
    const { path, position } = trace.nodes!;
    assert.equal(methods.count, 2);
    assert.equal(methods.qualifiedName(paths.method[path[1]!]!), 'libfoo.so');
    assert.equal(methods.qualifiedName(paths.method[path[2]!]!), 'image 2');
    assert.equal(methods.kind(paths.method[path[1]!]!), MethodKind.NativeFunction);
    // Another place of the same image is the same method, as another line of a method is.
    assert.equal(path[3], path[1]);
    assert.deepEqual([...position.subarray(1, 5)], [0x1235, 0x1235, 0x5679, 0]);
    assert.deepEqual(
      trace.images?.map((image) => [image.path, image.loadAddress]),
      [['/lib/libfoo.so', 1n << 60n]],
    );
  });

  it('of native frames are their functions, where symbols tell', () => {
    const symbols = [
      { image: 1, start: 0x1000, name: 'work()', offset: [0x1004, 0x1008] },
      { image: 1, start: 0x2000, name: 'rest()', offset: [0x2004] },
      { image: 1, start: 0x1000, name: 'work()', offset: [0x100c] },
      { image: 2 ** 30, start: 0, name: 'of no image', offset: [1] },
    ];
    const nodes = encodeNodes({
      id: [1, 2, 3, 4, 5, 6],
      parent: [0, 0, 0, 0, 0, 0],
      frame: [0x1004, 0x1008, 0x2004, 0x100c, 0x3000, 0x1004],
      position: [-1, -1, -1, -1, -1, -1],
      image: [1, 1, 1, 1, 1, 2],
    });
    const {
      methods,
      paths,
      nodes: table,
    } = new Recording()
      .add(
        ChunkKind.Images,
        Images.encode({
          images: [
            { id: 1, path: '/lib/libfoo.so' },
            { id: 2, path: '' },
          ],
        }),
      )
      .add(ChunkKind.Symbols, Symbols.encode({ functions: symbols }))
      .add(ChunkKind.Nodes, nodes).trace;
    assert.deepEqual(
      [1, 2, 3, 4, 5, 6].map((node) => methods.qualifiedName(paths.method[table!.path[node]!]!)),
      [
        'work() (libfoo.so)',
        'work() (libfoo.so)',
        'rest() (libfoo.so)',
        'work() (libfoo.so)',
        'libfoo.so',
        'image 2',
      ],
    );
    assert.equal(methods.count, 4);
    assert.equal(table!.position[2], 0x1009);
    assert.equal(methods.kind(0), MethodKind.NativeFunction);
  });

  it('of texts and classes are found by id', () => {
    const trace = new Recording().add(
      ChunkKind.Texts,
      Texts.encode({ texts: [{ id: 4, value: 'frame 7' }] }),
    ).trace;
    assert.equal(trace.text(4), 'frame 7');
    assert.equal(trace.text(5), '');
    assert.equal(trace.className(9), '');
  });
});

describe('threads', () => {
  it('whose system gives one the number of another that has ended are two', () => {
    const { trace } = new Recording()
      .add(
        ChunkKind.Threads,
        Threads.encode({
          threads: [
            { index: 1, tid: 4_294_967_295, javaId: 2 ** 40, name: 'first', beginNs: 1, endNs: 40 },
            { index: 2, tid: 4_294_967_295, javaId: 2 ** 53 - 1, name: 'second', beginNs: 50 },
          ],
        }),
      )
      .add(
        ChunkKind.Samples,
        encodeSamples([
          { thread: 1, counters: 0, time: [10, 20, 40], stack: [0, 0, 0] },
          { thread: 2, counters: 0, time: [60, 70], stack: [0, 0] },
        ]),
      );
    assert.deepEqual(
      trace.threads.map(({ tid, name, javaId, beginNs, endNs, sampleCount }) => [
        ...[tid, name, javaId, beginNs, endNs, sampleCount],
      ]),
      [
        [4_294_967_295, 'first', 2 ** 40, 1, 40, 3],
        [4_294_967_295, 'second', 2 ** 53 - 1, 50, 0, 2],
      ],
    );
  });
});

describe('lines', () => {
  it('are those of the last entry at or before a position; totals count a line once', () => {
    const trace = new Recording()
      .add(
        ChunkKind.Methods,
        Methods.encode({
          methods: [{ id: 1, name: 'f', linePosition: [2, 4, 10], lineNumber: [30, 1, -11] }],
        }),
      )
      // f calls itself from line 31 and stays there; the second stack stays on line 20 of the inner call.
      .add(
        ChunkKind.Nodes,
        encodeNodes({ id: [1, 2, 3], parent: [0, 1, 1], frame: [1, 1, 1], position: [6, 7, 16] }),
      )
      .add(
        ChunkKind.Samples,
        encodeSamples([{ thread: 1, counters: 0, time: [0, 10, 25], stack: [2, 2, 3] }]),
      ).trace;
    const { methods } = trace;
    assert.deepEqual(
      [0, 2, 5, 6, 15, 16, 99].map((position) => methods.lineAt(0, position)),
      [0, 30, 30, 31, 31, 20, 20],
    );
    assert.equal(methods.firstLine(0), 20);
    const lines = lineFigures(trace, wholeTrace);
    const rows = Array.from({ length: lines.count }, (_, row) => [
      lines.line[row],
      lines.selfWall[row],
      lines.totalWall[row],
    ]);
    assert.deepEqual(rows, [
      [20, 15, 15],
      [31, 10, 25],
    ]);
  });
});
