/** `btrace lags`: lag files of many users, grouped by their innermost frames. */
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { PassThrough } from 'node:stream';
import { parseInput } from '../../../src/cli/command-line.js';
import { lags } from '../../../src/cli/commands/lags.js';
import { Terminal } from '../../../src/cli/terminal.js';
import { ChunkKind, encodeChunk, fileMagic, messages } from '../../../src/trace/index.js';
import { LagGroups, type LagPlace, type ListedLag, trend } from '../../../src/trace/lags/lag-groups.js';
import { readLagRecord } from '../../../src/trace/lags/lag-record.js';
import { Random } from '../../../src/trace/synth/random.js';

const day = 86_400_000_000_000n;
const first = 20_000n * day;

interface Told {
  readonly files: number;
  readonly users: number;
  readonly skips: number;
  readonly groups: {
    readonly frames: string[];
    readonly count: number;
    readonly users: number;
    readonly freezes: number;
    readonly versions: Record<string, number>;
    readonly days: Record<string, number>;
    readonly worst: { readonly file: string; readonly ns: number };
    readonly places: { readonly frames: string[]; readonly count: number }[];
  }[];
}

function lagOf(names: string, more: Partial<messages.Lag> = {}): Uint8Array {
  const frames = names.split(' ').map((name) => {
    const dot = name.lastIndexOf('.');
    return { className: name.slice(0, Math.max(dot, 0)), method: name.slice(dot + 1), file: '', line: 3 };
  });
  return messages.Lag.encode({
    beginNs: 1e9,
    detectedNs: 3.5e9,
    frames: names === '' ? [] : frames,
    user: 1n,
    appVersion: '1.0',
    realtimeNs: first,
    ...more,
  });
}

function fileOf(lag: Uint8Array, padding = 0): Uint8Array {
  const chunks = [
    encodeChunk(ChunkKind.Header, messages.Header.encode({ major: 1, minor: 6 }), 0),
    encodeChunk(ChunkKind.Samples, new Uint8Array(padding), 1),
    encodeChunk(ChunkKind.Lag, lag, 2),
    encodeChunk(ChunkKind.Footer, messages.Footer.encode({ endNs: 4e9 }), 3),
  ];
  return Buffer.concat([fileMagic, ...chunks]);
}

describe('btrace lags', () => {
  let folder: string;
  beforeEach(() => (folder = mkdtempSync(path.join(tmpdir(), 'btrace-lags-'))));
  afterEach(() => rmSync(folder, { recursive: true }));

  const put = (name: string, lag: Uint8Array, padding?: number) =>
    writeFileSync(path.join(folder, name), fileOf(lag, padding));

  async function told(...options: string[]): Promise<{ text: string; notes: string }> {
    const output = new PassThrough();
    const errors = new PassThrough();
    const terminal = new Terminal(output, errors, { NO_COLOR: '1' });
    assert.equal(await lags.run(parseInput(lags, [folder, ...options]), terminal), 0);
    return { text: String(output.read() ?? ''), notes: String(errors.read() ?? '') };
  }
  const json = async (...options: string[]) => JSON.parse((await told('--json', ...options)).text) as Told;

  it('groups by the innermost two frames, and within a group by four', async () => {
    put('a.btrace', lagOf('a.A.f a.A.g a.A.h a.A.i a.A.x'));
    put('b.btrace', lagOf('a.A.f a.A.g a.A.h a.A.i a.A.y', { user: 2n }));
    put(
      'c.btrace',
      lagOf('a.A.f a.A.g a.A.h a.A.other', { appVersion: '1.1', realtimeNs: first + 2n * day }),
    );
    put('d.btrace', lagOf('a.A.f a.A.z', { endNs: 9e9 }));
    put('e.btrace', lagOf('a.A.f'));
    const { groups, users, files } = await json();
    assert.deepEqual([users, files], [2, 5]);
    assert.deepEqual(
      groups.map(({ frames, count, places }) => [frames.join(), count, places.map((one) => one.count)]),
      [
        ['a.A.f,a.A.g', 3, [2, 1]],
        ['a.A.f,a.A.z', 1, [1]],
        ['a.A.f', 1, [1]],
      ],
    );
    assert.deepEqual(groups[0]!.versions, { '1.0': 2, '1.1': 1 });
    assert.deepEqual(groups[0]!.days, { '2024-10-04': 2, '2024-10-06': 1 });
    assert.deepEqual(groups[1]!.worst, { file: path.join(folder, 'd.btrace'), ns: 8e9 });
  });

  it('passes over system frames that only wait, and keeps a stack that has no others', async () => {
    const park = 'jdk.internal.misc.Unsafe.park java.util.concurrent.locks.LockSupport.park';
    put('a.btrace', lagOf(`${park} java.util.concurrent.CountDownLatch.await shop.Cart.load shop.Cart.show`));
    put('b.btrace', lagOf('java.lang.Object.wait shop.Cart.load shop.Cart.show'));
    put('c.btrace', lagOf(park));
    const { groups } = await json();
    assert.deepEqual(
      groups.map(({ frames, count }) => [frames.join(), count]),
      [
        ['shop.Cart.load,shop.Cart.show', 2],
        [park.replace(' ', ','), 1],
      ],
    );
  });

  it('counts freezes, reads folders in folders, and says which files it skips', async () => {
    mkdirSync(path.join(folder, 'user/7'), { recursive: true });
    put('user/7/lag-1.freeze.btrace', lagOf('a.A.f a.A.g'), 400_000);
    put('lag-2.btrace', lagOf('a.A.f a.A.g'));
    writeFileSync(path.join(folder, 'torn.btrace'), fileOf(lagOf('a.A.f a.A.g')).subarray(0, 60));
    writeFileSync(path.join(folder, 'notes.txt'), 'not looked at');
    const { groups, skips } = await json();
    assert.deepEqual([groups.length, groups[0]!.count, groups[0]!.freezes, skips], [1, 2, 1, 1]);
    const { text, notes } = await told();
    assert.match(
      text,
      /^2 lags, 1 user, 1 freeze, version 1\.0, worst 2\.50 s, by day 2\n\na\.A\.f < a\.A\.g\n/,
    );
    assert.match(notes, /torn\.btrace is skipped: it is damaged, or no lag file\./);
  });

  it('groups names as written, by a retrace mapping', async () => {
    put('a.btrace', lagOf('a.a a.b'));
    const mapping = path.join(folder, 'mapping.txt');
    writeFileSync(
      mapping,
      'shop.Cart -> a:\n    1:9:void load():10:18 -> a\n    1:9:void show():20:28 -> b\n',
    );
    const { groups } = await json('--mapping', mapping);
    assert.deepEqual(groups[0]!.frames, ['shop.Cart.load', 'shop.Cart.show']);
  });

  it('refuses a folder without files', async () => {
    await assert.rejects(told(), /there are no \.btrace files/);
  });
});

