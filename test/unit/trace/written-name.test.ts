/** What Scala, Clojure, Kotlin and Ruby compilers make of names, undone wherever a name is shown, and nowhere else. */
import assert from 'node:assert/strict';
import { gunzipSync } from 'node:zlib';
import { describe, it } from 'mocha';
import { RecordingDecoder } from '../../../src/trace/assemble/decoder.js';
import { exporters } from '../../../src/trace/formats/index.js';
import { qualifiedWritten, writtenName } from '../../../src/trace/model/written-name.js';
import type { Trace } from '../../../src/trace/model/trace.js';
import { ChunkKind, encodeChunk, fileMagic } from '../../../src/trace/recording/chunk.js';
import { Classes, Header, Methods, Threads } from '../../../src/trace/recording/messages.js';
import { encodeNodes } from '../../../src/trace/recording/nodes.js';
import { encodeSamples } from '../../../src/trace/recording/samples.js';
import { nameColumns } from '../../../src/webview/worker/snapshot.js';
import { NameIndex } from '../../../src/webview/names.js';
import { searchMethods, searchUntil } from '../../../src/webview/search/method-search.js';
import { cpuMs } from '../cpu-time.js';

function shown(className: string, name: string, file: string): string {
  const written = writtenName(className, name, () => file);
  return written === undefined ? `${className}.${name}` : qualifiedWritten(written);
}

/** Class, name, and how both are shown. */
type Case = readonly [className: string, name: string, shown: string];

function check(file: string, cases: readonly Case[]): void {
  for (const [className, name, wanted] of cases) assert.equal(shown(className, name, file), wanted);
}

