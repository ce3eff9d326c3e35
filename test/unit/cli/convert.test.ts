/** A recording written anew, chunk by chunk: all that is whole of a damaged one, or a failure that is told. */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { PassThrough } from 'node:stream';
import { gzipSync } from 'node:zlib';
import { after, before, describe, it } from 'mocha';
import { convertFile } from '../../../src/cli/convert/conversion.js';
import { parseInput } from '../../../src/cli/command-line.js';
import { convert } from '../../../src/cli/commands/convert.js';
import { info } from '../../../src/cli/commands/info.js';
import { openTrace } from '../../../src/cli/open-trace.js';
import { Terminal } from '../../../src/cli/terminal.js';
import { ChunkKind, encodeChunk, fileMagic, messages, usualMemoryBytes } from '../../../src/trace/index.js';
import { formatMajor } from '../../../src/trace/model/kinds.js';
import { chunksOf } from '../trace/mutations.js';
import { synthetic } from '../trace/recordings.js';

describe('a recording that has no end, written as a recording', () => {
  let folder: string;
  let bytes: Uint8Array;
  const file = (name: string): string => path.join(folder, name);

  before(async () => {
    folder = mkdtempSync(path.join(os.tmpdir(), 'btrace-convert-'));
    bytes = (await synthetic({ samples: 20_000, threads: 2, methods: 100 })).bytes;
    bytes = bytes.subarray(0, chunksOf(bytes).at(-1)?.offset);
  });
  after(() => rmSync(folder, { recursive: true, force: true }));

  const conversion = (output: string) =>
    convertFile(
      {
        input: file('torn.btrace'),
        output,
        format: 'btrace',
        thread: undefined,
        weight: undefined,
        redact: false,
        mapping: undefined,
        memoryBytes: usualMemoryBytes,
      },
      () => undefined,
    );

  it('keeps the chunks behind a chunk with a wrong length', async () => {
    const chunks = chunksOf(bytes);
    const [, , liar] = chunks;
    const damaged = bytes.slice();
    new DataView(damaged.buffer).setUint32((liar?.offset ?? 0) + 12, 16 * 1024 * 1024, true);
    writeFileSync(file('torn.btrace'), damaged);
    const { problems } = await conversion(file('whole.btrace'));
    assert.ok(problems.length > 0);
    const kinds = (of: readonly { readonly kind: number }[]): number[] => of.map(({ kind }) => kind);
    assert.deepEqual(
      kinds(chunksOf(readFileSync(file('whole.btrace')))),
      kinds(chunks.filter((chunk) => chunk !== liar)),
    );
  });

  it('is not called written when the disk is full', async () => {
    writeFileSync(file('torn.btrace'), bytes);
    await assert.rejects(conversion('/dev/full'), { code: 'ENOSPC' });
  });
});

describe('a file that cannot be converted, or not so', () => {
  let folder: string;
  const file = (name: string): string => path.join(folder, name);
  const megabytes = 12;

  before(async () => {
    folder = mkdtempSync(path.join(os.tmpdir(), 'btrace-refused-'));
    const { bytes } = await synthetic({ samples: 30_000, threads: 2, methods: 100 });
    const rest = Buffer.alloc(megabytes * 2 ** 20, ' ');
    writeFileSync(file('whole.btrace'), bytes);
    const header = encodeChunk(ChunkKind.Header, messages.Header.encode({ major: formatMajor + 1 }), 0);
    writeFileSync(file('newer.btrace'), Buffer.concat([fileMagic, header, rest]));
    const samples = chunksOf(bytes).filter(({ kind }) => kind === ChunkKind.Samples);
    const first = samples[0]?.offset ?? 0;
    const times = Math.ceil(rest.length / (bytes.length - first));
    const many = Array.from({ length: times }, () => bytes.subarray(first));
    writeFileSync(file('large.btrace'), Buffer.concat([bytes.subarray(0, first), ...many]));
    writeFileSync(
      file('chrome.json'),
      Buffer.concat([Buffer.from('{"traceEvents":[]'), rest, Buffer.from('}')]),
    );
    writeFileSync(
      file('text.gz'),
      gzipSync(Buffer.concat([Buffer.from('To whom it may concern\n'), randomBytes(rest.length)])),
    );
  });
  after(() => rmSync(folder, { recursive: true, force: true }));

  /** Reads no more than the first two pieces of 4 MiB before it says so. */
  async function refused(input: string, format: string, why: RegExp, memoryBytes = usualMemoryBytes) {
    const said: string[] = [];
    const output = file('never');
    const request = { input: file(input), output, format, memoryBytes, redact: false };
    const more = { thread: undefined, weight: undefined, mapping: undefined };
    await assert.rejects(
      convertFile({ ...request, ...more }, (line) => said.push(line)),
      why,
    );
    assert.ok(said.length < 2, `it read on: ${said.join(', ')}`);
  }

  it('is refused when its begin tells', async () => {
    await refused('chrome.json', 'btrace', /is no BTrace recording/);
    await refused('newer.btrace', 'csv', /has format .* reads up to/);
    await refused('text.gz', 'csv', /no trace/);
    await refused('large.btrace', 'csv', /takes more than 1\.00 MB of memory: nothing was written/, 2 ** 20);
  });

  it('has no survey of points', async () => {
    const seen = new PassThrough();
    const terminal = new Terminal(seen, Object.assign(seen, { isTTY: true }), {});
    await assert.rejects(
      info.run(parseInput(info, ['--points', file('chrome.json')]), terminal),
      /it has no points/,
    );
    assert.equal(seen.read(), null);
  });

  it('is refused within gzip, and gzip that is none, with an exit code', async () => {
    writeFileSync(file('a.gz'), gzipSync(readFileSync(file('whole.btrace'))));
    writeFileSync(file('b.gz'), gzipSync(Buffer.alloc(0)));
    writeFileSync(file('c.gz'), Buffer.from('\x1f\x8b\x08\0\0\0\0\0\0\x03 garbage', 'latin1'));
    await assert.rejects(openTrace(file('a.gz')), /BTrace recording within gzip/);
    await assert.rejects(openTrace(file('b.gz')), /empty file/);
    await assert.rejects(openTrace(file('c.gz')), /gzip file cannot be inflated/);
  });

  it('is not asked for what the format does not carry', async () => {
    const terminal = new Terminal(new PassThrough(), new PassThrough(), {});
    const asked = async (...args: string[]) =>
      await convert.run(parseInput(convert, [file('whole.btrace'), ...args]), terminal);
    await assert.rejects(asked('-o', file('x.btrace'), '--thread', 'main'), /--thread goes with/);
    await assert.rejects(
      asked('-o', file('x.json'), '--weight', 'cpu'),
      /goes with collapsed and speedscope/,
    );
    await assert.rejects(
      asked('-o', file('x.speedscope.json'), '--weight', 'faults'),
      /takes wall, cpu with/,
    );
  });
});
