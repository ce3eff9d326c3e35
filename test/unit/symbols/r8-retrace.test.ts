import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { RetraceMapping } from '../../../src/symbols/r8/retrace-mapping.js';
import { retraceField, retraceFrame, retraceStack } from '../../../src/symbols/r8/retrace.js';
import type { Frame } from '../../../src/symbols/wanted-source.js';

const v2 = '# {"id":"com.android.tools.r8.mapping","version":"2.2"}\n';

function frame(className: string, method: string, line = 0, signature = ''): Frame {
  return { className, method, signature, file: 'SourceFile', line };
}

/** "class.method:line" of each alternative, inline frames joined by " < " from innermost outward. */
function traced(text: string, given: Frame): string[] {
  const mapping = new RetraceMapping(text);
  return retraceFrame(mapping, given).map((frames) =>
    frames.map((one) => `${one.className}.${one.method}:${String(one.line)}`).join(' < '),
  );
}

function stack(text: string, frames: Frame[], thrown?: string): string[] {
  const mapping = new RetraceMapping(text);
  const result = retraceStack(mapping, frames, thrown === undefined ? {} : { thrown });
  return result.map((one) => `${one.className}.${one.method}:${String(one.line)}`);
}

describe('R8 retrace: classes', () => {
  it('gives back the name of a class, and of an array of it', () => {
    const mapping = new RetraceMapping('shop.Cart -> a.b:\nshop.Cart$Line -> a.c:\n');
    assert.equal(mapping.classCount, 2);
    assert.equal(mapping.originalName('a.b'), 'shop.Cart');
    assert.equal(mapping.originalName('a.c'), 'shop.Cart$Line');
    assert.equal(mapping.originalName('a.b[][]'), 'shop.Cart[][]');
    assert.equal(mapping.minifiedName('shop.Cart'), 'a.b');
  });

  it('leaves what it does not know', () => {
    const text = 'shop.Cart -> a:\n    void add() -> b\n';
    assert.deepEqual(traced(text, frame('java.util.HashMap', 'put', 7)), ['java.util.HashMap.put:7']);
    assert.deepEqual(traced(text, frame('a', 'toString', 9)), ['shop.Cart.toString:9']);
  });

  it('takes the source file that R8 names, and guesses one otherwise', () => {
    const text = `shop.Cart -> a:
# {"id":"sourceFile","fileName":"Carts.kt"}
    1:1:void add():5:5 -> b
shop.Till$Drawer -> c:
    1:1:void open():8:8 -> b
made.Up -> d:
# {"id":"sourceFile","fileName":"R8$$SyntheticClass"}
    1:1:void run():9:9 -> b
`;
    const mapping = new RetraceMapping(text);
    const file = (className: string): string | undefined =>
      retraceFrame(mapping, frame(className, 'b', 1))[0]?.[0]?.file;
    assert.equal(file('a'), 'Carts.kt');
    assert.equal(file('c'), 'Till.java');
    assert.equal(file('d'), 'Up.java');
  });

  it('reads Windows line ends, a missing last newline, comments and what is damaged', () => {
    const text =
      '# compiler: R8\r\n# {"id": broken\r\nshop.Cart -> a:\r\n    nonsense\r\n    1:2:void add():3:4 -> b\r\nshop.Till -> c:';
    assert.deepEqual(traced(text, frame('a', 'b', 2)), ['shop.Cart.add:4']);
    assert.equal(new RetraceMapping(text).originalName('c'), 'shop.Till');
  });
});

