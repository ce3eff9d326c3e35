/** Each rule alone, on a recording that it has to tell of and on similar ones that it must not tell of. */
import assert from 'node:assert/strict';
import { FindingContext } from '../../../src/trace/findings/context.js';
import { findingRules, findingText } from '../../../src/trace/findings/registry.js';
import { Jank, SampleKind, ThreadKind } from '../../../src/trace/model/kinds.js';
import type { Frames, Trace } from '../../../src/trace/model/trace.js';
import { programSwitchesSource } from '../../../src/trace/system/program-switches.js';
import { SchedState } from '../../../src/trace/system/kernel-sink.js';
import { traceOf } from '../query/queried.js';
import { type Piece, type Switch, type Worker, workedTrace } from './worked-recording.js';

const lengthMs = 400;
const load = 'java.lang.ClassLoader.loadClass';

/** A recording of 400 ms. */
const trace = (...workers: Worker[]): Trace => workedTrace(workers, lengthMs);
const main = (...pieces: Piece[]): Worker => ({ name: 'main', isMain: true, pieces });
const rest = (ms: number): Piece => ({ in: 'Shop.run', ms, wait: SampleKind.Park });
const thread = (name: string, kind: number, ms: number): Worker => ({
  ...{ name, kind },
  pieces: [{ in: 'Other.run', ms }, rest(lengthMs - ms)],
});

/** 40 threads, begun one after the other by thread 1. */
const crowd = (change: Partial<Worker>): Worker[] =>
  Array.from({ length: 40 }, (_, at) => ({
    ...{ name: `task-${at}`, beginMs: 1 + at * 9, creator: 1, pieces: [{ in: 'Task.run', ms: 2 }] },
    ...change,
  }));

const steps = ['readSettings', 'buildCatalogue', 'warmCaches'].map((step): Piece => ({
  in: `Start.main > Start.${step}`,
  ms: 120,
}));
const starter: Worker = { name: 'java', kind: ThreadKind.Native, pieces: [rest(lengthMs)] };
const started: Worker = { ...main(...steps), beginMs: 10 };

/** The main thread loses its core to another program until `untilMs`, or gives it away. */
const lost = (state: number, untilMs = 300, source?: string): Trace => {
  const switches: Switch[] = [
    { atMs: 0, from: 0, state: SchedState.Runnable, to: 101 },
    { atMs: 100, from: 101, state, to: 999 },
    { atMs: untilMs, from: 999, state: SchedState.Sleeping, to: 101 },
    { atMs: 400, from: 101, state: SchedState.Sleeping, to: 0 },
  ];
  return workedTrace([main({ in: 'Shop.run', ms: lengthMs })], lengthMs, switches, source);
};

const collecting = (ms: number): Trace =>
  trace(
    main(
      { in: 'Shop.remember', ms: lengthMs - ms, bytesPerMs: 3000 },
      { in: 'Shop.remember', ms, wait: SampleKind.Gc },
    ),
    { name: 'importer', pieces: [{ in: 'Importer.read', ms: lengthMs, bytesPerMs: 500 }] },
  );

const work = (priceMs: number, addMs: number, ioMs: number): Trace =>
  trace(
    main(
      { in: 'Shop.price', ms: priceMs },
      { in: 'Shop.add', ms: addMs },
      { in: 'Shop.load', ms: ioMs, wait: SampleKind.Io },
      rest(lengthMs - priceMs - addMs - ioMs),
    ),
  );

const traversal =
  'android.os.Looper.loop > android.view.ViewRootImpl.performTraversals > android.view.ViewRootImpl.';
/** A frame of the views, and what the loop does until the next. */
const frame = (work: string, ms: number): Piece[] => [
  { in: `${traversal}${work}`, ms },
  { in: 'android.os.Looper.loop > android.os.MessageQueue.next', ms: 10, wait: SampleKind.Poll },
];

interface Case {
  readonly fires: Trace;
  readonly says: RegExp;
  readonly quiet: Readonly<Record<string, Trace>>;
  readonly baseline?: Trace;
}

