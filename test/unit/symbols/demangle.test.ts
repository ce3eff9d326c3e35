import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { demangled } from '../../../src/symbols/native/demangle/demangle.js';
import { wide } from '../../rigs/scale.js';
import { cpuMs } from '../cpu-time.js';

/** What the linker has, and what a person would write. */
const names: readonly (readonly [string, string])[] = [
  // No mangled names.
  ['plain', 'plain'],
  ['', ''],
  ['_Znonsense', '_Znonsense'],
  ['_Z', '_Z'],
  ['_R', '_R'],
  ['--version', '--version'],
  // C++: parameters and what they are made of.
  ['_ZN4work7shuffleEji', 'work::shuffle(unsigned int, int)'],
  ['_Z1fv', 'f()'],
  ['_Z1fPKcz', 'f(char const*, ...)'],
  ['_Z1fPPKPKc', 'f(char const* const**)'],
  ['_Z1fRA10_KiOA2_A3_c', 'f(int const (&) [10], char (&&) [2][3])'],
  ['_Z1fPFvPFiiEE', 'f(void (*)(int (*)(int)))'],
  ['_Z1fM1AKFivEMS_i', 'f(int (A::*)() const, int A::*)'],
  ['_Z1fDnDiDsDuDh', 'f(decltype(nullptr), char32_t, char16_t, char8_t, half)'],
  ['_Z1fPDoFvvE', 'f(void (*)() noexcept)'],
  // Members.
  ['_ZNK4shop5Order3sumEv', 'shop::Order::sum() const'],
  ['_ZNO4shop5Order4moveEv', 'shop::Order::move() &&'],
  ['_ZN4shop5OrderC2Ev', 'shop::Order::Order()'],
  ['_ZN4shop5OrderD0Ev', 'shop::Order::~Order()'],
  ['_ZN4shop5OrderltERKS0_', 'shop::Order::operator<(shop::Order const&)'],
  ['_ZN4shop5OrdercvbEv', 'shop::Order::operator bool()'],
  ['_ZN4shop5OrdercvT_IiEEv', 'shop::Order::operator int<int>()'],
  ['_Zli4_cmsPKc', 'operator"" _cms(char const*)'],
  ['_Znwm', 'operator new(unsigned long)'],
  // Substitutions, templates, packs.
  ['_ZNSt6vectorIiSaIiEE9push_backERKi', 'std::vector<int, std::allocator<int> >::push_back(int const&)'],
  [
    '_ZSt4moveIRSsEONSt16remove_referenceIT_E4typeEOS2_',
    'std::remove_reference<std::string&>::type&& std::move<std::string&>(std::string&)',
  ],
  ['_Z3maxIiET_S0_S0_', 'int max<int>(int, int)'],
  ['_ZN1aIiE1bIcEEvT_', 'void a<int>::b<char>(char)'],
  ['_Z4callIJidEEvDpRKT_', 'void call<int, double>(int const&, double const&)'],
  ['_Z4callIJEEvDpT_', 'void call<>()'],
  [
    '_ZN9__gnu_cxx6__stoaIxxcJiEEET0_PFT_PKT1_PPS3_DpT2_EPKcS5_PmS9_',
    'long long __gnu_cxx::__stoa<long long, long long, char, int>(long long (*)(char const*, char**, int), char const*, char const*, unsigned long*, int)',
  ],
  [
    '_ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEC1Ev',
    'std::__cxx11::basic_string<char, std::char_traits<char>, std::allocator<char> >::basic_string()',
  ],
  ['_ZN4shop4nameB5cxx11Ev', 'shop::name[abi:cxx11]()'],
  ['_Z1fILi3ELb1ELm7ELin2EEvv', 'void f<3, true, 7ul, -2>()'],
  ['_Z1fI1AXadL_ZNS0_1gEiEEEvv', 'void f<A, &A::g>()'],
  // Expressions.
  ['_Z1fIiEDTplfp_Li1EET_', 'decltype ({parm#1}+1) f<int>(int)'],
  [
    '_ZSt4swapIN4llvm5APIntEENSt9enable_ifIXsr6__and_ISt6__not_ISt15__is_tuple_likeIT_EESt21is_move_constructibleIS5_ESt18is_move_assignableIS5_EEE5valueEvE4typeERS5_SE_',
    'std::enable_if<__and_<std::__not_<std::__is_tuple_like<llvm::APInt> >, std::is_move_constructible<llvm::APInt>, std::is_move_assignable<llvm::APInt> >::value, void>::type std::swap<llvm::APInt>(llvm::APInt&, llvm::APInt&)',
  ],
  [
    '_ZN4llvm4yaml7yamlizeINS_8codeview9TypeIndexEEENSt9enable_ifIXsr16has_ScalarTraitsIT_EE5valueEvE4typeERNS0_2IOERS5_',
    'std::enable_if<has_ScalarTraits<llvm::codeview::TypeIndex>::value, void>::type llvm::yaml::yamlize<llvm::codeview::TypeIndex>(llvm::yaml::IO&, llvm::codeview::TypeIndex&)',
  ],
  // What lies in functions, and what a compiler makes of them.
  ['_ZZ4mainENKUliE_clEi', 'main::{lambda(int)#1}::operator()(int) const'],
  [
    '_ZZN4shop4openEvENKUlT_E0_clIiEEDaS0_',
    'auto shop::open()::{lambda(auto:1)#2}::operator()<int>(int) const',
  ],
  ['_ZZN4shop4openEvE5count', 'shop::open()::count'],
  ['_ZN12_GLOBAL__N_14workEv', '(anonymous namespace)::work()'],
  ['_ZN4work4loopEv.part.0.cold', 'work::loop() [clone .part.0] [clone .cold]'],
  ['_ZN4work4loopEv.constprop.0.isra.3', 'work::loop() [clone .constprop.0] [clone .isra.3]'],
  ['_ZTV5Order', 'vtable for Order'],
  ['_ZThn16_N1A1fEv', 'non-virtual thunk to A::f()'],
  ['_ZGVZ4mainE1x', 'guard variable for main::x'],
  // A lambda's scope and what it is handed share a parameter that stands for two arguments.
  [
    '_ZN6btrace16put_delta_columnIZNS_16put_sample_blockIZN12_GLOBAL__N_1L7test_68EvEUlmE9_EEvRNS_5BytesEjPKNS_3RowEjT_EUljE3_EEvS5_jjNS_6CodingElS9_',
    'void btrace::put_delta_column<btrace::put_sample_block<(anonymous namespace)::test_68()::{lambda(unsigned long)#11}>(btrace::Bytes&, unsigned int, btrace::Row const*, unsigned int, (anonymous namespace)::test_68()::{lambda(unsigned long)#11})::{lambda(unsigned int)#5}>(btrace::Bytes&, unsigned int, unsigned int, btrace::Coding, long, btrace::put_sample_block<(anonymous namespace)::test_68()::{lambda(unsigned long)#11}>(btrace::Bytes&, unsigned int, btrace::Row const*, unsigned int, (anonymous namespace)::test_68()::{lambda(unsigned long)#11})::{lambda(unsigned int)#5})',
  ],
  // Rust, as it was mangled.
  ['_ZN1a4main17h1854dee5fd9945b4E', 'a::main'],
  ['_ZN1a13gr$uf6$$udf$e10_$ue4$pfel17ha397bb203b25381cE', 'a::größe::äpfel'],
  ['_ZN1a4main28_$u7b$$u7b$closure$u7d$$u7d$17h0b2f9970fcedd239E', 'a::main::{{closure}}'],
  [
    '_ZN66_$LT$alloc..vec..Vec$LT$T$GT$$u20$as$u20$core..ops..drop..Drop$GT$4drop17h0123456789abcdefE',
    '<alloc::vec::Vec<T> as core::ops::drop::Drop>::drop',
  ],
  // Rust, as it is mangled.
  ['_RNvCs6xxl1lAjzDf_1a4main', 'a::main'],
  ['_RNvNtCs6xxl1lAjzDf_1au9gre_xgaku11fel_hea5oa', '_RNvNtCs6xxl1lAjzDf_1au9gre_xgaku11fel_hea5oa'],
  ['_RNvMNtCsgEmfK2I1SDS_4core3stre3lenCs6xxl1lAjzDf_1a', '<str>::len'],
  [
    '_RNvMNtNtCsgEmfK2I1SDS_4core3ptr9const_ptrPu13is_aligned_toCs6xxl1lAjzDf_1a',
    '<*const ()>::is_aligned_to',
  ],
  [
    '_RNvMNtNtNtCsjrHSEGnQ3l9_3std11collections4hash3mapINtB2_7HashMapNtNtCslNYArtu3iFV_5alloc6string6StringThINtNtB14_5boxed3BoxDNtCs6xxl1lAjzDf_1a3RunNtNtCsgEmfK2I1SDS_4core6marker4SendEL_EEE3newB20_',
    '<std::collections::hash::map::HashMap<alloc::string::String, (u8, alloc::boxed::Box<dyn a::Run + core::marker::Send>)>>::new',
  ],
  [
    '_RNvXs3_NtNtCshg5UprtI8ZK_4jiff4util8rangeintINtB5_11RangedDebugKn1_Kn35_ENtNtCsgEmfK2I1SDS_4core3fmt5Debug3fmtB9_',
    '<jiff::util::rangeint::RangedDebug<1, 53> as core::fmt::Debug>::fmt',
  ],
  ['_RNCNvCs6xxl1lAjzDf_1a4mains_0', 'a::main::{closure#1}'],
  ['_RNvCs6xxl1lAjzDf_1a4main.llvm.15520300481698896969', 'a::main'],
  ['_RNvC6_123foo3bar', '123foo::bar'],
  ['_RNvNtNtCs1234_7mycrateu8gdel_5qa6escher4bach', 'mycrate::gödel::escher::bach'],
];