describe('R8 retrace: members', () => {
  it('tells overloads apart by line', () => {
    const text = `shop.Cart -> a:
    1:3:void add(int):10:12 -> b
    4:6:void add(java.lang.String):20:22 -> b
`;
    assert.deepEqual(traced(text, frame('a', 'b', 2)), ['shop.Cart.add:11']);
    assert.deepEqual(traced(text, frame('a', 'b', 6)), ['shop.Cart.add:22']);
  });

  it('tells overloads apart by signature, with minified types in it', () => {
    const text = `shop.Cart -> a:
    void add(shop.Item) -> b
    void remove(int[]) -> b
    int count(long,shop.Item[][]) -> b
shop.Item -> c:
`;
    assert.deepEqual(traced(text, frame('a', 'b', 0, '(Lc;)V')), ['shop.Cart.add:0']);
    assert.deepEqual(traced(text, frame('a', 'b', 0, '([I)V')), ['shop.Cart.remove:0']);
    assert.deepEqual(traced(text, frame('a', 'b', 0, '(J[[Lc;)I')), ['shop.Cart.count:0']);
  });

  it('prefers the residual signature, from version 2.2 on', () => {
    const body = `shop.Cart -> a:
    void add(shop.Item) -> b
    # {"id":"com.android.tools.r8.residualsignature","signature":"(I)V"}
    void remove(shop.Item) -> b
    # {"id":"com.android.tools.r8.residualsignature","signature":"(J)V"}
`;
    assert.deepEqual(traced(v2 + body, frame('a', 'b', 0, '(J)V')), ['shop.Cart.remove:0']);
    assert.equal(traced(body, frame('a', 'b', 0, '(J)V')).length, 2);
  });

  it('gives all that it may have been when nothing tells', () => {
    const text = 'shop.Cart -> a:\n    void add(int) -> b\n    void drop(int) -> b\n';
    assert.deepEqual(traced(text, frame('a', 'b', 3)), ['shop.Cart.add:3', 'shop.Cart.drop:3']);
  });

  it('keeps constructors, moved methods and their classes', () => {
    const text = `shop.Cart -> a:
    1:1:void <init>(int):7:7 -> <init>
    2:2:void shop.Till.ring():31:31 -> b
`;
    assert.deepEqual(traced(text, frame('a', '<init>', 1)), ['shop.Cart.<init>:7']);
    assert.deepEqual(traced(text, frame('a', 'b', 2)), ['shop.Till.ring:31']);
  });

  it('finds fields, by type where the name is shared', () => {
    const mapping = new RetraceMapping(`${v2}shop.Cart -> a:
    int count -> b
    java.lang.String count -> b
    shop.Till shop.Base.till -> c
    shop.Item item -> d
      # {"id":"com.android.tools.r8.residualsignature","signature":"La/x;"}
`);
    const name = (minified: string, type?: string): string[] =>
      retraceField(mapping, 'a', minified, type).map((one) => `${one.type} ${one.className}.${one.name}`);
    assert.deepEqual(name('b', 'I'), ['int shop.Cart.count']);
    assert.deepEqual(name('b'), ['int shop.Cart.count', 'java.lang.String shop.Cart.count']);
    assert.deepEqual(name('c'), ['shop.Till shop.Base.till']);
    assert.deepEqual(name('d', 'La/x;'), ['shop.Item shop.Cart.item']);
    assert.deepEqual(name('zz'), [' shop.Cart.zz']);
  });
});

