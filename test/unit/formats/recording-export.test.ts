import assert from 'node:assert/strict';
import { EventBuilder } from '../../../src/trace/assemble/event-builder.js';
import { decodeRecording } from '../../../src/trace/assemble/decode.js';
import { endTop } from '../../../src/trace/assemble/event-columns.js';
import { NamedMethods } from '../../../src/trace/formats/named-methods.js';
import { NameTable } from '../../../src/trace/formats/names.js';
import { writeRecording } from '../../../src/trace/formats/recording-export.js';
import { methodFigures } from '../../../src/trace/measure/methods.js';
import { wholeTrace } from '../../../src/trace/measure/scope.js';
import { sumScope } from '../../../src/trace/measure/sums.js';
import { EndReason, Mode } from '../../../src/trace/model/kinds.js';
import type { Trace } from '../../../src/trace/model/trace.js';

const facts = {
  mode: Mode.External,
  modeReason: 'a test asked for it',
  target: { name: 'com.example.shop', pid: 7, runtime: 'ART (API 30)', os: 'android 11', device: 'Rig' },
  realtimeNs: 1_750_000_000_000_000_000n,
  endReason: EndReason.Stopped,
  detail: '',
};

async function written(trace?: Trace): Promise<Trace> {
  const pieces: Uint8Array[] = [];
  await writeRecording({ write: (bytes) => Promise.resolve(void pieces.push(bytes)) }, facts, trace);
  return decodeRecording(Buffer.concat(pieces)).trace();
}

/** By name: wall and CPU time, self and total, in µs. */
function figures(trace: Trace): Map<string, number[]> {
  const { count, method, self, total } = methodFigures(sumScope(trace, wholeTrace), trace.methods.count);
  const rows = Array.from({ length: count }, (_, row): [string, number[]] => [
    trace.methods.qualifiedName(method[row]!),
    [self.wall, total.wall, self.cpu, total.cpu].map((column) => Math.round(column[row]! / 1000)),
  ]);
  return new Map(rows.sort(([a], [b]) => (a < b ? -1 : 1)));
}

describe('a foreign trace written as a recording', () => {
  const names = new NameTable();
  const methods = new NamedMethods(names, 'signature');
  const [main, draw, sleep] = ['app.Main.main', 'app.Main.draw', 'app.Main.sleep'].map((name) =>
    names.internText(`${name}\t()V`),
  ) as [number, number, number];
  methods.setSource(draw, 'Main.java', 12);
  const builder = new EventBuilder();
  const one = builder.thread(7);
  one.name = 'main';
  one.isMain = true;
  const ms = 1e6;
  one.events.pushWithCpu(0, main, 0);
  for (let round = 0; round < 3; round++) {
    const at = round * 30 * ms;
    one.events.pushWithCpu(at + 5 * ms, draw, round * 15 * ms + 5 * ms);
    one.events.pushWithCpu(at + 15 * ms, endTop, round * 15 * ms + 15 * ms);
    one.events.pushWithCpu(at + 15 * ms, sleep, round * 15 * ms + 15 * ms);
    one.events.pushWithCpu(at + 30 * ms, endTop, round * 15 * ms + 15 * ms);
  }
  one.events.pushWithCpu(95 * ms, endTop, 50 * ms);
  const other = builder.thread(8);
  other.events.push(10 * ms, sleep);
  other.events.push(40 * ms, endTop);
  const trace = builder.finish(
    methods,
    { format: 'art', pid: 7, runtime: 'Art', modeReason: '' },
    { monotonicNs: 5n },
  );

  it('gives the same figures, names and threads when it is read again', async () => {
    const again = await written(trace);
    assert.deepEqual(again.problems, []);
    assert.deepEqual(figures(again), figures(trace));
    assert.deepEqual(figures(trace).get('app.Main.draw'), [30_000, 30_000, 30_000, 30_000]);
    assert.deepEqual(
      again.threads.map(({ tid, name, isMain }) => [tid, name, isMain]),
      trace.threads.map(({ tid, name, isMain }) => [tid, name, isMain]),
    );
    const method = Array.from({ length: again.methods.count }, (_, at) => at).find(
      (at) => again.methods.qualifiedName(at) === 'app.Main.draw',
    )!;
    assert.deepEqual(
      [again.methods.file(method), again.methods.firstLine(method), again.methods.signature(method)],
      ['Main.java', 12, '()V'],
    );
    const { mode, modeReason, targetName, pid, device, os } = again.info;
    assert.deepEqual(
      [mode, modeReason, targetName, pid, device, os],
      [Mode.External, 'a test asked for it', 'com.example.shop', 7, 'Rig', 'android 11'],
    );
  });

  it('is whole where nothing was taken', async () => {
    const empty = await written();
    assert.deepEqual([empty.problems, empty.threads, empty.complete], [[], [], true]);
  });
});
