import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import { anyImporter, importers, type TraceImporter } from '../../../src/trace/formats/index.js';
import { wide } from '../../rigs/scale.js';
import { heldBeyond, heldBytes } from '../held-memory.js';
import { dumpTrace } from '../trace-dump.js';
import { artTrace } from './art-traces.js';
import { fuchsiaTrace } from './fuchsia-traces.js';
import { sharedProfile } from './firefox-profiles.js';
import { jfrChunk, shopChunk, shopRecording } from './jfr-traces.js';
import { shopSimpleperf } from './simpleperf-traces.js';
import { perfPipe, record, shopRecords } from './perf-data-files.js';
import { systemPerfetto } from './perfetto-traces.js';
import { cpuPprof } from './pprof-traces.js';

/** A file with much in it that no trace needs: what is before it, what is said again and again, what is after it. */
interface Padded {
  readonly before: Uint8Array;
  readonly padding: Uint8Array;
  readonly after: Uint8Array;
}

const megabyte = 1 << 20;
const rounds = wide ? 24 : 12;
/** Windows, tables that double, what the collector has not seen: far less than the padding. */
const allowed = 8 * megabyte;

/** Times `text`, about a megabyte of it. */
function many(text: string): Uint8Array {
  return Buffer.from(text.repeat(Math.ceil(megabyte / text.length)), 'latin1');
}

function fixture(name: string): string {
  return readFileSync(path.join('test', 'fixtures', 'formats', name), 'utf8');
}

/** Padding behind the first place of a text where `mark` stands. */
function padded(text: string, mark: string, padding: Uint8Array, before = '', after = ''): Padded {
  const at = text.indexOf(mark) + mark.length;
  assert.ok(at >= mark.length, `${mark} is in the file`);
  return {
    before: Buffer.from(text.slice(0, at) + before),
    padding,
    after: Buffer.from(after + text.slice(at)),
  };
}

function words(...values: number[]): Uint8Array {
  return new Uint8Array(BigUint64Array.from(values, BigInt).buffer);
}

function emptyChunks(): Uint8Array {
  const chunk = jfrChunk({ ...shopChunk, events: Array.from({ length: 900 }, () => order) });
  return Buffer.concat(Array.from({ length: Math.ceil(megabyte / chunk.length) }, () => chunk));
}

const order = ['com.example.Order', { startTime: 0, title: 'nobody asks for this', items: [1, 2] }] as const;
const art = artTrace(3, 'dual');
const artText = Buffer.from(art).indexOf('\n', 10) + 1;

const files: Record<string, Padded> = {
  'chrome, events that say nothing': padded(
    fixture('written.json'),
    '"traceEvents":[',
    many('{"ph":"M","name":"nothing","args":{"a":[1,{"b":"c"}]}},\n'),
  ),
  'chrome, one endless string': padded(
    fixture('written.json'),
    '"otherData":{',
    many('no end in sight '),
    '"note":"',
    '",',
  ),
  speedscope: padded(fixture('written.speedscope.json'), '{', many('["x",1.5,null],'), '"notes":[', '0],'),
  collapsed: padded(fixture('written.collapsed'), '# unit: ns\n', many('# as one may write between them\n')),
  nanoscope: padded(fixture('written.nanoscope'), '0:com.example.Shop.run\n', many('# a remark\n')),
  systrace: padded(fixture('written.systrace'), '# tracer: nop\n', many('# a remark\n')),
  ninja: padded(fixture('read-build.ninja_log'), '\n', many('# a remark\n')),
  perf: padded(fixture('read-samples.perf.txt'), '#\n', many('# a remark\n')),
  firefox: padded(sharedProfile().toString(), '{', many('["x",1.5,null],'), '"notes":[', '0],'),
  cpuprofile: padded(fixture('read-node.cpuprofile'), '{', many('["x",1.5,null],'), '"notes":[', '0],'),
  sample: padded(fixture('read-shop.sample.txt'), 'Launch Time:', many(' a remark\n')),
  spindump: padded(fixture('read-hang.spindump.txt'), 'Active cpus:', many(' 8\nNote: a remark\n')),
  ips: padded(
    fixture('read-crash.ips'),
    '"threads" :',
    many(' {"value":64},'),
    '[],"notes":[',
    '0],"threads":',
  ),
  xctrace: padded(
    fixture('read-time-profile.xml'),
    '</schema>',
    many('<note fmt="0"><b>nobody reads this</b></note>\n'),
  ),
  pprof: {
    before: cpuPprof(),
    // A message that nobody reads: { tag of field 1000, length, bytes }.
    padding: many('\xc2\x3e\x40' + 'x'.repeat(64)),
    after: new Uint8Array(0),
  },
  simpleperf: {
    before: shopSimpleperf().subarray(0, 12),
    // Records with a field that nobody reads: length { tag of field 1000, length, bytes }.
    padding: many('\x43\x00\x00\x00\xc2\x3e\x40' + 'x'.repeat(64)),
    after: shopSimpleperf().subarray(12),
  },
  'perf-data': {
    before: perfPipe(shopRecords),
    // Records that the kernel took fewer samples for a while: { 64 bytes }.
    padding: many(record(5, 0, Buffer.alloc(56)).toString('latin1')),
    after: new Uint8Array(0),
  },
  jfr: {
    before: shopRecording(),
    // Chunks of events that nobody reads.
    padding: emptyChunks(),
    after: new Uint8Array(0),
  },
  perfetto: {
    before: systemPerfetto(),
    // A packet with a field that nobody reads: 0x0a length { tag of field 1000, length, bytes }.
    padding: many('\n\x43\xc2\x3e\x40' + 'x'.repeat(64)),
    after: new Uint8Array(0),
  },
  fuchsia: {
    before: fuchsiaTrace().subarray(0, 8),
    // Blobs: of kind 5, two words long, no payload that counts.
    padding: Buffer.alloc(megabyte, words(5 + 2 * 16, 0)),
    after: fuchsiaTrace().subarray(8),
  },
  art: {
    before: art.subarray(0, artText),
    padding: many('remark=as the header may have\n'),
    after: art.subarray(artText),
  },
};