describe('R8 retrace: lines', () => {
  const method = (line: string, at: number): string | undefined =>
    traced(`shop.Cart -> a:\n    ${line}\n`, frame('a', 'b', at))[0];

  it('maps every form of line range', () => {
    assert.equal(method('1:3:void add():10:12 -> b', 2), 'shop.Cart.add:11', 'range to range');
    assert.equal(method('1:3:void add():10 -> b', 3), 'shop.Cart.add:10', 'range to one line');
    assert.equal(method('5:5:void add():10:10 -> b', 5), 'shop.Cart.add:10', 'line to line');
    assert.equal(method('5:void add():10 -> b', 5), 'shop.Cart.add:10', 'one number on each side');
    assert.equal(method('1:3:void add() -> b', 2), 'shop.Cart.add:2', 'range kept as it is');
    assert.equal(method('void add():10:12 -> b', 11), 'shop.Cart.add:11', 'no minified range');
    assert.equal(method('void add():10 -> b', 77), 'shop.Cart.add:10', 'one original line');
    assert.equal(method('void add() -> b', 77), 'shop.Cart.add:77', 'no lines at all');
    assert.equal(method('0:65535:void add():10:10 -> b', 4), 'shop.Cart.add:10', 'catch-all');
    assert.equal(method('0:0:void add():10:10 -> b', 4), 'shop.Cart.add:10', 'older catch-all');
    assert.equal(method('1:9:void add():10:12 -> b', 9), 'shop.Cart.add:12', 'never past the original end');
  });

  it('takes the catch-all only where no range holds the line', () => {
    const text = 'shop.Cart -> a:\n    1:3:void add():10:12 -> b\n    0:65535:void drop():50:50 -> b\n';
    assert.deepEqual(traced(text, frame('a', 'b', 2)), ['shop.Cart.add:11']);
    assert.deepEqual(traced(text, frame('a', 'b', 9)), ['shop.Cart.drop:50']);
  });

  it('takes the catch-all for every line and for none, also of what was inlined', () => {
    const text = `shop.Cart -> a:
    0:65535:int shop.Price.round(int):70:70 -> b
    0:65535:void add(int):33 -> b
`;
    for (const line of [0, 1, 400])
      assert.deepEqual(traced(text, frame('a', 'b', line)), ['shop.Price.round:70 < shop.Cart.add:33']);
  });

  it('tells no line where no range holds it', () => {
    const text = 'shop.Cart -> a:\n    5:7:void add():11:13 -> b\n    8:8:void add():10:10 -> b\n';
    assert.deepEqual(traced(text, frame('a', 'b', 27)), ['shop.Cart.add:0']);
    assert.deepEqual(traced(text, frame('a', 'b', 2)), ['shop.Cart.add:0']);
  });

  it('begins to count at 0 where a program has no lines', () => {
    const text = `shop.Cart -> a:
    0:3:int shop.Price.round(int):70:73 -> b
    0:3:void add(int):10 -> b
    4:9:void add(int):11:11 -> b
`;
    assert.deepEqual(traced(text, frame('a', 'b', 0)), ['shop.Price.round:70 < shop.Cart.add:10']);
    assert.deepEqual(traced(text, frame('a', 'b', 4)), ['shop.Cart.add:11']);
  });

  it('tells ranges that lie within each other apart only where one alone holds the line', () => {
    const text = 'shop.Cart -> a:\n    1:9:void add():10:18 -> b\n    4:6:void drop():50:52 -> b\n';
    assert.deepEqual(traced(text, frame('a', 'b', 2)), ['shop.Cart.add:11']);
    assert.deepEqual(traced(text, frame('a', 'b', 5)), ['shop.Cart.add:14', 'shop.Cart.drop:51']);
  });

  it('prefers what has the line in its range to overloads without one', () => {
    const text =
      'shop.Cart -> a:\n    int list(int) -> b\n    3:3:void sync():425:425 -> b\n    void drop(long) -> b\n';
    assert.deepEqual(traced(text, frame('a', 'b', 3)), ['shop.Cart.sync:425']);
  });

  it('names the method without a line', () => {
    const text = `shop.Cart -> a:
    1:1:void shop.Till.ring():31:31 -> b
    1:1:void add():11 -> b
    2:3:void add():12:13 -> b
`;
    assert.deepEqual(traced(text, frame('a', 'b')), ['shop.Cart.add:11']);
  });
});

describe('R8 retrace: inline frames', () => {
  const text = `shop.Cart -> a:
# {"id":"sourceFile","fileName":"Cart.kt"}
    1:2:int shop.Price.round(int):70:71 -> b
    1:2:int shop.Price.of(int):40 -> b
    1:2:void add(int):10 -> b
    3:3:void add(int):11:11 -> b
shop.Price -> c:
# {"id":"sourceFile","fileName":"Money.kt"}
`;

  it('gives every frame, innermost first, each with its line', () => {
    assert.deepEqual(traced(text, frame('a', 'b', 2)), [
      'shop.Price.round:71 < shop.Price.of:40 < shop.Cart.add:10',
    ]);
    assert.deepEqual(traced(text, frame('a', 'b', 3)), ['shop.Cart.add:11']);
  });

  it('gives each frame the file of its own class', () => {
    const frames = retraceFrame(new RetraceMapping(text), frame('a', 'b', 1))[0] ?? [];
    assert.deepEqual(
      frames.map((one) => one.file),
      ['Money.kt', 'Money.kt', 'Cart.kt'],
    );
    assert.equal(frames[0]?.signature, '(I)I');
  });
});

