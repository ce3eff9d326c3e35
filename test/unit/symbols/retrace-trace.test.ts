/** A whole trace with its names retraced: names, calls that were inlined, lines; and all of its time. */
import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { RetraceMapping } from '../../../src/symbols/r8/retrace-mapping.js';
import { classNames, mayBeMapped, retraceTrace } from '../../../src/symbols/r8/retrace-trace.js';
import { lineFigures, sumScope, wholeTrace, type Trace } from '../../../src/trace/index.js';
import { decoded } from '../trace/recordings.js';
import { randomRecording } from '../trace/random-recording.js';
import { mapping, minifiedRecording } from './minified-recording.js';

const retraced = (stacks: readonly (readonly string[])[], text = mapping): Trace =>
  retraceTrace(decoded(minifiedRecording({ stacks })), new RetraceMapping(text));

/** "depth name begin–end" in ms, as the chart has them. */
function callsOf({ threads, methods }: Trace): string[] {
  return threads.flatMap(({ calls }) =>
    Array.from({ length: calls.count }, (_, row) => {
      const name = methods.qualifiedName(calls.method[row]!);
      return `${String(calls.depth[row])} ${name} ${String(calls.begin[row]! / 1e6)}–${String(calls.end[row]! / 1e6)}`;
    }),
  );
}

/** "name:line ms" of own time. */
function linesOf(trace: Trace): string[] {
  const { count, method, line, selfWall } = lineFigures(trace, wholeTrace);
  return Array.from(
    { length: count },
    (_, row) => `${trace.methods.name(method[row]!)}:${String(line[row])} ${String(selfWall[row]! / 1e6)}`,
  ).filter((entry) => !entry.endsWith(' 0'));
}