describe('readers of foreign formats', () => {
  for (const [name, { before, padding, after }] of Object.entries(files)) {
    it(`hold no more of a file than they need: ${name}`, async () => {
      const plain = reader(name);
      plain.append(Buffer.concat([before, padding, after]));
      const expected = plain.finish();

      const importer = reader(name);
      importer.append(new Uint8Array(before));
      importer.append(new Uint8Array(padding));
      const began = await heldBytes();
      for (let round = 1; round < rounds; round++) importer.append(new Uint8Array(padding));
      const grew = await heldBeyond(began, allowed);
      importer.append(new Uint8Array(after));
      const trace = importer.finish();

      assert.ok(grew < allowed, `${rounds} MB of padding took ${(grew / megabyte).toFixed(1)} MB`);
      assert.ok(expected.threads.some(({ calls }) => calls.count > 0));
      assert.equal(withoutPlaces(dumpTrace(trace)), withoutPlaces(dumpTrace(expected)));
    });
  }

  it('hold no more of a file than they need: collapsed, within gzip', async () => {
    const stacks = many('main;com.example.Shop.run;com.example.Shop$Cart.add 17\n');
    const packed = gzipSync(Buffer.concat(Array.from({ length: rounds }, () => stacks)));
    const importer = anyImporter();
    const began = await heldBytes();
    for (let at = 0; at < packed.length; at += 256) importer.append(packed.subarray(at, at + 256));
    const grew = await heldBeyond(began, allowed);
    assert.ok(grew < allowed, `${rounds} MB took ${(grew / megabyte).toFixed(1)} MB`);
    assert.equal(importer.finish().threads[0]?.calls.count, 3);
  });

  for (const [name, { before, padding }] of Object.entries(files)) {
    it(`stop when they are cancelled: ${name}`, () => {
      const [id] = name.split(',');
      const { create } = importers.find((one) => one.id === id)!;
      for (const start of [create, anyImporter]) {
        const cancel = new AbortController();
        const importer = start({ signal: cancel.signal });
        importer.append(before.slice());
        importer.append(padding.slice(0, 1000));
        cancel.abort(new Error('enough'));
        assert.throws(() => importer.append(padding.slice()), /^Error: enough$/);
      }
    });
  }

  it('are all in these tests', () => {
    const tested = Object.keys(files).map((name) => name.split(',')[0]);
    assert.deepEqual(
      importers.map(({ id }) => id).filter((id) => !tested.includes(id)),
      [],
    );
  });
});

function reader(name: string): TraceImporter {
  const [id] = name.split(',');
  const format = importers.find((one) => one.id === id);
  assert.ok(format, `${name} begins with the name of a format`);
  return format.create();
}

function withoutPlaces(dump: string): string {
  return dump.replace(/^problem @\d+/gm, 'problem');
}