describe('lag groups', () => {
  it('count 100,000 lags within their bounds', () => {
    const groups = new LagGroups();
    const record = readLagRecord('lag.btrace', fileOf(lagOf('a.A.f')))!;
    const frame = (name: string) => ({ className: 'a.A', method: name });
    for (let at = 0; at < 100_000; at++) {
      const lag = { ...record, user: BigInt(at % 20_000), appVersion: String(at % 300) };
      groups.add(lag, [frame(`f${at % 20_000}`), frame('g'), frame(`h${at % 5}`), frame('i')]);
    }
    const sum = groups.groups().reduce((all, { count }) => all + count, 0);
    assert.deepEqual([sum + groups.others, groups.others], [100_000, 50_000]);
    assert.equal(groups.groups().length, 10_000);
    assert.deepEqual([groups.all.users, groups.all.versions.size], [10_000, 200]);
  });

  it('list the longest lags of a place, with where they are in their recordings', () => {
    const groups = new LagGroups();
    for (let at = 0; at < 50; at++) {
      const ms = (at * 7) % 50;
      const lag = lagOf('a.A.f', { thread: at, beginNs: 1e9, endNs: 1e9 + ms * 1e6, appVersion: `${at}` });
      const record = readLagRecord(`${ms}.btrace`, fileOf(lag))!;
      groups.add(record, record.frames);
    }
    const [{ longest }] = groups.groups()[0]!.places as [LagPlace];
    assert.deepEqual(
      longest.map(({ ns }) => ns / 1e6),
      Array.from({ length: 20 }, (_, at) => 49 - at),
    );
    const [{ file, thread, beginNs, version, atMs }] = longest as [ListedLag];
    assert.deepEqual([file, beginNs, (thread * 7) % 50, version], ['49.btrace', 1e9, 49, `${thread}`]);
    assert.equal(BigInt(atMs) * 1_000_000n, first);
  });

  it('leave out the classes that a JVM makes of lambdas: they are numbered anew in each run', () => {
    const groups = new LagGroups();
    for (const number of [1, 2]) {
      const names = `a.A.f a.A$$Lambda$${number}.run a.A.g`;
      const record = readLagRecord('lag.btrace', fileOf(lagOf(names)))!;
      groups.add(record, record.frames);
    }
    assert.deepEqual(
      groups.groups().map(({ frames, count }) => [frames.join(), count]),
      [['a.A.f,a.A.g', 2]],
    );
  });

  it('read whatever bytes they are given', () => {
    const random = new Random(7);
    const whole = fileOf(lagOf('a.A.f a.A.g'));
    for (let round = 0; round < 500; round++) {
      const bytes = Uint8Array.from(whole);
      for (let hit = 0; hit < 3; hit++) bytes[random.below(bytes.length)] = random.below(256);
      const found = readLagRecord('a', bytes.subarray(random.below(40)));
      assert.ok(found === undefined || found.frames.length === 2);
    }
  });

  it('show the days from the first to the last', () => {
    const days = new Map([
      [10, 2],
      [13, 1],
    ]);
    const totals = { days } as unknown as Parameters<typeof trend>[0];
    assert.deepEqual(trend(totals), [2, 0, 0, 1]);
    assert.deepEqual(trend(totals, 2), [0, 1]);
  });
});
