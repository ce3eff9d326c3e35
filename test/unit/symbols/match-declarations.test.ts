import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { matchDeclarations, parametersOf } from '../../../src/symbols/match-declarations.js';
import { scanDeclarations } from '../../../src/symbols/scan/declarations.js';
import type { Language } from '../../../src/symbols/scan/tokens.js';

/** Each declaration that has methods: "line name ← method, method". */
function matched(
  text: string,
  language: Language,
  methods: readonly [className: string, name: string, signature: string, line: number][],
  edited = false,
): string[] {
  const { declarations } = scanDeclarations(text, language, language === 'java' ? 'Shop.java' : 'Shop.kt');
  const rows = methods.map(([className, name, signature, firstLine]) => ({
    className,
    name,
    signature,
    firstLine,
  }));
  return matchDeclarations(declarations, rows, edited)
    .map((found, at) => ({ found, declaration: declarations[at]! }))
    .filter(({ found }) => found.length > 0)
    .map(({ found, declaration }) => `${String(declaration.line + 1)} ${declaration.name} ← ${found.join()}`);
}

const java = `class Shop {
  void add(int a) {
    work();
  }
  void add(String s) {
    work();
  }
  Runnable r = new Runnable() {
    public void run() {
      work();
    }
  };
  static class Cart {
    void add(int a, int b) {
      work();
    }
    Cart(int n) {
      work();
    }
  }
}
`;

describe('methods and declarations', () => {
  it('go together by class and name, overloads by line', () => {
    assert.deepEqual(
      matched(java, 'java', [
        ['Shop', 'add', '(I)V', 3],
        ['Shop', 'add', '(Ljava/lang/String;)V', 6],
        ['Shop$Cart', 'add', '(II)V', 15],
        ['Shop$Cart', '<init>', '(I)V', 18],
        ['Shop$1', 'run', '()V', 10],
        ['Other', 'add', '(I)V', 3],
        ['Shop', 'gone', '()V', 3],
      ]),
      ['2 add ← 0', '5 add ← 1', '9 run ← 4', '14 add ← 2', '17 <init> ← 3'],
    );
  });

  it('go together by parameters where the text was edited', () => {
    const moved = java.replace('class Shop {\n', 'class Shop {\n\n\n  void add(int a, long b, int c) {}\n');
    assert.deepEqual(
      matched(
        moved,
        'java',
        [
          ['Shop', 'add', '(IJI)V', 3],
          ['Shop$Cart', 'add', '(II)V', 15],
        ],
        true,
      ),
      ['4 add ← 0', '17 add ← 1'],
    );
  });

  it('know what Kotlin makes of names', () => {
    const kotlin = `class Shop {
  fun pay(a: Int) {
    go()
  }
  internal fun mine() {
    go()
  }
  suspend fun later() {
    go()
  }
  companion object {
    fun make() = Shop()
  }
}
fun helper() = 1
`;
    assert.deepEqual(
      matched(kotlin, 'kotlin', [
        ['Shop', 'pay-1a2B', '(I)V', 3],
        ['Shop', 'pay$default', '(LShop;IILjava/lang/Object;)V', 2],
        ['Shop', 'mine$app_debug', '()V', 6],
        ['Shop', 'later', '(Lkotlin/coroutines/Continuation;)Ljava/lang/Object;', 9],
        ['Shop$Companion', 'make', '()LShop;', 12],
        ['ShopKt', 'helper', '()I', 15],
      ]),
      ['2 pay ← 0', '5 mine ← 2', '8 later ← 3', '12 make ← 4', '15 helper ← 5'],
    );
  });

  it('know where Kotlin puts what is inside', () => {
    const kotlin = `interface Shop {
  fun open() {
    go()
  }
}
enum class Op {
  PLUS { override fun apply() = 1 };
  abstract fun apply(): Int
}
@JvmInline value class Money(val cents: Long) {
  init { check(cents) }
  fun twice() = cents * 2
}
fun outer(a: Int) {
  fun inner(b: Int) {
    go()
  }
  class Local { fun run() = 1 }
}
fun \`two-digit names work\`() {
  go()
}
`;
    assert.deepEqual(
      matched(kotlin, 'kotlin', [
        ['Shop$DefaultImpls', 'open', '(LShop;)V', 3],
        ['Op$PLUS', 'apply', '()I', 7],
        ['Money', 'constructor-impl', '(J)J', 11],
        ['Money', 'twice-impl', '(J)J', 12],
        ['ShopKt', 'outer', '(I)V', 18],
        ['ShopKt', 'outer$inner', '(II)V', 16],
        ['ShopKt$outer$Local', 'run', '()I', 18],
        ['ShopKt', 'two-digit names work', '()V', 21],
        ['ShopKt', 'outer$lambda$0', '()V', 16],
      ]),
      [
        '2 open ← 0',
        '7 apply ← 1',
        '11 <init> ← 2',
        '12 twice ← 3',
        '14 outer ← 4',
        '15 inner ← 5',
        '18 run ← 6',
        '20 two-digit names work ← 7',
      ],
    );
  });

  it('counts parameters of signatures', () => {
    assert.equal(parametersOf('()V'), 0);
    assert.equal(parametersOf('(I[[JLjava/lang/String;[Lx;)V'), 4);
    assert.equal(parametersOf(''), -1);
    assert.equal(parametersOf('(Lbroken'), -1);
  });
});
