import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { PassThrough } from 'node:stream';
import { describeCounters, describeMethods, infoJson, printInfo } from '../../../src/cli/info.js';
import { ChunkKind, encodeChunk, fileMagic, messages, RecordingDecoder } from '../../../src/trace/index.js';
import { Terminal } from '../../../src/cli/terminal.js';
import { decoded, synthetic } from '../trace/recordings.js';
import { encodeNodes } from '../../../src/trace/recording/nodes.js';

describe('what btrace info says of methods', () => {
  it('counts each of them, and those whose name never came', () => {
    const decoder = new RecordingDecoder();
    const add = (kind: number, payload: Uint8Array, sequence: number): void =>
      decoder.append(encodeChunk(kind, payload, sequence));
    const of = (): readonly [string, unknown] => {
      const trace = decoder.trace();
      return [describeMethods(trace.methods), infoJson('file', trace)];
    };
    decoder.append(fileMagic);
    add(ChunkKind.Header, messages.Header.encode({ major: 1 }), 0);
    assert.equal(of()[0], '0');
    add(ChunkKind.Nodes, encodeNodes({ id: [1, 2], parent: [0, 1], frame: [1, 2], position: [0, 0] }), 1);
    const named = [{ id: 1, name: 'run' }];
    add(ChunkKind.Methods, messages.Methods.encode({ methods: named }), 2);
    const [text, json] = of();
    assert.equal(text, '2, 1 without a name');
    const { methods, methodsWithoutName } = json as Record<string, unknown>;
    assert.deepEqual({ methods, methodsWithoutName }, { methods: 2, methodsWithoutName: 1 });
    add(ChunkKind.Methods, messages.Methods.encode({ methods: [{ id: 2, name: 'work' }] }), 3);
    assert.equal(of()[0], '2');
  });

  it('of which build they are, and of how many the source is known by its hash', () => {
    const decoder = new RecordingDecoder();
    decoder.append(fileMagic);
    const classes = [
      { id: 1, name: 'a.B', file: 'B.kt', sourceHash: Uint8Array.of(1, 2) },
      { id: 2, name: 'a.C' },
    ];
    const ofBoth = [1, 2].map((id) => ({ id, classId: id, name: 'run' }));
    for (const [sequence, [kind, payload]] of [
      [ChunkKind.Header, messages.Header.encode({ major: 1, buildId: '7f3a' })] as const,
      [ChunkKind.Classes, messages.Classes.encode({ classes })] as const,
      [ChunkKind.Methods, messages.Methods.encode({ methods: ofBoth })] as const,
      [
        ChunkKind.Nodes,
        encodeNodes({ id: [1, 2], parent: [0, 1], frame: [1, 2], position: [0, 0] }),
      ] as const,
    ].entries())
      decoder.append(encodeChunk(kind, payload, sequence));
    const trace = decoder.trace();
    assert.equal(describeMethods(trace.methods), '2, 1 with a hash of their source');
    const { buildId, methodsWithSourceHash } = infoJson('file', trace) as Record<string, unknown>;
    assert.deepEqual([buildId, methodsWithSourceHash], ['7f3a', 1]);
    const printed = new PassThrough();
    const stream = Object.assign(printed, { isTTY: false, columns: 80 });
    printInfo('file', trace, new Terminal(stream, stream, {}));
    assert.match(String(printed.read()), /^build +7f3a$/m);
  });
});

describe('what btrace info says of counters', () => {
  it('how far each went, in its unit', () => {
    const decoder = new RecordingDecoder();
    decoder.append(fileMagic);
    decoder.append(encodeChunk(ChunkKind.Header, messages.Header.encode({ major: 1 }), 0));
    assert.equal(describeCounters(decoder.trace()), '');
    const blocks = [
      { name: 'CPU', unit: '%', time: [0, 300, 300], value: [70, -65, 100] },
      { name: 'heap used', unit: 'bytes', time: [0, 300], value: [5e6, 1e6] },
      { name: 'threads', unit: '1', time: [0, 300], value: [12, 0] },
    ];
    decoder.append(encodeChunk(ChunkKind.Counters, messages.Counters.encode({ blocks }), 1));
    const trace = decoder.trace();
    assert.equal(describeCounters(trace), 'CPU 5 % to 105 %, heap used 4.77 MB to 5.72 MB, threads 12');
    const { counters } = infoJson('file', trace) as { counters: unknown[] };
    assert.deepEqual(counters[0], { name: 'CPU', unit: '%', values: 3, least: 5, most: 105 });
  });
});