const cases: Readonly<Record<string, () => Case>> = {
  classLoading: () => ({
    fires: trace(main({ in: `Shop.open > ${load} > Shop.init`, ms: 100 }, rest(300))),
    says: /^"main" loads classes for 100 ms\. .* asked for by Shop\.open\.$/,
    quiet: {
      'short loads': trace(main({ in: `Shop.open > ${load}`, ms: 15 }, rest(385))),
      'a wait in a loader': trace(
        main({ in: `Shop.open > ${load}`, ms: 100, wait: SampleKind.Io }, rest(300)),
      ),
      'a method of the same name': trace(main({ in: 'Shop.open > Shop.loadClass', ms: 100 }, rest(300))),
    },
  }),
  collections: () => ({
    fires: collecting(100),
    says: /stop the program for 100 ms\. There were 1, .* Shop\.remember on "main" allocated 8\d\.\d %/,
    quiet: {
      'a short one': collecting(10),
      'another wait': trace(main({ in: 'Shop.remember', ms: 100, wait: SampleKind.Io }, rest(300))),
    },
  }),
  database: () => ({
    fires: trace(
      main(
        { in: 'Shop.find > android.database.sqlite.SQLiteDatabase.query > Native.step', ms: 50 },
        { in: 'Shop.find > android.database.sqlite.SQLiteDatabase.query > Native.sync', ms: 10, cpu: 0 },
        { in: 'Shop.find > android.database.sqlite.SQLiteDatabase.query', ms: 40, wait: SampleKind.Io },
        rest(300),
      ),
    ),
    says: /^"main" is in the database for 100 ms, asked by Shop\.find\. It waited for 50\.0 ms of that/,
    quiet: {
      'another thread': trace(main(rest(lengthMs)), {
        name: 'pool',
        pieces: [{ in: 'Shop.find > java.sql.Statement.execute', ms: 100 }, rest(300)],
      }),
      'a short question': trace(main({ in: 'Shop.find > java.sql.Statement.execute', ms: 15 }, rest(385))),
      'a class of a similar name': trace(
        main({ in: 'Shop.find > java.sqlite.Statement.run', ms: 100 }, rest(300)),
      ),
    },
  }),
  layoutAndDrawing: () => ({
    fires: trace(
      main(
        ...frame('performMeasure > android.view.View.measure > shop.CartView.onMeasure', 40),
        ...frame('performDraw > android.view.View.draw > shop.CartView.onDraw', 20),
        ...frame('performMeasure > android.view.View.measure > shop.CartView.onMeasure', 10),
        rest(300),
      ),
    ),
    says: /^"main" measures and lays out views for 40\.0 ms, most of it in shop\.CartView\.onMeasure\. 2 × .* 40\.0 ms at most\.$/,
    quiet: {
      'frames that are in time': trace(
        main(
          ...Array.from({ length: 20 }, () => frame('performMeasure > android.view.View.measure', 10)).flat(),
        ),
      ),
      'a wait while it draws': trace(
        main(
          { in: `${traversal}performDraw > shop.CartView.onDraw`, ms: 100, wait: SampleKind.Io },
          rest(300),
        ),
      ),
      'a method of the program of that name': trace(main({ in: 'shop.Plan.layout', ms: 100 }, rest(300))),
      'functions that are called as sections of Android': trace(
        main({ in: '.unpack > .inflate', ms: 100 }, { in: '.plan > .layout', ms: 100 }, rest(200)),
      ),
    },
  }),
  pageFaults: () => ({
    fires: trace(main({ in: 'Shop.search', ms: 200, cpu: 0.3, faultsPerMs: 4 }, rest(200))),
    says: /^"main" waits 140 ms for pages of memory to be read, in Shop\.search\. There were 800 .* 2,000 a second:/,
    quiet: {
      'faults that took no time': trace(main({ in: 'Shop.search', ms: 200, faultsPerMs: 4 }, rest(200))),
      'a missing core beside a few': trace(
        main(
          { in: 'Shop.search', ms: 3, cpu: 0.3, faultsPerMs: 1 },
          { in: 'Shop.search', ms: 197, cpu: 0.3 },
          rest(200),
        ),
      ),
      'time off the core without faults': trace(main({ in: 'Shop.search', ms: 200, cpu: 0.3 }, rest(200))),
    },
  }),
  compilation: () => ({
    fires: trace(
      main({ in: 'Shop.run', ms: 50 }, rest(350)),
      thread('C2 CompilerThread0', ThreadKind.Runtime, 300),
    ),
    says: /^The compilers use 300 ms, 85\.7 % of the CPU time\./,
    quiet: {
      'a program that works as much': trace(
        main({ in: 'Shop.run', ms: 350 }, rest(50)),
        thread('C2 CompilerThread0', ThreadKind.Runtime, 300),
      ),
      'a thread of the program': trace(
        main({ in: 'Shop.run', ms: 50 }, rest(350)),
        thread('query compiler', ThreadKind.Platform, 300),
      ),
    },
  }),
  hotMethod: () => ({
    fires: trace(main({ in: 'Shop.run > Shop.price > java.util.HashMap.get', ms: 200 }, rest(200))),
    says: /^Shop\.price calculates for 200 ms, 100 % of the CPU time of "main"\. .* 50\.0 % of the time\.$/,
    quiet: {
      'work of many methods': trace(
        main(...['a', 'b', 'c'].map((name) => ({ in: `Shop.${name}`, ms: 130 }))),
      ),
      'short work': trace(main({ in: 'Shop.price', ms: 60 }, rest(340))),
      'most of a few samples': workedTrace(
        [main({ in: 'Shop.price', ms: 5 }, { in: 'Shop.add', ms: 3 }, rest(8))],
        16,
      ),
    },
  }),
  handOvers: () => ({
    fires: trace(main({ in: 'Shop.ask', ms: lengthMs, cpu: 0.4, switchesPerMs: 6 })),
    says: /^"main" stops and goes on 6,000 times a second in Shop\.ask\. Each of the 2,400 switches/,
    quiet: {
      'fewer switches': trace(main({ in: 'Shop.ask', ms: lengthMs, cpu: 0.4, switchesPerMs: 2 })),
      'switches of page faults': trace(
        main({ in: 'Shop.ask', ms: lengthMs, cpu: 0.4, switchesPerMs: 6, faultsPerMs: 5 }),
      ),
    },
  }),
  manyThreads: () => ({
    fires: trace(main(rest(lengthMs)), ...crowd({})),
    says: /^40 threads are started, 100 a second\. Most are called "task-\*"\./,
    quiet: {
      'threads that were there before': trace(
        main(rest(lengthMs)),
        ...crowd({}).map(({ name, pieces }) => ({ name, pieces })),
      ),
      'threads of the runtime': trace(main(rest(lengthMs)), ...crowd({ kind: ThreadKind.Runtime })),
      'a few threads': trace(main(rest(lengthMs)), ...crowd({}).slice(0, 20)),
    },
  }),
  noCore: () => ({
    fires: lost(SchedState.Runnable),
    says: /^"main" is ready for 200 ms and gets no core\. That is 50\.0 % of the time .* went to .*200 ms/,
    quiet: {
      'a core that it gave away': lost(SchedState.Sleeping),
      'a core that it soon got back': lost(SchedState.Runnable, 160),
    },
  }),
  serialStart: () => ({
    fires: trace(starter, started),
    says: /runs 3 long steps one after the other .* Together they take 360 ms, .* is Start\./,
    quiet: {
      'a recording of a program that ran before': trace(starter, main(...steps)),
      'a start on two threads': trace(starter, started, thread('loader', ThreadKind.Platform, 300)),
      'a start of one long step': trace(starter, {
        ...main({ in: 'Start.main > Start.all', ms: 360 }),
        beginMs: 10,
      }),
    },
  }),
  regression: () => ({
    baseline: work(20, 16, 20),
    fires: work(20, 16, 200),
    says: /^The main thread waits 180 ms longer in Shop\.load .* It was 20\.0 ms and is 200 ms/,
    quiet: {
      'the same work': work(20, 16, 20),
      'a shorter wait': work(20, 16, 5),
      'a machine that has more time for all of it': work(200, 160, 20),
    },
  }),
};