describe('R8 retrace: what the compiler made up', () => {
  it('drops synthesized methods, and keeps what was inlined into them', () => {
    const text = `${v2}made.Up -> a:
# {"id":"com.android.tools.r8.synthesized"}
    4:4:void shop.Cart.lambda$pay$0():22 -> run
    4:4:void run():0 -> run
      # {"id":"com.android.tools.r8.synthesized"}
    5:5:void bridge():1 -> go
      # {"id":"com.android.tools.r8.synthesized"}
shop.Cart -> b:
    1:1:void pay():20:20 -> c
`;
    assert.deepEqual(stack(text, [frame('a', 'run', 4), frame('a', 'go', 5), frame('b', 'c', 1)]), [
      'shop.Cart.lambda$pay$0:22',
      'shop.Cart.pay:20',
    ]);
    assert.equal(new RetraceMapping(text).class('a')?.synthesized, true);
  });

  it('puts an outline back to where it was called from', () => {
    const text = `${v2}made.Outline -> a:
    1:2:int run():0 -> a
    # {"id":"com.android.tools.r8.outline"}
shop.Cart -> b:
    4:4:int total(int):23:23 -> c
    5:5:int shop.Price.of(int):98:98 -> c
    5:5:int total(int):24 -> c
    27:27:int total(int):0:0 -> c
    # {"id":"com.android.tools.r8.outlineCallsite","positions":{"1":4,"2":5},"outline":"La;a()I"}
`;
    assert.deepEqual(stack(text, [frame('a', 'a', 1), frame('b', 'c', 27)]), ['shop.Cart.total:23']);
    assert.deepEqual(stack(text, [frame('a', 'a', 2), frame('b', 'c', 27)]), [
      'shop.Price.of:98',
      'shop.Cart.total:24',
    ]);
  });

  it('puts an outline that was called by another one back, too', () => {
    const text = `${v2}made.One -> a:
    4:4:int run():0:0 -> a
    # {"id":"com.android.tools.r8.outline"}
made.Two -> b:
    6:6:int run():0:0 -> a
    # {"id":"com.android.tools.r8.outlineCallsite","positions":{"4":43}}
    42:43:int run():0:0 -> a
    # {"id":"com.android.tools.r8.outline"}
shop.Cart -> c:
    10:11:int total(int):98:99 -> a
    28:28:int total(int):0:0 -> a
    # {"id":"com.android.tools.r8.outlineCallsite","positions":{"42":10,"43":11}}
`;
    const frames = [frame('a', 'a', 4), frame('b', 'a', 6), frame('c', 'a', 28)];
    assert.deepEqual(stack(text, frames), ['shop.Cart.total:99']);
  });

  it('puts an outline back where its caller has one place for all lines', () => {
    const text = `${v2}made.Outline -> a:
    0:65535:int run():0:0 -> a
    # {"id":"com.android.tools.r8.outline"}
shop.Cart -> b:
    7:7:int total(int):23:23 -> c
    0:65535:int total(int):0:0 -> c
    # {"id":"com.android.tools.r8.outlineCallsite","positions":{"1":7}}
`;
    assert.deepEqual(stack(text, [frame('a', 'a', 1), frame('b', 'c', 27)]), ['shop.Cart.total:23']);
  });

  it('removes inner frames for the exception it was written for, and for no other', () => {
    const text = `${v2}my.Failure -> x:
shop.Cart -> a:
    4:4:void shop.Item.check():23:23 -> b
    4:4:void add(shop.Item):7 -> b
    # {"id":"com.android.tools.r8.rewriteFrame","conditions":["throws(Lx;)"],"actions":["removeInnerFrames(1)"]}
`;
    const frames = [frame('a', 'b', 4)];
    assert.deepEqual(stack(text, frames, 'x'), ['shop.Cart.add:7']);
    assert.deepEqual(stack(text, frames, 'y'), ['shop.Item.check:23', 'shop.Cart.add:7']);
    assert.deepEqual(stack(text, frames), ['shop.Item.check:23', 'shop.Cart.add:7']);
    assert.deepEqual(stack(text, [frame('b', 'd', 1), ...frames], 'x'), [
      'b.d:1',
      'shop.Item.check:23',
      'shop.Cart.add:7',
    ]);
    const information = / {4}# .*rewriteFrame.*\n/.exec(text)![0];
    const other =
      text + information.replace('Lx;', 'Ljava/lang/Error;').replace('(1)', '(1)","removeInnerFrames(1)');
    assert.deepEqual(stack(other, frames, 'x'), ['shop.Cart.add:7'], 'one of two conditions is enough');
    assert.deepEqual(stack(other, frames, 'java.lang.Error'), [], 'each of two actions is done');
    const both = text.replace('"throws(Lx;)"', '"throws(Lx;)","throws(Ly;)"');
    assert.deepEqual(stack(both, frames, 'x'), ['shop.Item.check:23', 'shop.Cart.add:7']);
    const unknown = text.replace('"throws(Lx;)"', '"throws(Lx;)","instanceOf(Lz;)"');
    assert.deepEqual(stack(unknown, frames, 'x'), ['shop.Item.check:23', 'shop.Cart.add:7']);
  });

  it('ignores information that is newer than the file says it is, and reads single quotes and bare keys', () => {
    const body = (version: string): string => `# { id: 'com.android.tools.r8.mapping', version: '${version}' }
made.Up -> a:
    1:1:void run():9:9 -> b
    # {'id':'com.android.tools.r8.synthesized'}
`;
    assert.deepEqual(stack(body('1.0'), [frame('a', 'b', 1)]), []);
    assert.deepEqual(stack(body('0.9'), [frame('a', 'b', 1)]), ['made.Up.run:9']);
    const plain = body('1.0').split('\n').slice(1).join('\n');
    assert.deepEqual(stack(plain, [frame('a', 'b', 1)]), ['made.Up.run:9']);
  });

  it('takes a version to hold for what follows it, until the next one', () => {
    const made = (name: string): string =>
      `made.${name} -> ${name}:\n    1:1:void run():9:9 -> b\n    # {"id":"com.android.tools.r8.synthesized"}\n`;
    const version = (of: string): string => `# {"id":"com.android.tools.r8.mapping","version":"${of}"}\n`;
    const text = made('a') + version('1.0') + made('b') + version('0.5') + made('c');
    const kept = ['a', 'b', 'c'].flatMap((name) => stack(text, [frame(name, 'b', 1)]));
    assert.deepEqual(kept, ['made.a.run:9', 'made.c.run:9']);
  });

  it('passes over information that it does not know, and over fields that the compiler made up', () => {
    const text = `${v2}shop.Cart -> a:
# {"id":"com.android.tools.r8.of.tomorrow","deep":{"er":[1]}}
    int made -> d
    # {"id":"com.android.tools.r8.synthesized","why":"unknown keys"}
    1:1:void add():10:10 -> b
    # {"id":"com.android.tools.r8.of.tomorrow","signature":"(I)V"}
    # {"id":"other.tool"}
`;
    assert.deepEqual(stack(text, [frame('a', 'b', 1)]), ['shop.Cart.add:10']);
    assert.equal(retraceField(new RetraceMapping(text), 'a', 'd')[0]?.name, 'made');
  });

  it('warns of a mapping that is newer than what is read here', () => {
    const version = (of: string): string =>
      `# {"id":"com.android.tools.r8.mapping","version":"${of}"}\na.B -> c:\n`;
    assert.equal(
      new RetraceMapping(v2 + version('3.0') + version('9.1') + version('2.3')).newerVersion,
      '9.1',
    );
    assert.equal(new RetraceMapping(v2).newerVersion, '');
    const excerpt = new RetraceMapping(version('9.1')).excerpt(['c']);
    assert.equal(new RetraceMapping(excerpt).newerVersion, '9.1', 'also as the page has it');
  });
});
