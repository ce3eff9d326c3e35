// Profiles: pprof's, which have no times, and V8's, which have.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import { describe, it } from 'mocha';
import { anyImporter, recognise } from '../../../src/trace/formats/index.js';
import { methodFigures, sumScope, type Trace, wholeTrace } from '../../../src/trace/index.js';
import { cpuMessage, cpuPprof, encodedProfile, heapPprof } from './pprof-traces.js';
import { importWhole } from './round-trip.js';

/** Each method's own time in ms, by its name and file. */
function selfMs(trace: Trace): Record<string, number> {
  const { methods } = trace;
  const figures = methodFigures(sumScope(trace, wholeTrace), methods.count);
  const self: Record<string, number> = {};
  for (let row = 0; row < figures.count; row++) {
    const method = figures.method[row]!;
    const ms = figures.self.wall[row]! / 1e6;
    if (ms > 0) self[`${methods.name(method)} ${methods.file(method)}`.trim()] = ms;
  }
  return self;
}

const words = ({ problems }: Trace): string => problems.map(({ what }) => what).join('; ');

const cpuFigures = {
  'price /src/cart.go': 40,
  'handle /src/a.go': 10,
  'handle /src/b.go': 20,
  'server+0x405abc': 10,
};

describe('pprof profiles', () => {
  it('give each function its own value, also one that is inlined, of a name that another file has, or without a name', () => {
    const trace = importWhole(anyImporter(), cpuPprof());
    assert.deepEqual(trace.problems, []);
    assert.deepEqual(selfMs(trace), cpuFigures);
    const { calls } = trace.threads[0]!;
    assert.equal(trace.methods.qualifiedName(calls.method[0]!), 'main.main');
    assert.match(trace.info.modeReason, /no times: laid out by name, by cpu\. The file also has samples/);
    assert.equal(trace.info.targetName, 'server');
  });

  it('name the value that is shown, also after one without a name', () => {
    const [first, second] = cpuMessage['sample_type'] as readonly Record<string, unknown>[];
    const unnamed = { ...cpuMessage, sample_type: [{ ...first, type: 0 }, second] };
    const { info } = importWhole(anyImporter(), encodedProfile(unnamed));
    assert.match(info.modeReason, /laid out by name, by cpu$/);
  });

  it('are read within gzip, and cut anywhere', () => {
    const bytes = cpuPprof();
    assert.equal(recognise(bytes).format, 'pprof');
    assert.deepEqual(selfMs(importWhole(anyImporter(), gzipSync(bytes))), cpuFigures);
    for (let piece = 1; piece < 40; piece += 7)
      assert.deepEqual(selfMs(importWhole(anyImporter(), bytes, piece)), cpuFigures);
  });

  it('show the value that the file calls its default', () => {
    const trace = importWhole(anyImporter(), heapPprof());
    // 1 kB is drawn as 1 ms.
    assert.deepEqual(selfMs(trace), { 'price /src/cart.go': 4.096, 'handle /src/a.go': 1.024 });
    assert.match(trace.info.modeReason, /by space, 1 kB as 1 ms/);
  });

  it('keep what is there where the file is torn, and say so', () => {
    const bytes = cpuPprof();
    const trace = importWhole(anyImporter(), bytes.subarray(0, bytes.length - 100));
    assert.match(words(trace), /ends in the middle/);
    assert.ok(trace.threads.length > 0);
  });

  it('leave samples out that a small file multiplies without end', () => {
    const inlined = Array.from({ length: 5000 }, () => ({ function_id: 1, line: 1 }));
    const trace = importWhole(
      anyImporter(),
      encodedProfile({
        ...cpuMessage,
        location: [{ id: 1, mapping_id: 1, address: 1, line: inlined }],
        sample: [
          { location_id: [1], value: [1, 1000] },
          { location_id: Array.from({ length: 5000 }, () => 1), value: [1, 1000] },
        ],
      }),
    );
    assert.match(words(trace), /1 sample was left out/);
    assert.ok(trace.paths.count < 10_000);
  });
});

const file = readFileSync('test/fixtures/formats/read-node.cpuprofile', 'utf8');
interface Node {
  readonly id: number;
  readonly children?: readonly number[];
  readonly callFrame: { readonly functionName: string };
}
interface CpuProfile {
  readonly nodes: readonly Node[];
  readonly startTime: number;
  readonly endTime: number;
  readonly samples: readonly number[];
  readonly timeDeltas: readonly number[];
}

/** By the file itself: a sample's function until the next sample. */
function expectedMs(profile: CpuProfile): Record<string, number> {
  const named = new Map(profile.nodes.map(({ id, callFrame }) => [id, callFrame.functionName]));
  const self: Record<string, number> = {};
  let time = profile.startTime;
  profile.samples.forEach((node, at) => {
    time += profile.timeDeltas[at]!;
    const next = profile.timeDeltas[at + 1];
    const end = next === undefined ? profile.endTime : time + next;
    const name = named.get(node) ?? '';
    if (name !== '(idle)') self[name] = (self[name] ?? 0) + Math.max(0, end - time) / 1000;
  });
  return self;
}

describe('V8 CPU profiles', () => {
  it('give each function the time until the next sample, and idle time to none', () => {
    const trace = importWhole(anyImporter(), Buffer.from(file));
    assert.deepEqual(trace.problems, []);
    const expected = expectedMs(JSON.parse(file) as CpuProfile);
    const actual = selfMs(trace);
    assert.ok((actual['price /src/shop/shop.js'] ?? 0) > 50);
    for (const [name, ms] of Object.entries(actual)) {
      const [bare = ''] = name.split(' ');
      const wanted = bare === '(anonymous)' ? expected[''] : expected[bare];
      assert.ok(
        Math.abs(ms - (wanted ?? 0)) < 0.01 || bare === '(anonymous)',
        `${name}: ${ms}, not ${wanted}`,
      );
    }
    const price = Array.from({ length: trace.methods.count }, (_, method) => method).find(
      (method) => trace.methods.name(method) === 'price',
    )!;
    assert.equal(trace.methods.firstLine(price), 1);
  });

  it('are read whichever of a call and its caller names the other', () => {
    const profile = JSON.parse(file) as CpuProfile;
    const parents = new Map(
      profile.nodes.flatMap(({ id, children = [] }) => children.map((child) => [child, id])),
    );
    const nodes = profile.nodes.map(({ id, callFrame }) => ({ id, callFrame, parent: parents.get(id) }));
    const other = importWhole(anyImporter(), Buffer.from(JSON.stringify({ ...profile, nodes })));
    const trace = importWhole(anyImporter(), Buffer.from(file));
    assert.equal(other.paths.count, trace.paths.count);
    assert.deepEqual(selfMs(other), selfMs(trace));
  });

  it('of calls that call themselves in a circle are shown, in linear time', () => {
    const ring = Array.from({ length: 20_000 }, (_, at) => ({
      id: at + 1,
      callFrame: { functionName: `f${at % 7}`, url: '', lineNumber: 0 },
      children: [((at + 1) % 20_000) + 1],
    }));
    const profile = { nodes: ring, startTime: 0, endTime: 2000, samples: [5, 9], timeDeltas: [0, 1000] };
    const trace = importWhole(anyImporter(), Buffer.from(JSON.stringify(profile)));
    assert.equal(trace.threads.length, 1);
  });
});