describe('names as they were written', () => {
  it('have the operators of Scala', () => {
    const operators = Object.entries({
      '~': 'tilde',
      '=': 'eq',
      '<': 'less',
      '>': 'greater',
      '!': 'bang',
      '#': 'hash',
      '%': 'percent',
      '^': 'up',
      '&': 'amp',
      '|': 'bar',
      '*': 'times',
      '/': 'div',
      '+': 'plus',
      '-': 'minus',
      ':': 'colon',
      '?': 'qmark',
      '@': 'at',
      '\\': 'bslash',
    });
    assert.equal(operators.length, 18);
    for (const [sign, word] of operators) {
      check('Shop.scala', [
        ['a.Shop', `$${word}`, `a.Shop.${sign}`],
        ['a.Shop', `$${word}$${word}`, `a.Shop.${sign}${sign}`],
        [`a.$${word}`, 'run', `a.${sign}.run`],
      ]);
    }
    check('Shop.scala', [
      ['scala.collection.immutable.$colon$colon', 'head', 'scala.collection.immutable.::.head'],
      ['a.Shop', 'total_$eq', 'a.Shop.total_='],
      ['a.Shop', 'pay$u0020now', 'a.Shop.pay now'],
      ['a.Shop', '$plusVat', 'a.Shop.+Vat'],
      ['a.Shop', '$outer', 'a.Shop.$outer'],
    ]);
  });

  it('have the objects, functions and helpers of Scala', () => {
    check('Shop.scala', [
      ['a.Shop$', 'open', 'a.Shop.open'],
      ['a.Shop$Cart$', 'add', 'a.Shop$Cart.add'],
      ['a.Shop$', '$anonfun$work$1', 'a.Shop.work (lambda 1)'],
      ['a.Shop$', '$anonfun$work$2$adapted', 'a.Shop.work (lambda 2)'],
      ['a.Shop', '$anonfun$$plus$plus$1', 'a.Shop.++ (lambda 1)'],
      ['a.Shop', 'work$$anonfun$1', 'a.Shop.work (lambda 1)'],
      ['a.Shop', 'work$$anonfun$1$$anonfun$3', 'a.Shop.work (lambda 1.3)'],
      ['a.Shop$$anonfun$work$1', 'apply', 'a.Shop.work (lambda 1)'],
      ['a.Shop$$anonfun$work$1', 'apply$mcV$sp', 'a.Shop.work (lambda 1)'],
      ['a.Shop$$anonfun$work$1$$anonfun$apply$2', 'apply', 'a.Shop.work (lambda 1.2)'],
      ['a.Shop', 'pay$default$2', 'a.Shop.pay (default 2)'],
      ['a.Shop$', '$lessinit$greater$default$1', 'a.Shop.<init> (default 1)'],
      ['a.Shop', 'prices$lzycompute', 'a.Shop.prices (lazy)'],
      ['a.Shop', 'apply$mcII$sp', 'a.Shop.apply (specialised II)'],
      ['a.Priced$class', 'total', 'a.Priced.total'],
      ['a.Money$', '$plus$extension', 'a.Money.+ (extension)'],
      ['a.Money$', 'times$extension1', 'a.Money.times (extension)'],
      ['a.Shop', 'helper$1', 'a.Shop.helper (local 1)'],
      ['a.Shop$', 'a$Shop$$secret', 'a.Shop.secret'],
      ['a.Shop', 'a$Shop$$$anonfun$secret$1', 'a.Shop.secret (lambda 1)'],
    ]);
  });

  it('have every character that Clojure munges', () => {
    const munged = Object.entries({
      ':': 'COLON',
      '+': 'PLUS',
      '>': 'GT',
      '<': 'LT',
      '=': 'EQ',
      '~': 'TILDE',
      '!': 'BANG',
      '@': 'CIRCA',
      '#': 'SHARP',
      "'": 'SINGLEQUOTE',
      '"': 'DOUBLEQUOTE',
      '%': 'PERCENT',
      '^': 'CARET',
      '&': 'AMPERSAND',
      '*': 'STAR',
      '|': 'BAR',
      '{': 'LBRACE',
      '}': 'RBRACE',
      '[': 'LBRACK',
      ']': 'RBRACK',
      '/': 'SLASH',
      '\\': 'BSLASH',
      '?': 'QMARK',
    });
    assert.equal(munged.length, 23);
    for (const [sign, word] of munged) {
      check('core.clj', [
        [`my_app.core$is_${word}_`, 'invoke', `my-app.core/is${sign}`],
        [`my_app.core$a_b_${word}_c`, 'invokeStatic', `my-app.core/a-b${sign}c`],
      ]);
    }
  });

  it('have the functions of Clojure', () => {
    check('core.clj', [
      ['user$my_fn_QMARK_', 'invoke', 'user/my-fn?'],
      ['user$my_fn', 'doInvoke', 'user/my-fn'],
      ['user$my_fn', 'invokePrim', 'user/my-fn'],
      ['user$_GT__BANG_', 'invoke', 'user/>!'],
      ['my_app.core$pay$fn__1234', 'invoke', 'my-app.core/pay/fn--1234'],
      ['my_app.core$work', '<init>', 'my-app.core/work.<init>'],
      ['my_app.core$work', 'getRequiredArity', 'my-app.core/work.getRequiredArity'],
      ['my_app.core.Cart', 'pay_BANG_', 'my_app.core.Cart.pay!'],
      ['my_app.core__init', '<clinit>', 'my_app.core__init.<clinit>'],
    ]);
    assert.equal(shown('user$my_fn', 'invoke', 'user.cljc'), 'user/my-fn');
  });

  it('have the functions of Kotlin', () => {
    check('Shop.kt', [
      ['a.Shop', 'pay$lambda$0', 'a.Shop.pay (lambda 0)'],
      ['a.Shop', 'pay$lambda$1$lambda$0', 'a.Shop.pay (lambda 1.0)'],
      ['a.Shop', 'pay$lambda$1$0', 'a.Shop.pay (lambda 1.0)'],
      ['a.Shop', '_init_$lambda$0', 'a.Shop.<init> (lambda 0)'],
      ['a.Shop$pay$1', 'invoke', 'a.Shop.pay (lambda 1)'],
      ['a.Shop$pay$2$1', 'invokeSuspend', 'a.Shop.pay (coroutine 2.1)'],
      ['a.Shop$Cart$pay$1', 'invokeSuspend', 'a.Shop$Cart.pay (coroutine 1)'],
      ['a.ShopKt$ShopScreen$1', 'invoke', 'a.ShopKt.ShopScreen (lambda 1)'],
      ['a.Shop$pay$$inlined$map$1', 'invoke', 'a.Shop.pay (inlined map 1)'],
      ['a.Shop$1', 'invoke', 'a.Shop$1.invoke'],
      ['a.Shop$Cart$1', 'invoke', 'a.Shop$Cart$1.invoke'],
      ['a.Shop', 'invoke', 'a.Shop.invoke'],
      ['a.Shop', 'pay$default', 'a.Shop.pay (defaults)'],
      ['a.Shop', 'pay$suspendImpl', 'a.Shop.pay (body)'],
      ['a.Shop', 'access$pay', 'a.Shop.pay (accessor)'],
      ['a.Shop', 'access$getTotal$p', 'a.Shop.getTotal (accessor)'],
      ['a.Shop', '-$$Nest$mpay', 'a.Shop.pay (accessor)'],
      ['a.Shop', '-$$Nest$sfgettotal', 'a.Shop.total (accessor)'],
      ['a.Shop', 'pay-abc12_D', 'a.Shop.pay'],
      ['a.Shop', 'pay--bc12_D', 'a.Shop.pay'],
      ['a.Shop', 'pay-abc12_D$default', 'a.Shop.pay (defaults)'],
      ['a.Price', 'plus-impl', 'a.Price.plus'],
      ['a.Price', 'constructor-impl', 'a.Price.<init>'],
      ['a.Price', 'box-impl', 'a.Price.box-impl'],
      ['a.Shop', 'pay$app_debug', 'a.Shop.pay'],
      ['a.ShopTest', 'pays once-exactly', 'a.ShopTest.pays once-exactly'],
      ['a.Shop$Cart', 'add', 'a.Shop$Cart.add'],
    ]);
  });

  it("have Ruby's own names of methods, blocks and bodies", () => {
    check('shop.rb', [
      ['shop', 'RUBY$method$pay_now!$0', 'shop.pay_now!'],
      ['shop', 'RUBY$method$\\=\\^\\^$3', 'shop.<<'],
      ['shop', 'RUBY$method$\\=\\{\\}$3', 'shop.[]'],
      ['shop', 'RUBY$block$pay$2', 'shop.block in pay'],
      ['shop', 'RUBY$class$Shop$1', 'shop.<class:Shop>'],
      ['shop', 'RUBY$module$\\=Shop\\!\\!Cart$1', 'shop.<module:Shop::Cart>'],
      ['shop', 'RUBY$metaclass$4', 'shop.singleton class'],
      ['shop', 'RUBY$script', 'shop.<top>'],
    ]);
  });

  it('are as recorded where the source is of another language, or not known', () => {
    for (const file of ['Shop.java', '', 'Unknown Source', 'scala', 'Shop.constructor']) {
      for (const [className, name] of [
        ['a.Shop$', '$plus$plus'],
        ['a.core$my_fn_QMARK_', 'invoke'],
        ['a.Shop', 'lambda$work$0'],
        ['a.Shop', 'pay$default'],
        ['a.Shop$pay$1', 'invokeSuspend'],
      ] as const) {
        assert.equal(
          writtenName(className, name, () => file),
          undefined,
        );
      }
    }
  });

  it('ask for no file where no compiler had anything to do', () => {
    const file = (): string => assert.fail('asked');
    assert.equal(writtenName('a.Shop', 'pay', file), undefined);
    assert.equal(writtenName('', 'memcpy$1', file), undefined);
  });

  it('take no time for a name that is made to', () => {
    const long = `${'a$anonfun$'.repeat(200)}$lambda$`.repeat(2);
    const started = cpuMs();
    for (const file of ['a.scala', 'a.kt', 'a.clj', 'a.rb']) {
      writtenName('a.B', long.slice(0, 4000), () => file);
      writtenName('a.B', '-'.repeat(4000), () => file);
      writtenName('a.B', '$1'.repeat(2000), () => file);
      writtenName(`a.B${'$$anonfun$b$1'.repeat(300)}`, 'apply', () => file);
    }
    assert.ok(cpuMs() - started < 500);
  });
});

