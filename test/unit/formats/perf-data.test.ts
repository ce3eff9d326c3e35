import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, it } from 'mocha';
import { Elf } from '../../../src/symbols/native/elf.js';
import { nameCode, namesOf } from '../../../src/symbols/native/name-code.js';
import { hostMessageChecker } from '../../../src/protocol/check-message.js';
import { readFrom } from '../../../src/symbols/read-at.js';
import { anyImporter } from '../../../src/trace/formats/index.js';
import { eventsOf } from '../../../src/trace/formats/perf-data/perf-header.js';
import { PerfWords } from '../../../src/trace/formats/perf-data/perf-words.js';
import { lineFigures, MethodKind, type Trace, TraceReader, wholeTrace } from '../../../src/trace/index.js';
import type { ToWorker } from '../../../src/webview/worker/messages.js';
import { serve, type WorkerPort } from '../../../src/webview/worker/serve.js';
import { cpuMs } from '../cpu-time.js';
import { dumpTrace } from '../trace-dump.js';
import {
  comm,
  events,
  fork,
  map2,
  perfData,
  perfPipe,
  record,
  sample,
  shopRecords,
} from './perf-data-files.js';
import { importWhole } from './round-trip.js';

const read = (bytes: Uint8Array, piece?: number): Trace => importWhole(anyImporter(), bytes, piece);
const words = ({ problems }: Trace): string => problems.map(({ what }) => what).join('; ');

/** "outer;inner" of each interval of a thread. */
function stacks(trace: Trace, thread: number): string[] {
  const { intervals } = trace.threads[thread]!;
  return Array.from({ length: intervals.count }, (_, row) => {
    const names: string[] = [];
    for (let at = intervals.path[row]!; at > 0; at = trace.paths.parent[at]!)
      names.unshift(trace.methods.qualifiedName(trace.paths.method[at]!));
    return names.join(';');
  });
}

