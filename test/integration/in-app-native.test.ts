/** A native program that has the agent as a library of its own, as the package holds it. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import path from 'node:path';
import { root } from '../../scripts/setup.mjs';
import { EndReason, SampleKind, type Trace } from '../../src/trace/index.js';
import { functionsOfHeader } from '../rigs/native/c-header.js';
import { NativePrograms } from '../rigs/native/programs.js';
import { stackOf } from '../rigs/stacks.js';
import { decodeFile, Recordings, threadNamed } from './recordings.js';

describe('a native program with the agent as its own library', () => {
  const programs = new NativePrograms();
  const recordings = new Recordings();
  const [whole, ring, dump] = ['whole', 'ring', 'dump'].map((name) => recordings.file(`${name}.btrace`));
  let said: Record<string, unknown>;

  before(() => {
    const library = path.join(root, 'build/native/host');
    const program = programs.compile('in_app', [
      `-I${path.join(root, 'native-agent')}`,
      `-L${library}`,
      '-lbtrace-native',
      `-Wl,-rpath,${library}`,
    ]);
    const output = execFileSync(program, [whole!, ring!, dump!], { encoding: 'utf8' });
    said = JSON.parse(output) as Record<string, unknown>;
  });

  /** With the names of its functions, which a program does not look up for itself. */
  function opened(file: string): Trace {
    const named = `${file}.named`;
    execFileSync(process.execPath, [path.join(root, 'dist/btrace.cjs'), 'symbolize', file, '-o', named], {
      stdio: 'pipe',
    });
    return decodeFile(named);
  }

  after(() => {
    programs.remove();
    recordings.remove();
  });

  const names = (trace: Trace): string[] => trace.threads.map(({ name }) => name).sort();
  /** CPU time below a function, of all threads. */
  function burnt(trace: Trace, name: string): number {
    let sum = 0;
    for (const { intervals } of trace.threads)
      for (let row = 0; row < intervals.count; row++)
        if (stackOf(trace, intervals.path[row]!).includes(`${name} (`)) sum += intervals.cpu[row]!;
    return sum;
  }

  it('sees of the library what its header has, and what begins in a program that runs', () => {
    const library = path.join(root, 'build/native/host/libbtrace-native.so');
    const shown = execFileSync('readelf', ['-W', '--dyn-syms', library], { encoding: 'utf8' })
      .split('\n')
      .map((line) => line.trim().split(/\s+/))
      .filter(([number, , , , , , section]) => number?.endsWith(':') === true && /^\d+$/.test(section ?? ''));
    assert.deepEqual(
      shown.map((symbol) => symbol[7]).sort(),
      [...functionsOfHeader(), 'btrace_attach'].sort(),
    );
  });

  it('is told what was done, and what cannot be', () => {
    assert.deepEqual(said, {
      nothing: 303,
      words: 'nothing is recorded',
      noFolder: 301,
      started: 0,
      twice: 202,
      records: 1,
      child: 1,
      stopped: 0,
      still: 0,
      full: 302,
      again: 5,
      fewFiles: 306,
      ring: 0,
      ontoItself: 301,
      dumped: 0,
    });
  });

  it('has all of its threads in the file, and what it said', () => {
    const trace = opened(whole!);
    assert.deepEqual([trace.problems, trace.complete, trace.endReason], [[], true, EndReason.Stopped]);
    // None of the agent's.
    assert.deepEqual(names(trace), ['first', 'other']);
    const [before, after] = [burnt(trace, 'before_marker'), burnt(trace, 'after_marker')];
    // On a busy machine samples lie far apart: CPU time between two of them may be told of the one function or the other.
    assert.ok(Math.abs(before / 200e6 - 1) < 0.3, `${before} ns`);
    assert.ok(Math.abs(after / 400e6 - 1) < 0.3, `${after} ns`);
    assert.ok(Math.abs((before + after) / 600e6 - 1) < 0.25, `${before} + ${after} ns`);
    const { events } = threadNamed(trace, 'first');
    const rows = Array.from(events.kind.subarray(0, events.count).keys()).filter(
      (row) => events.kind[row] === SampleKind.Marker && events.object[row] === 0,
    );
    const [orders] = trace.counters.filter(({ name }) => name === 'orders');
    assert.deepEqual([orders?.count, orders?.value[0]], [1, 7]);
    const counted = events.object.findIndex((object) => object > 0);
    assert.match(stackOf(trace, events.path[counted]!), /^count_orders \(.* < main \(/);
    assert.deepEqual(
      rows.map((row) => trace.text(events.text[row]!)),
      ['half way'],
    );
    assert.match(stackOf(trace, events.path[rows[0]!]!), /^main \(/);
  });

  it('has a whole ring where it ended without a stop, and a dump of it', () => {
    for (const [file, reason] of [
      [ring!, EndReason.TargetExited],
      [dump!, EndReason.Dumped],
    ] as const) {
      const trace = opened(file);
      assert.deepEqual([trace.problems, trace.complete, trace.endReason], [[], true, reason]);
      const spent = burnt(trace, 'in_ring');
      assert.ok(Math.abs(spent / 200e6 - 1) < 0.2, `${file}: ${spent} ns`);
    }
  });
});