/** Two calls of each of these, one in the other. */
function recorded(): Trace {
  const classes = [
    { id: 1, name: 'a.Shop$', file: 'Shop.scala' },
    { id: 2, name: 'my_app.core$ready_QMARK_', file: 'core.clj' },
    { id: 3, name: 'a.Till', file: 'Till.java' },
  ];
  const methods = [
    { id: 1, classId: 1, name: '$plus$plus', signature: '()V' },
    { id: 2, classId: 2, name: 'invoke', signature: '()Ljava/lang/Object;' },
    { id: 3, classId: 2, name: 'invokeStatic', signature: '()Ljava/lang/Object;' },
    { id: 4, classId: 3, name: 'lambda$pay$0', signature: '()V' },
  ];
  const decoder = new RecordingDecoder();
  decoder.append(fileMagic);
  const rows = { thread: 1, counters: 0, time: [0, 1000, 2000], stack: [4, 4, 4], kind: [1, 1, 1] };
  [
    [ChunkKind.Header, Header.encode({ major: 1 })] as const,
    [ChunkKind.Threads, Threads.encode({ threads: [{ index: 1, tid: 1, name: 'main' }] })] as const,
    [ChunkKind.Classes, Classes.encode({ classes })] as const,
    [ChunkKind.Methods, Methods.encode({ methods })] as const,
    [
      ChunkKind.Nodes,
      encodeNodes({ id: [1, 2, 3, 4], parent: [0, 1, 2, 3], frame: [1, 2, 3, 4], position: [0, 0, 0, 0] }),
    ] as const,
    [ChunkKind.Samples, encodeSamples([rows])] as const,
  ].forEach(([kind, payload], at) => decoder.append(encodeChunk(kind, payload, at)));
  return decoder.trace();
}