describe('recordings of perf', () => {
  it('have the files that lay at their addresses at that time', () => {
    const trace = read(perfData(shopRecords));
    const names = trace.threads.map(({ name, tid }) => `${name} ${tid}`);
    assert.deepEqual(names, ['shop 100', 'wörker 101', 'copy 200']);
    const main = 'shop+0x1020;libcart.so+0x100;shop+0x1010';
    assert.deepEqual(
      new Set(stacks(trace, 0)),
      new Set([main, 'shop+0x1020;libcart.so+0x100;[kernel.kallsyms]+0xffffffff81000100']),
    );
    assert.deepEqual(stacks(trace, 1), ['shop+0x1020;[code made at run time]+0x71000040']);
    // Copied from its parent; behind the end of the file that it then loaded the old one is left.
    assert.deepEqual(stacks(trace, 2), ['shop+0x1010', 'shop+0x1810', 'copy+0x10']);
    assert.match(trace.info.modeReason, /cpu-clock:u: .* 1 ms as a rule\. Left out: 1 sample of page-faults/);
    assert.ok(trace.info.hasCpu);
    assert.match(words(trace), /3 samples were lost/);
  });

  it('are the same as a stream, and in pieces; one that was not finished says so', () => {
    const whole = read(perfData(shopRecords));
    const same = ({ info, ...trace }: Trace): string =>
      dumpTrace({ ...trace, info: { ...info, os: '' }, problems: [] });
    for (const piece of [1, 13, 4096]) assert.equal(same(read(perfPipe(shopRecords), piece)), same(whole));
    const unfinished = read(perfData(shopRecords, { isFinished: false }));
    assert.equal(unfinished.threads.length, 3);
    assert.match(words(unfinished), /not finished/);
    assert.match(words(read(perfData(shopRecords).subarray(0, 900))), /ends in the middle/);
  });

  it('say what is compressed, and skip what is no record', () => {
    const trace = read(perfData([...shopRecords, record(81, 0, Buffer.alloc(40, 7))]));
    assert.match(trace.problems[0]!.what + words(trace), /1 record is compressed/);
    const bytes = Buffer.alloc(100, 0xff);
    const size = Buffer.from(BigUint64Array.of(100n, 0n).buffer);
    const aux = read(perfData([record(71, 0, size), bytes, ...shopRecords]));
    assert.equal(aux.threads.length, 3);
  });

  it('count the time of the idle thread as a wait', () => {
    const trace = read(perfData([1, 2, 3].map((ms) => sample({ ms, pid: 0, user: [] }))));
    assert.equal(trace.threads[0]?.name, 'swapper');
    assert.equal(trace.threads[0].intervals.cpu[0], 0);
  });

  it('have native functions of files, whose names may have dots, and no classes', async () => {
    const folder = mkdtempSync(path.join(tmpdir(), 'perf-data-'));
    try {
      const [source, file] = [path.join(folder, 'shop.c'), path.join(folder, 'shop')];
      writeFileSync(
        source,
        'int total(void) { return 7; } int half(void) { return 3; } int main(void) { return 0; }',
      );
      execFileSync('gcc', ['-O1', '-no-pie', '-Wl,--build-id=sha1', '-o', file, source]);
      const renamed = { total: '$s4shop4CartC5totalSdvg', half: 'half.part.0' };
      const changes = Object.entries(renamed).flatMap(([from, to]) => ['--redefine-sym', `${from}=${to}`]);
      execFileSync('objcopy', [...changes, file]);
      const symbols = execFileSync('nm', [file], { encoding: 'utf8' }).split('\n');
      const offsets = Object.values(renamed).map((name) => {
        const line = symbols.find((one) => one.endsWith(` T ${name}`)) ?? '';
        return parseInt(line, 16) - 0x40_0000;
      });
      const buildId = Buffer.from(
        (await (await Elf.open(readFrom(readFileSync(file)))).buildId()) ?? '',
        'hex',
      );
      const records = [
        map2(100, 0x5000_0000, 0x10_0000, 0, file),
        ...offsets.map((offset, at) => sample({ ms: at + 1, user: [0x5000_0000 + offset] })),
      ];
      const reader = new TraceReader();
      reader.append(perfData(records, { buildIds: { [file]: buildId } }));
      await nameCode(reader.unnamedCode());
      reader.finish();
      const { methods } = reader.trace();
      const seen = Array.from({ length: methods.count }, (_, method) => [
        methods.className(method),
        methods.name(method),
        methods.kind(method),
      ]);
      for (const name of ['shop.Cart.total.getter', 'half.part.0'])
        assert.deepEqual(
          seen.filter((one) => one.includes(name)),
          [['', name, MethodKind.NativeFunction]],
          JSON.stringify(seen),
        );
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });

  it('get names from files of the same build, with inlined calls and lines', async () => {
    const folder = mkdtempSync(path.join(tmpdir(), 'perf-data-'));
    try {
      const source = path.join(folder, 'shop.c');
      writeFileSync(
        source,
        [
          'volatile int sum;',
          'static inline __attribute__((always_inline)) void add(int n) {',
          '  sum += n;',
          '}',
          'void price(void) {',
          '  add(7);',
          '}',
          'int main(void) { price(); return 0; }',
        ].join('\n'),
      );
      const file = path.join(folder, 'shop');
      execFileSync('gcc', [
        '-g',
        '-O1',
        '-fno-inline-functions',
        '-no-pie',
        '-Wl,--build-id=sha1',
        '-o',
        file,
        source,
      ]);
      const found = /^([0-9a-f]+) T price$/m.exec(execFileSync('nm', [file], { encoding: 'utf8' }));
      const elf = await Elf.open(readFrom(readFileSync(file)));
      const buildId = Buffer.from((await elf.buildId()) ?? '', 'hex');
      // Programs without relocation are loaded at 4 MiB; this one is mapped elsewhere, as its offsets count.
      const offset = parseInt(found?.[1] ?? '', 16) - 0x40_0000;
      const records = [
        map2(100, 0x5000_0000, 0x10_0000, 0, file),
        sample({ ms: 1, user: [0x5000_0000 + offset] }),
      ];
      const named = async (id: Uint8Array): Promise<Trace> => {
        const reader = new TraceReader();
        reader.append(perfData(records, { buildIds: { [file]: id } }));
        await nameCode(reader.unnamedCode());
        reader.finish();
        return reader.trace();
      };
      // As VS Code does it: names are found beside the page, which reads the file itself.
      const handedOn = async (id: Uint8Array): Promise<Trace> => {
        const bytes = perfData(records, { buildIds: { [file]: id } });
        const beside = new TraceReader();
        beside.append(bytes);
        const found = { type: 'codeNames', names: await namesOf(beside.unnamedCode()) };
        const message = hostMessageChecker((why) => assert.fail(why))(structuredClone(found));
        assert.ok(message?.type === 'codeNames');
        const snapshots: Trace[] = [];
        const reader = new TraceReader();
        const port: WorkerPort = { onmessage: null, postMessage: () => undefined };
        serve(
          port,
          () => ({
            append: (piece) => reader.append(piece),
            unnamedCode: () => reader.unnamedCode(),
            finish: () => reader.finish(),
            trace: () => {
              snapshots.push(reader.trace());
              return reader.trace();
            },
          }),
          () => assert.fail('nothing is asked'),
        );
        const tell = (data: ToWorker): void => port.onmessage?.({ data } as MessageEvent<ToWorker>);
        tell({ type: 'open', live: false, totalBytes: bytes.length, rowsInSight: 10, part: {} });
        tell({ type: 'bytes', data: Uint8Array.from(bytes).buffer });
        tell({ type: 'codeNames', names: message.names });
        tell({ type: 'end' });
        assert.equal(snapshots.length, 1);
        return snapshots[0]!;
      };
      assert.deepEqual(stacks(await handedOn(buildId), 0), ['price;add']);
      const unfound = await handedOn(buildId.map((byte) => byte ^ 1));
      assert.deepEqual(stacks(unfound, 0), [`shop+0x${offset.toString(16)}`]);
      assert.match(words(unfound), /1 place in the code has no name: this machine has no file of that build/);
      const trace = await named(buildId);
      assert.deepEqual(stacks(trace, 0), ['price;add']);
      const lines = lineFigures(trace, wholeTrace);
      const told = Array.from(
        { length: lines.count },
        (_, row) => `${trace.methods.qualifiedName(lines.method[row]!)}:${lines.line[row]}`,
      );
      assert.deepEqual(told.sort(), ['add:3', 'price:6']);
      assert.ok(trace.methods.file(lines.method[0]!).endsWith('shop.c'));
      assert.deepEqual(stacks(await named(buildId.map((byte) => byte ^ 1)), 0), [
        `shop+0x${offset.toString(16)}`,
      ]);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  it('take time that grows with their length, whatever they map and fork', () => {
    const maps = Array.from({ length: 40_000 }, (_, at) =>
      map2(100, 0x1000 * (40_000 - at), 0x1000, 0, `/${at % 7}`),
    );
    const forks = Array.from({ length: 20_000 }, (_, at) => [
      fork(1000 + at, 100, 1000 + at, 100, 1),
      map2(1000 + at, 0x1800, 0x1000, 0, '/x', { ms: 1 }),
    ]).flat();
    const bytes = perfData([
      comm(100, 100, 'a'),
      ...maps,
      ...forks,
      sample({ ms: 0, user: [1] }),
      sample({ ms: 2, user: [0x2000] }),
    ]);
    const began = cpuMs();
    assert.match(words(read(bytes, 1 << 20)), /were left out: there are too many/);
    assert.ok(cpuMs() - began < 4000, `${cpuMs() - began} ms`);
  });

  it('take no more memory than they may, where processes share addresses and no files', () => {
    const user = Array.from({ length: 1000 }, (_, at) => 0x1000 + at);
    const records = Array.from({ length: 200 }, (_, pid) => [
      map2(100 + pid, 0x1000, 0x1000, 0, `/${pid}`),
      sample({ ms: pid, pid: 100 + pid, user }),
    ]).flat();
    const trace = importWhole(anyImporter({ mostBytes: 5_000_000 }), perfData(records));
    assert.match(words(trace), /\d+ stacks were left out: memory has no room for them/);
    const shown = trace.threads.filter((_, at) => stacks(trace, at)[0] !== '[no stack]').length;
    assert.ok(shown > 10 && shown < 100, `${shown} of the stacks`);
    assert.equal(trace.threads.length, 200);
  });

  it('have so many ids of events as there may be, however many events share them', () => {
    const many = Array.from({ length: 256 }, () => events[0]!);
    const file = Buffer.concat([perfData([], { events: many, isFinished: false }), Buffer.alloc(1 << 20)]);
    const idsAt = 104;
    const attributesAt = idsAt + 8 * many.length;
    for (let row = 1; row <= many.length; row++)
      file.writeBigUInt64LE(BigInt(file.length - idsAt), attributesAt + 128 * row - 8);
    const ids = eventsOf(new PerfWords(file)).reduce((sum, event) => sum + event.ids.length, 0);
    assert.equal(ids, 1 << 20);
  });

  it('stand for the usual time where the file says one that cannot be', () => {
    for (const isFrequency of [false, true]) {
      const event = { ...events[0]!, period: 2 ** 63, isFrequency };
      const records = [1, 3, 5].map((ms) => sample({ ms, user: [1] }));
      const trace = read(perfData(records, { events: [event] }));
      assert.match(trace.info.modeReason, / 2 ms as a rule/);
      assert.equal(trace.endNs, 6e6);
    }
  });

  it('know their events by ids', () => {
    const [first, second] = events;
    const trace = read(perfData([sample({ ms: 1, id: 1, user: [1] })], { events: [second!, first!] }));
    assert.match(trace.info.modeReason, /^Samples of cpu-clock:u/);
    assert.equal(trace.threads[0]?.intervals.count, 1);
  });
});