describe('names of C++ and Rust', () => {
  for (const [mangled, told] of names)
    it(`${mangled || 'none'} is ${told === mangled ? 'left alone' : 'told'}`, () => {
      assert.equal(demangled(mangled), told);
    });

  it('are left alone, or told, wherever they are cut or broken, in a time that their length bounds', () => {
    const long = names.map(([mangled]) => mangled).filter((name) => name.length > 20);
    const begin = cpuMs();
    let bytes = 0;
    for (const name of long) {
      for (let at = 0; at < name.length; at += 3) {
        const cut = name.slice(0, at);
        const broken = name.slice(0, at) + 'SDTILNEZ_0JpX'.charAt(bytes % 13) + name.slice(at + 1);
        for (const one of [cut, broken]) assert.equal(typeof demangled(one), 'string');
        bytes += cut.length + broken.length;
      }
    }
    const nsPerByte = ((cpuMs() - begin) * 1e6) / bytes;
    assert.ok(nsPerByte < 100_000, `${nsPerByte} ns a byte`);
  });

  it('that stand for endless ones, or nest without end, are left alone', () => {
    const doubling = `_Z1fI1aSt4pairIS0_S0_E${Array.from({ length: 40 }, (_, at) => `St4pairIS${at + 2}_S${at + 2}_E`).join('')}Evv`;
    const back = `_RINvC1a1fT${'TB6_B6_E'.repeat(200)}EE`;
    // Each of the 1,200 types is one long name, told again.
    const traits = `_RINvC9000_${'x'.repeat(9000)}1fDC1t${'p1aB2_'.repeat(1200)}EL_EE`;
    // All are as long as a name may be that is read at all.
    const hostile = [
      doubling,
      back,
      traits,
      `_Z1f${'P'.repeat(16_000)}i`,
      `_Z${'N1a'.repeat(5000)}`,
      `_Z1fI${'J'.repeat(16_000)}`,
      `_Z1f${'Dp'.repeat(8000)}`,
      `_Z1fIXadL_Z${'1fIXadL_Z'.repeat(1700)}`,
      `_RNvC1a1f${'I'.repeat(16_000)}`,
      `_ZN${'1a'.repeat(8000)}17h0123456789abcdeE`,
      `_Z1fv${'.a'.repeat(8000)}`,
    ];
    const begin = cpuMs();
    for (const one of hostile) {
      assert.ok(one.length < 2 ** 14);
      assert.equal(typeof demangled(one), 'string');
    }
    const took = cpuMs() - begin;
    assert.equal(typeof demangled('_Z1f'.repeat(100_000)), 'string');
    assert.equal(demangled(doubling), doubling);
    assert.ok(took < 5000, `${took} ms`);
  });

  if (wide)
    it('are those of binutils for all that this Node.js has', () => {
      const listed = execFileSync('nm', ['-D', process.execPath], { encoding: 'utf8', maxBuffer: 2 ** 28 });
      const all = [...new Set(listed.match(/(?<= )_Z[^@\s]*(?=@|$)/gm))];
      assert.ok(all.length > 10_000);
      const input = all.join('\n');
      const told = execFileSync('c++filt', { input, encoding: 'utf8', maxBuffer: 2 ** 28 }).split('\n');
      const others = all.filter((name, at) => short(demangled(name)) !== short(told[at] ?? ''));
      assert.ok(others.length < all.length / 1000, others.slice(0, 10).join('\n'));
    });
});

/** Without what is written in another way on purpose: the standard library's names in short, functions' addresses without parameters. */
function short(name: string): string {
  return name
    .replace(/> (?=>)/g, '>')
    .replace(/> (?=>)/g, '>')
    .replaceAll('std::basic_string<char, std::char_traits<char>, std::allocator<char>>', 'std::string')
    .replace(/std::basic_([io]o?stream)<char, std::char_traits<char>>/g, 'std::$1')
    .replace(/&\((\w+)\([^()]*\)\)/g, '&$1');
}
