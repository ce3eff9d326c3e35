import assert from 'node:assert/strict';
import { mainClassOf } from '../../../src/symbols/scan/main-class.js';

describe('the main class', () => {
  it('of a Java text has a static main', () => {
    const java =
      'package a.b;\npublic final class Shop {\n  public static\n  void main(String[] args) {}\n}\n';
    assert.equal(mainClassOf(java, 'Shop.java'), 'a.b.Shop');
    assert.equal(
      mainClassOf('class Top { static class In { static void main(String... a) {} } }', 'Top.java'),
      'Top$In',
    );
    for (const none of [
      'class Shop { void main(String[] args) {} }',
      'class Shop { /* static void main(String[] args) */ }',
      'class Shop { static void main(String[] a, int b) {} }',
      'class Shop {',
      '',
    ])
      assert.equal(mainClassOf(none, 'Shop.java'), undefined, none);
  });

  it('of a Kotlin text is that of the file', () => {
    assert.equal(mainClassOf('package a\n\nfun main() {\n}\n', 'shop.kt'), 'a.ShopKt');
    assert.equal(mainClassOf('class Shop {\n  fun main() {}\n}\n', 'Shop.kt'), undefined);
  });

  it('is none of a native text', () => {
    assert.equal(mainClassOf('int main() { return 0; }', 'shop.cc'), undefined);
  });
});