describe('the rule', () => {
  const told = (id: string, of: Trace, baseline?: Trace): string[] =>
    findingRules
      .filter((rule) => rule.id === id)
      .flatMap((rule) => rule.find(new FindingContext(of, undefined, baseline)))
      .map(({ title, explanation }) => `${findingText(title)}. ${findingText(explanation)}`);

  for (const [id, make] of Object.entries(cases))
    it(`${id} tells what it is for, and nothing of what only looks like it`, () => {
      const { fires, says, quiet, baseline } = make();
      const [first = '', ...more] = told(id, fires, baseline);
      assert.match(first, says);
      assert.deepEqual(more, []);
      for (const [what, of] of Object.entries(quiet)) assert.deepEqual(told(id, of, baseline), [], what);
    });

  it('regression tells of CPU time that only one method uses more of', () => {
    assert.match(
      told('regression', work(300, 40, 20), work(50, 40, 20)).join(),
      /^Shop\.price calculates 250 ms longer/,
    );
  });

  for (const [size, pieces] of [
    ['long', 2],
    ['short', 12],
  ] as const)
    it(`serialStart tells once of a step that samples show in ${size} parts`, () => {
      const [first, ...others] = steps;
      const parts = Array.from({ length: 2 * pieces - 1 }, (_, at) =>
        at % 2 === 1 ? { in: '[inside the JVM]', ms: 1 } : { ...first!, ms: 120 / pieces },
      );
      const [said, ...more] = told(
        'serialStart',
        trace(starter, { ...main(...parts, ...others), beginMs: 10 }),
      );
      assert.match(said!, /runs 3 long steps/);
      assert.deepEqual(more, []);
    });

  it('serialStart tells nothing of short calls that come in turns', () => {
    const turns = Array.from({ length: 36 }, (_, at) => ({ ...steps[at % 3]!, ms: 10 }));
    assert.deepEqual(told('serialStart', trace(starter, { ...main(...turns), beginMs: 10 })), []);
  });

  it('pageFaults tells once of all threads that wait for pages in a method', () => {
    const slow = (name: string): Worker => ({
      name,
      pieces: [{ in: 'Shop.search', ms: 200, cpu: 0.3, faultsPerMs: 4 }, rest(200)],
    });
    const other = {
      name: 'other',
      pieces: [{ in: 'Shop.sort', ms: 200, cpu: 0.3, faultsPerMs: 4 }, rest(200)],
    };
    const findings = told('pageFaults', trace(main(rest(lengthMs)), ...['a', 'b', 'c'].map(slow), other));
    assert.deepEqual(findings, [
      '3 threads wait 420 ms in all for pages of memory to be read, in Shop.search. ' +
        'There were 2,400 major page faults, 6,000 a second: each had to read from a file or from swap.',
      '"other" waits 140 ms for pages of memory to be read, in Shop.sort. ' +
        'There were 800 major page faults, 2,000 a second: each had to read from a file or from swap.',
    ]);
  });

  it('layoutAndDrawing and classLoading read the sections of a system trace, and its frames', () => {
    const made = traceOf([
      { name: 'Choreographer#doFrame 7', at: 0, lasts: 90 },
      { name: 'traversal', at: 5, lasts: 80 },
      { name: 'layout', at: 10, lasts: 60 },
      { name: 'RV OnBindView', at: 20, lasts: 50 },
      { name: 'draw-VRI[Cart]', at: 72, lasts: 10 },
      { name: 'activityStart', at: 300, lasts: 100 },
      { name: 'VerifyClass shop.Cart', at: 310, lasts: 80 },
    ]);
    const frames: Frames = {
      count: 2,
      ...{ begin: Float64Array.of(0, 100e6), end: Float64Array.of(90e6, 110e6) },
      ...{ deadline: Float64Array.of(16e6, 116e6), pid: Int32Array.of(100, 100) },
      ...{ token: Float64Array.of(7, 8), jank: Uint16Array.of(Jank.AppDeadline, Jank.None) },
    };
    const withFrames = Object.create(made, { frames: { value: frames } }) as Trace;
    assert.deepEqual(told('layoutAndDrawing', withFrames), [
      '"main" measures and lays out views for 60.0 ms, most of it in RV OnBindView. ' +
        '1 × layout and drawing took longer than a frame lasts, 80.0 ms at most. 1 of 2 frames were late.',
    ]);
    assert.match(
      told('layoutAndDrawing', made).join(),
      /\. That took longer than a frame lasts: 80\.0 ms\.$/,
    );
    assert.match(
      told('classLoading', made).join(),
      /^"main" loads classes for 80\.0 ms\. .* by activityStart\.$/,
    );
  });

  it('names nobody who had the cores where only the program’s own switches are known', () => {
    assert.deepEqual(told('noCore', lost(SchedState.Runnable, 300, programSwitchesSource)), [
      '"main" is ready for 200 ms and gets no core. That is 50.0 % of the time in which it wanted to run. ' +
        'Only this program’s switches were recorded: who had the cores is not known.',
    ]);
  });
});
