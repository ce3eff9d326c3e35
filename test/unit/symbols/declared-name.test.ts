import assert from 'node:assert/strict';
import { declaredName } from '../../../src/symbols/native/declared-name.js';

describe('what a text calls a native function', () => {
  for (const [recorded, name, parameters] of [
    ['grind', 'grind', -1],
    ['grind (libwork.so)', 'grind', -1],
    ['shop::grind(int) (libwork.so)', 'shop::grind', 1],
    ['shop::core::Cart::total() const', 'shop::core::Cart::total', 0],
    ['shop::Cart::~Cart()', 'shop::Cart::~Cart', 0],
    ['int shop::max<int>(int, std::map<int, int> const&)', 'shop::max', 2],
    ['shop::Box<std::pair<int, int> >::get(int (*)(int, int)) &&', 'shop::Box::get', 1],
    ['(anonymous namespace)::hidden(int) [clone .cold] [clone .isra.0]', 'hidden', 1],
    ['shop::(anonymous namespace)::hidden(int)', 'shop::hidden', 1],
    ['shop::Cart::operator()(int, int)', 'shop::Cart::operator()', 2],
    ['shop::Cart::operator==(shop::Cart const&) const', 'shop::Cart::operator==', 1],
    ['std::ostream& shop::operator<< <int>(std::ostream&, int)', 'shop::operator<<', 2],
    ['shop::name[abi:cxx11](int)', 'shop::name', 1],
    ['operator new(unsigned long)', 'operator new', 1],
    ['shop::grind(int)::{lambda(int)#1}::operator()(int) const', '', -1],
    ['[inside the JVM]', '', -1],
    ['libc.so.6', '', -1],
    ['a'.repeat(5000), '', -1],
    ['broken)', '', -1],
  ] as const) {
    it(`${recorded.slice(0, 60)}: ${name === '' ? 'nothing' : name}`, () => {
      assert.deepEqual(declaredName(recorded), { name, parameters });
    });
  }
});