describe('what btrace info says of what nobody measured', () => {
  const rows = (header: Parameters<typeof messages.Header.encode>[0], status: Uint8Array): string => {
    const decoder = new RecordingDecoder();
    decoder.append(fileMagic);
    decoder.append(encodeChunk(ChunkKind.Header, messages.Header.encode({ major: 1, ...header }), 0));
    decoder.append(encodeChunk(ChunkKind.Status, status, 1));
    const printed = new PassThrough();
    const stream = Object.assign(printed, { isTTY: false, columns: 80 });
    printInfo('file', decoder.trace(), new Terminal(stream, stream, {}));
    return String(printed.read());
  };

  it('is nothing, of a made-up program', async () => {
    const { bytes } = await synthetic({ samples: 1000, threads: 1 });
    const printed = new PassThrough();
    printInfo('file', decoded(bytes), new Terminal(printed, printed, {}));
    const text = String(printed.read());
    assert.match(text, /^capturing +\d[\d.]* ms$/m);
    assert.match(text, /^intervals +1\.00 ms at points$/m);
    assert.doesNotMatch(text, /agent held|runtime|none|\bof 0\b/);
  });

  it('and all of it where it was', () => {
    const status = { captureNs: 2e9, cpuNs: 10e9, drainNs: 1e6, memoryBytes: 4096 };
    const text = rows({ config: { asyncIntervalNs: 5e6 } }, messages.Status.encode(status));
    assert.match(text, /^capturing +2\.00 s of 10\.0 s CPU time, sending 1\.00 ms$/m);
    assert.match(text, /^agent held +4\.00 KB$/m);
    assert.match(text, /^intervals +every point, 5\.00 ms by the external sampler$/m);
  });

  it('has how long captures took, and of each source what was asked and kept', () => {
    const buckets = [...Array<number>(11).fill(0), 98, 0, 2];
    const text = rows(
      {},
      messages.Status.encode({
        captureNs: 1e6,
        costs: [{ kind: 1, count: 100, totalNs: 300_000, buckets }],
        sources: [{ kind: 1, askedNs: 1e6, effectiveNs: 4e6 }],
        tickNs: 4e6,
      }),
    );
    assert.match(text, /: 100 at 3\.00 µs, 50 % < 4\.10 µs, 93 % < 4\.10 µs, 99 % < 16\.4 µs$/m);
    assert.match(text, /CPU time: 1\.00 ms asked for, 4\.00 ms kept \(median\)$/im);
    assert.match(text, /^kernel’s tick +4\.00 ms$/m);
  });
});

describe('what btrace info says of damage', () => {
  it('has its place in the file, where it has one', () => {
    const decoder = new RecordingDecoder();
    decoder.append(fileMagic);
    const texts = encodeChunk(ChunkKind.Texts, messages.Texts.encode({ texts: [] }), 0);
    texts[8] = 0;
    decoder.append(texts);
    decoder.finish();
    const trace = decoder.trace();
    const printed = new PassThrough();
    const stream = Object.assign(printed, { isTTY: false, columns: 80 });
    printInfo('file', trace, new Terminal(stream, stream, {}));
    const lines = String(printed.read()).split('\n');
    assert.ok(
      lines.includes('damage: the header is missing: what was recorded is not known'),
      lines.join('\n'),
    );
    assert.ok(
      lines.some((line) => line.startsWith('damage at byte 8: ')),
      lines.join('\n'),
    );
  });
});