const written = ['a.Shop.++', 'my-app.core/ready?', 'my-app.core/ready?', 'a.Till.lambda$pay$0'];

describe('a recording of several languages', () => {
  it('shows names as they were written, and finds sources by those that were recorded', () => {
    const { methods } = recorded();
    assert.deepEqual(
      Array.from({ length: methods.count }, (_, method) => methods.qualifiedName(method)),
      written,
    );
    assert.equal(methods.className(0), 'a.Shop$');
    assert.equal(methods.name(0), '$plus$plus');
  });

  it('has them on the page, in its search, and under the recorded name for lenses', () => {
    const columns = nameColumns(recorded().methods);
    const names = new NameIndex(structuredClone(columns), ['a']);
    assert.deepEqual(
      [0, 1, 2, 3].map((method) => names.qualified(method)),
      written,
    );
    assert.deepEqual(
      [0, 1, 2, 3].map((method) => names.short(method)),
      ['Shop.++', 'core/ready?', 'core/ready?', 'Till.lambda$pay$0'],
    );
    assert.deepEqual([...columns.written.keys()], [0, 1, 2], 'those of Java cost nothing');
    assert.equal(names.recorded(0), 'a.Shop$.$plus$plus');
    assert.deepEqual(names.find('a.Shop$', '$plus$plus'), [0]);
    assert.deepEqual(
      [...(searchUntil(searchMethods(names, { text: 'ready?', regex: false }), Infinity)?.matches ?? [])],
      [0, 1, 1, 0],
    );
    assert.ok(names.isMyCode(0));
  });

  it('is exported with them, in every format', () => {
    const trace = recorded();
    for (const { id, write } of exporters) {
      const pieces: Buffer[] = [];
      write(trace, (bytes) => void pieces.push(Buffer.from(bytes)));
      const bytes = Buffer.concat(pieces);
      const text = (bytes[0] === 0x1f ? gunzipSync(bytes) : bytes).toString();
      if (id === 'csv') assert.match(text, /"a\.Shop","'?\+\+"[^]*"my-app\.core","ready\?"/);
      else for (const name of written) assert.ok(text.includes(name), `${id}: ${name}`);
      assert.ok(!text.includes('$plus$plus'), id);
    }
  });
});
