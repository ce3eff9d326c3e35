/** What `btrace measure` tells of launches: means, how sure they are, and the command that it is given as one word. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { PassThrough } from 'node:stream';
import { commandWords } from '../../../src/cli/measure/command-words.js';
import { printFigures, spreadOf, spreadsOf } from '../../../src/cli/measure/figures.js';
import { recordLaunches } from '../../../src/cli/measure/launches.js';
import type { Begin } from '../../../src/cli/recording/begin.js';
import { figuresOf } from '../../../src/trace/measure/run-figures.js';
import { CounterBit, EndReason, MethodKind, SampleKind, ThreadKind } from '../../../src/trace/model/kinds.js';
import { ChunkKind, encodeChunk, fileMagic } from '../../../src/trace/recording/chunk.js';
import { Footer, Header, Methods, Threads } from '../../../src/trace/recording/messages.js';
import { encodeNodes } from '../../../src/trace/recording/nodes.js';
import { encodeSamples } from '../../../src/trace/recording/samples.js';
import { parseInput } from '../../../src/cli/command-line.js';
import { measure } from '../../../src/cli/commands/measure.js';
import { UsageError } from '../../../src/cli/exit-codes.js';
import { Terminal } from '../../../src/cli/terminal.js';
import { decoded } from '../trace/recordings.js';
import { workedBytes, workedTrace } from '../trace/worked-recording.js';

/** A native program that ends before its first sample: the agent sees its thread as it begins, and 100 ms later. */
function heldAtItsEnd(cpuNs: number): Uint8Array {
  const [beginNs, endNs] = [1e9, 1.1e9];
  const samples = {
    thread: 1,
    counters: CounterBit.Cpu,
    time: [beginNs, endNs],
    stack: [1, 1],
    cpu: [0, cpuNs],
    kind: [SampleKind.ThreadStart, SampleKind.Unknown],
  };
  const chunks: (readonly [number, Uint8Array])[] = [
    [ChunkKind.Header, Header.encode({ major: 1, config: { syncIntervalNs: 1e6, asyncIntervalNs: 10e6 } })],
    [
      ChunkKind.Threads,
      Threads.encode({ threads: [{ index: 1, tid: 101, kind: ThreadKind.Native, isMain: true }] }),
    ],
    [ChunkKind.Methods, Methods.encode({ methods: [{ id: 1, name: '[thread]', kind: MethodKind.Stub }] })],
    [ChunkKind.Nodes, encodeNodes({ id: [1], parent: [0], frame: [1], position: [-1] })],
    [ChunkKind.Samples, encodeSamples([samples])],
    [ChunkKind.Footer, Footer.encode({ endNs, reason: EndReason.TargetExited })],
  ];
  return Buffer.concat([fileMagic, ...chunks.map(([kind, payload], at) => encodeChunk(kind, payload, at))]);
}

