import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { gunzipSync } from 'node:zlib';
import protobuf from 'protobufjs';
import { anyImporter, exporters, importers, recognise } from '../../../src/trace/formats/index.js';
import { dumpTrace } from '../trace-dump.js';
import { artPackets, artStreamed, artTrace } from './art-traces.js';
import { fuchsiaTrace } from './fuchsia-traces.js';
import { rawProfile, sharedProfile } from './firefox-profiles.js';
import { shopRecording } from './jfr-traces.js';
import { chromePerfetto, sampledPerfetto, systemPerfetto } from './perfetto-traces.js';
import { shopPerfData } from './perf-data-files.js';
import { cpuPprof, decodedProfile, heapPprof } from './pprof-traces.js';
import { importWhole, written } from './round-trip.js';
import { shopSimpleperf } from './simpleperf-traces.js';
import { smallTrace } from './sample-traces.js';

/** Golden files are for reading; UPDATE_GOLDEN=1 writes them anew, and the diff says what changed. */
const folder = path.join('test', 'fixtures', 'formats');

function golden(name: string, actual: string): void {
  const file = path.join(folder, name);
  if (process.env['UPDATE_GOLDEN'] === '1') writeFileSync(file, actual);
  assert.ok(existsSync(file), `${file} is missing: run with UPDATE_GOLDEN=1 and read it`);
  assert.equal(actual, readFileSync(file, 'utf8'));
}

describe('golden files', () => {
  for (const { id, extension, write } of exporters) {
    it(`writes ${id} as before`, () => {
      const bytes = written(write, smallTrace());
      if (id === 'pprof') {
        golden('written.pprof.json', JSON.stringify(decodedProfile(gunzipSync(bytes)), null, 1) + '\n');
        return;
      }
      if (id === 'firefox') {
        golden('written.profile.json', gunzipSync(bytes).toString());
        return;
      }
      if (id !== 'perfetto') {
        golden(`written${extension}`, Buffer.from(bytes).toString());
        return;
      }
      const schema = protobuf.parse(readFileSync('proto/perfetto.proto', 'utf8'), { keepCase: true }).root;
      const type = schema.lookupType('perfetto.Trace');
      const message = type.toObject(type.decode(bytes), { longs: String, enums: String });
      const packets = (message['packet'] as unknown[]).map((packet) => JSON.stringify(packet));
      golden('written.perfetto.json', `[\n${packets.join(',\n')}\n]\n`);
    });
  }

  const files = readdirSync(folder).filter((name) => name.startsWith('read-') && !name.endsWith('.dump'));
  for (const file of files) {
    it(`reads ${file} as before, whole and in pieces`, () => {
      const bytes = readFileSync(path.join(folder, file));
      golden(`${file}.dump`, dumpTrace(importWhole(anyImporter(), bytes)));
      golden(`${file}.dump`, dumpTrace(importWhole(anyImporter(), bytes, 3)));
    });
  }

  const made: Readonly<Record<string, Uint8Array>> = {
    'art-1': artTrace(1, 'wall'),
    'art-2-wall': artTrace(2, 'wall'),
    'art-2-cpu': artTrace(2, 'thread-cpu'),
    'art-3-dual': artTrace(3, 'dual'),
    'art-3-streamed': artStreamed(),
    'art-4': artPackets(4),
    'art-5': artPackets(5),
    fuchsia: fuchsiaTrace(),
    jfr: shopRecording(),
    simpleperf: shopSimpleperf(),
    'perf-data': shopPerfData(),
    firefox: sharedProfile(),
    'firefox-raw': rawProfile(),
    'pprof-cpu': cpuPprof(),
    'pprof-heap': heapPprof(),
    'perfetto-samples': sampledPerfetto(),
    'perfetto-system': systemPerfetto(),
    'perfetto-chrome': chromePerfetto(),
  };
  it('are there for each format that is read', () => {
    const read = [...files.map((file) => readFileSync(path.join(folder, file))), ...Object.values(made)];
    const formats = new Set(read.map((bytes) => recognise(bytes).format));
    assert.deepEqual(
      importers.filter(({ id }) => !formats.has(id)),
      [],
    );
  });

  for (const [name, bytes] of Object.entries(made)) {
    it(`reads ${name} as before, whole and in pieces`, () => {
      golden(`${name}.dump`, dumpTrace(importWhole(anyImporter(), bytes)));
      golden(`${name}.dump`, dumpTrace(importWhole(anyImporter(), bytes, 5)));
    });
  }
});