describe('a retraced trace', () => {
  it('has the names as written, and leaves what the mapping does not know', () => {
    const trace = retraced([
      ['kept.Main.main:1'],
      ['kept.Main.main:1', 'a.b.a:2'],
      ['kept.Main.main:1', 'a.b.toString:2'],
    ]);
    assert.deepEqual(callsOf(trace), [
      '0 kept.Main.main 0–2',
      '1 shop.Till.open 0–1',
      '1 shop.Till.toString 1–2',
    ]);
    const open = Array.from({ length: trace.methods.count }, (_, one) => one).find(
      (one) => trace.methods.name(one) === 'open',
    )!;
    assert.equal(trace.methods.file(open), 'Till.kt');
    assert.equal(trace.methods.signature(open), '(I)V');
  });

  it('has a call for each that was inlined, and ends it where the line leaves it', () => {
    const trace = retraced([['a.b.a:2'], ['a.b.a:2'], ['a.b.a:5'], ['a.b.a:6'], ['a.b.a:3']]);
    assert.deepEqual(callsOf(trace), [
      '0 shop.Till.open 0–4',
      '1 shop.Cart.total 1–3',
      '2 shop.Line.price 1–3',
    ]);
    assert.deepEqual(linesOf(trace), ['open:11 1', 'open:12 1', 'price:71 1', 'price:72 1']);
    const price = trace.threads[0]!.calls.method[2]!;
    assert.equal(trace.methods.file(price), 'Lines.java');
  });

  it('tells overloads apart by their lines', () => {
    const trace = retraced([['a.b.b:1'], ['a.b.b:1'], ['a.b.b:3']]);
    assert.deepEqual(callsOf(trace), ['0 shop.Till.add 0–1', '0 shop.Till.add 1–2']);
    const { calls } = trace.threads[0]!;
    assert.deepEqual(
      [...calls.method.subarray(0, 2)].map((one) => trace.methods.signature(one)),
      ['(I)V', '(Ljava/lang/String;)V'],
    );
  });

  it('puts an outline back into the method that it was taken from', () => {
    const trace = retraced([['a.b.c:1'], ['a.b.c:1', 'a.c.a:1'], ['a.b.c:1', 'a.c.a:2']]);
    assert.deepEqual(callsOf(trace), ['0 shop.Till.close 0–2']);
    assert.deepEqual(linesOf(trace), ['close:91 1', 'close:92 1']);
  });

  it('puts an outline that was called by another one back, too', () => {
    const text = `# {"id":"com.android.tools.r8.mapping","version":"2.2"}
made.One -> a.c:
    4:4:int run():0:0 -> a
    # {"id":"com.android.tools.r8.outline"}
made.Two -> a.d:
    6:6:int run():0:0 -> a
    # {"id":"com.android.tools.r8.outlineCallsite","positions":{"4":43}}
    42:43:int run():0:0 -> a
    # {"id":"com.android.tools.r8.outline"}
shop.Till -> a.b:
    10:11:void close():98:99 -> c
    8:8:void close():0:0 -> c
    # {"id":"com.android.tools.r8.outlineCallsite","positions":{"42":10,"43":11}}
`;
    const trace = retraced([['a.b.c:8'], ['a.b.c:8', 'a.d.a:6', 'a.c.a:4']], text);
    assert.deepEqual(callsOf(trace), ['0 shop.Till.close 0–1']);
    assert.deepEqual(linesOf(trace), ['close:99 1']);
  });

  it('gives the time of what the compiler made up to its caller', () => {
    const trace = retraced([['a.b.c:1'], ['a.b.c:1', 'a.d.a:1'], ['a.b.c:1', 'a.d.a:1', 'a.b.b:1']]);
    assert.deepEqual(callsOf(trace), ['0 shop.Till.close 0–2', '1 shop.Till.add 1–2']);
  });

  it('waits where it waited, for what was written', () => {
    const bytes = minifiedRecording({ stacks: [['a.b.a:2'], ['a.b.a:2'], ['a.b.a:5']], waits: true });
    const trace = retraceTrace(decoded(bytes), new RetraceMapping(mapping));
    const { waits } = trace.threads[0]!;
    assert.equal(waits.count, 1);
    assert.equal(trace.className(waits.type[0]!), 'shop.Line');
    assert.equal(trace.methods.name(trace.paths.method[waits.path[0]!]!), 'price');
  });

  it('counts in code units where the program has no lines', () => {
    const text = `shop.Till -> a.b:
    0:0:int shop.Cart.total():44:44 -> a
    0:0:void open():10:10 -> a
    1:3:void open():10:10 -> a
    4:9:void open():11:11 -> a
`;
    const bytes = minifiedRecording({ stacks: [['a.b.a:0'], ['a.b.a:0'], ['a.b.a:2'], ['a.b.a:5']] });
    const trace = decoded(bytes);
    const lines: Partial<Trace['methods']> = { firstLine: () => 0, lineAt: () => 0 };
    const methods = new Proxy(trace.methods, {
      get: (of, key): unknown => {
        const value: unknown = lines[key as keyof typeof lines] ?? Reflect.get(of, key, of);
        return typeof value === 'function' ? value.bind(of) : value;
      },
    });
    const noLines = { ...trace, methods };
    assert.deepEqual(linesOf(retraceTrace(noLines, new RetraceMapping(text))), [
      'open:10 1',
      'open:11 1',
      'total:44 1',
    ]);
  });

  it('names the methods of a trace without positions', () => {
    const trace: { -readonly [K in keyof Trace]: Trace[K] } = {
      ...decoded(minifiedRecording({ stacks: [['a.b.c:1'], ['a.b.c:1', 'a.b.b:1']] })),
    };
    delete trace.nodes;
    const after = retraceTrace(trace, new RetraceMapping(mapping));
    assert.deepEqual(callsOf(after), ['0 shop.Till.close 0–1', '1 shop.Till.add 0–1']);
    assert.equal(after.nodes, undefined);
  });

  it('loses no time and splits no call, whatever was recorded', () => {
    // The class of m0 is known by name only in this recording; others stay.
    const unknown = new RetraceMapping('other.Thing -> zz:\n');
    for (let seed = 1; seed <= 40; seed++) {
      const trace = decoded(randomRecording(seed).bytes);
      const after = retraceTrace(trace, unknown);
      assert.deepEqual(sumScope(after, wholeTrace).sum, sumScope(trace, wholeTrace).sum);
      assert.deepEqual(callsOf(after), callsOf(trace), `seed ${String(seed)}`);
      assert.deepEqual(linesOf(after).sort(), linesOf(trace).sort());
    }
  });
});

describe('which mapping a trace needs', () => {
  it('is an excerpt of the classes that it names, and retraces the same', () => {
    const bytes = minifiedRecording({
      stacks: [['a.b.a:2'], ['a.b.a:5'], ['a.b.b:3'], ['a.b.c:1', 'a.c.a:2']],
    });
    const trace = decoded(bytes);
    const whole = new RetraceMapping(mapping);
    const excerpt = whole.excerpt(classNames(trace));
    assert.doesNotMatch(excerpt, /Unused/);
    assert.match(excerpt, /shop\.Line -> a\.f:\n# .*Lines\.java.*\n/);
    assert.deepEqual(
      callsOf(retraceTrace(trace, new RetraceMapping(excerpt))),
      callsOf(retraceTrace(trace, whole)),
    );
    assert.deepEqual(
      linesOf(retraceTrace(trace, new RetraceMapping(excerpt))),
      linesOf(retraceTrace(trace, whole)),
    );
  });

  it('belongs to what the Android Runtime ran, or was chosen', () => {
    const of = (runtime: string): Trace => decoded(minifiedRecording({ runtime, stacks: [['a.b.a:2']] }));
    assert.equal(mayBeMapped(of('ART 14'), false), true);
    assert.equal(mayBeMapped(of('HotSpot 17'), false), false);
    assert.equal(mayBeMapped(of('HotSpot 17'), true), true);
  });
});