describe('the figures of launches', () => {
  it('have the mean, and by Student’s distribution how far it may be off', () => {
    const { mean, noise, median, min, max } = spreadOf([10, 12, 14, 20]);
    assert.deepEqual([mean, median, min, max], [14, 13, 10, 20]);
    // t is 3.182 for three degrees of freedom; the standard error is 2.160.
    assert.ok(Math.abs(noise - 3.182 * 2.1602) < 0.002, String(noise));
    assert.deepEqual([spreadOf([7]).noise, spreadOf([7, 7, 7]).noise], [0, 0]);
  });

  it('are those of the main thread and of all', () => {
    const trace = workedTrace(
      [
        {
          ...{ name: 'main', isMain: true },
          pieces: [
            { in: 'Shop.run', ms: 30, bytesPerMs: 1000 },
            { in: 'Shop.load', ms: 50, wait: SampleKind.Io },
            { in: 'Shop.run', ms: 20 },
          ],
        },
        { name: 'worker', pieces: [{ in: 'Work.run', ms: 100, cpu: 0.5 }] },
      ],
      100,
    );
    const ms = 1e6;
    assert.deepEqual(figuresOf(trace), {
      ...{ lengthNs: 100 * ms, cpuNs: 100 * ms, mainCpuNs: 50 * ms, mainWaitNs: 50 * ms },
      allocatedBytes: 30_000,
    });
  });

  it('end with the last sample of a program that exits, which is held until its samples are sent', () => {
    const lengthOf = (reason: number): number | null =>
      figuresOf(
        decoded(
          workedBytes(
            [{ name: 'main', isMain: true, pieces: [{ in: 'Shop.run', ms: 30 }] }],
            200,
            [],
            {},
            reason,
          ),
        ),
      ).lengthNs;
    assert.deepEqual([lengthOf(EndReason.TargetExited), lengthOf(EndReason.Stopped)], [30e6, 200e6]);
  });

  it('have the work after the last sample, which is all that a short program does, and not how long its end is held', () => {
    // Little CPU time makes an inferred wait of the time in which the end is held, more makes evidence.
    for (const cpuNs of [1.5e6, 3.19e6, 8e6]) {
      const times = { lengthNs: cpuNs, cpuNs, mainCpuNs: cpuNs, mainWaitNs: 0, allocatedBytes: null };
      assert.deepEqual(figuresOf(decoded(heldAtItsEnd(cpuNs))), times);
    }
  });

  it('say that a length is not known where nothing was seen of the program', () => {
    const figures = { ...figuresOf(decoded(heldAtItsEnd(0))), screenNs: null };
    assert.deepEqual([figures.lengthNs, figures.mainWaitNs], [null, null]);
    const output = new PassThrough();
    printFigures(
      'true',
      [figures, figures, figures],
      new Terminal(output, new PassThrough(), { NO_COLOR: '1' }),
    );
    assert.match(String(output.read()), /^true: 3 launches\n.*\nlength +not known *\n/);
  });

  it('leave out what not all launches recorded', () => {
    const one = { screenNs: 1, lengthNs: 1, cpuNs: 1, mainCpuNs: 1, mainWaitNs: 1, allocatedBytes: 1 };
    assert.deepEqual(Object.keys(spreadsOf([one, { ...one, screenNs: null, cpuNs: null }])), [
      ...['lengthNs', 'mainCpuNs', 'mainWaitNs', 'allocatedBytes'],
    ]);
  });
});

describe('a command in one word', () => {
  it('is split at spaces outside of quotes', () => {
    assert.deepEqual(commandWords(`  java -jar "my shop.jar" '-Dname=a "b"' "" x"y z"`), [
      ...['java', '-jar', 'my shop.jar', '-Dname=a "b"', '', 'xy z'],
    ]);
    assert.deepEqual(commandWords(' '), []);
  });
});

describe('btrace measure', () => {
  it('ends the command when it is interrupted, also after the recorded program has ended', async () => {
    const others = process.listeners('SIGHUP');
    const kills: string[] = [];
    let exited: (code: number) => void = () => undefined;
    const exit = new Promise<number>((resolve) => (exited = resolve));
    const launched = {
      get exit(): Promise<number> {
        // It waits for the program's end, which nothing else brings. Only it hears the signal, not the test runner.
        const heard = process.listeners('SIGHUP').filter((one) => !others.includes(one));
        setImmediate(() => heard.forEach((one) => one('SIGHUP')));
        return exit;
      },
      kill(signal: string): void {
        kills.push(signal);
        exited(143);
      },
    };
    const session = {
      ended: Promise.resolve({ reason: 'target-exited', message: '', file: '' }),
      stop: () => Promise.resolve(),
    };
    const begin = (() => Promise.resolve({ session, launched })) as unknown as Begin;
    const folder = mkdtempSync(path.join(tmpdir(), 'btrace-launches-'));
    try {
      const side = { name: '', begin: () => begin };
      const measured = recordLaunches([side], { folder, launches: 3, warmUp: 0 }, new Terminal());
      await assert.rejects(measured, /Interrupted in launch 1 of 3/);
      assert.deepEqual(kills, ['SIGTERM']);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  it('says what is wrong before it launches anything', async () => {
    const wrong: readonly (readonly [string[], RegExp])[] = [
      [['--launches', '2', '--against', 'true', '--', 'true'], /takes 3 or more/],
      [['-o', 'src', '--', 'true'], /src is not empty/],
      [['--launches', '3'], /Which program\?/],
      [['--against', 'sleep "1', '--', 'true'], /A quote is left open/],
      [['--app', 'com.example', '--', 'true'], /--app stands alone/],
      [['--against', 'true', '--base', 'runs', '--', 'true'], /Either --against or --base/],
      [['--start', 'hot', '--', 'true'], /--start is for apps/],
      [['--start', 'hot,tepid', '--app', 'com.example'], /takes cold, warm, hot, or several with commas/],
      [['--start', 'hot,warm', '--base', 'runs', '--app', 'com.example'], /one kind/],
    ];
    for (const [args, says] of wrong)
      await assert.rejects(
        measure.run(parseInput(measure, args), new Terminal()),
        (error) => error instanceof UsageError && says.test(error.message),
      );
  });
});
