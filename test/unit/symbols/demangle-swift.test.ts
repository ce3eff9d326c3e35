import assert from 'node:assert/strict';
import { demangled } from '../../../src/symbols/native/demangle/demangle.js';
import { cpuMs } from '../cpu-time.js';

/**
 * What the linker has, and what a person would write. Nearly all are made by the rules of docs/ABI/Mangling.rst of
 * github.com/swiftlang/swift; those of other modules than "shop" are of its test/Demangle/Inputs/manglings.txt, told in our way.
 */
const names: readonly (readonly [string, string])[] = [
  // No names of Swift, and such as name no function.
  ['$s', '$s'],
  ['$sum', '$sum'],
  ['$stop', '$stop'],
  ['$scope', '$scope'],
  ['$element', '$element'],
  ['_T0', '_T0'],
  ['$s4shop', '$s4shop'],
  ['$s4shop4CartC', '$s4shop4CartC'],
  ['$sSi', '$sSi'],
  ['$s4shop3addyS2i_SitF3abc', '$s4shop3addyS2i_SitF3abc'],
  ['$sTA.123', '$sTA.123'],
  // Not told: derivatives.
  ['$s13test_mangling3fooyS2f_S2ftFTJfUSSpSr', '$s13test_mangling3fooyS2f_S2ftFTJfUSSpSr'],
  // Functions and methods, with the prefixes of all versions.
  ['$s4shop5greetyyF', 'shop.greet()'],
  ['_$s4shop5greetyyF', 'shop.greet()'],
  ['$S4shop5greetyyF', 'shop.greet()'],
  ['_$S4shop5greetyyF', 'shop.greet()'],
  ['$e4shop5greetyyF', 'shop.greet()'],
  ['_T04shop5greetyyF', 'shop.greet()'],
  ['__T04shop5greetyyF', 'shop.greet()'],
  ['$s4shop3addyS2i_SitF', 'shop.add(_:_:)'],
  ['$s4shop4CartC3add4item5countySS_SitF', 'shop.Cart.add(item:count:)'],
  ['$s4shop4CartC3add_5countySS_SitF', 'shop.Cart.add(_:count:)'],
  ['$s4shop4CartC3add5itemsySSd_tF', 'shop.Cart.add(items:)'],
  ['_T04shop4CartC3addySS4item_Si5counttF', 'shop.Cart.add(item:count:)'],
  ['_T04shop4CartC3addySS_SitF', 'shop.Cart.add(_:_:)'],
  ['$s4shop4CartC4makeACyFZ', 'static shop.Cart.make()'],
  ['$s4shop5fetch4fromS2SYaKF', 'shop.fetch(from:)'],
  ['$s4shop4CartC4loadyyyyYbKXEF', 'shop.Cart.load(_:)'],
  ['$s4test6testitySiyt_tF', 'test.testit(_:)'],
  // Initializers and what ends them.
  ['$s4shop4CartCACycfC', 'shop.Cart.__allocating_init()'],
  ['$s4shop4CartCACycfc', 'shop.Cart.init()'],
  ['$s4shop4ItemV4nameACSS_tcfC', 'shop.Item.init(name:)'],
  ['$s4main4TestC1xACSi_tc6_PRIV_Llfc', 'main.Test.init(x:)'],
  ['$s4shop4CartCfd', 'shop.Cart.deinit'],
  ['$s4shop4CartCfD', 'shop.Cart.__deallocating_deinit'],
  ['$s4shop4CartCfE', 'shop.Cart.__ivar_destroyer'],
  // Properties and subscripts.
  ['$s4shop4CartC5itemsSaySSGvg', 'shop.Cart.items.getter'],
  ['$s4shop4CartC5itemsSaySSGvs', 'shop.Cart.items.setter'],
  ['$s4shop4CartC5itemsSaySSGvM', 'shop.Cart.items.modify'],
  ['$s4shop4CartC5itemsSaySSGvr', 'shop.Cart.items.read'],
  ['$s4shop4CartC5itemsSaySSGvw', 'shop.Cart.items.willset'],
  ['$s4shop4CartC5itemsSaySSGvW', 'shop.Cart.items.didset'],
  ['$s4shop4CartC6sharedACvgZ', 'static shop.Cart.shared.getter'],
  ['$s4shop4CartC6sharedACvau', 'shop.Cart.shared.unsafeMutableAddressor'],
  ['$s4shop4CartC7onClearyySicvg', 'shop.Cart.onClear.getter'],
  ['$s4shop4CartCySSSicig', 'shop.Cart.subscript(_:).getter'],
  ['$s4shop4CartC2at5countSSSi_Sitcis', 'shop.Cart.subscript(at:count:).setter'],
  ['$s4shop4CartC5itemsSaySSGvpfi', 'variable initialization expression of shop.Cart.items'],
  ['$s4shop5cache_WZ', 'one-time initialization function for shop.cache'],
  [
    '$s17property_wrappers10WithTuplesV9fractionsSd_S2dtvpfP',
    'property wrapper backing initializer of property_wrappers.WithTuples.fractions',
  ],
  // Operators.
  ['$s4shop4ItemV2eeoiySbAC_ACtFZ', 'static shop.Item.== infix(_:_:)'],
  ['$s4shop1sopyS2iF', 'shop.- prefix(_:)'],
  ['$s4shop2nnoPyS2iF', 'shop.!! postfix(_:)'],
  ['$s8mangling007p_qcaDcoiyS2i_SitF', 'mangling.«+» infix(_:_:)'],
  // Closures, local functions and types, private names, default arguments.
  ['$s4shop4CartC5totalSdyFSdSSXEfU_', 'closure #1 in shop.Cart.total()'],
  ['$s4shop4CartC5totalSdyFSdSSXEfU_yycfU0_', 'closure #2 in closure #1 in shop.Cart.total()'],
  ['$s4shop4CartC5totalSdvgyyXEfU1_', 'closure #3 in shop.Cart.total.getter'],
  ['$s4shop5greetyyFyycfu_', 'implicit closure #1 in shop.greet()'],
  ['$s4shop5greetyyF5innerL_1xySi_tF', 'inner #1(x:) in shop.greet()'],
  ['$s4shop5greetyyF5InnerL0_V2goyyF', 'go() in Inner #2 in shop.greet()'],
  ['$s4shop6secret33_0123456789ABCDEF0123456789ABCDEFLLyyF', 'shop.secret()'],
  ['$s4shop3addyS2i_SitFfA0_', 'default argument 1 of shop.add(_:_:)'],
  ['$s4shop5OuterV5InnerO4CaseC2goyyF', 'shop.Outer.Inner.Case.go()'],
  // Words of earlier names, references back, letters beyond ASCII.
  ['$s9ShopModel0A4ListV4loadyyF', 'ShopModel.ShopList.load()'],
  ['$s9AbcDefGHI02Myac1_B0yyF', 'AbcDefGHI.MyAbcGHI_Def()'],
  ['$s4shop4sameyA2AyXlF', '$s4shop4sameyA2AyXlF'],
  ['$s4shop4ItemV4same2as2of_SbAC_A2CtF', 'shop.Item.same(as:of:_:)'],
  ['$s4shop0012vergenza_JFayyF', 'shop.vergüenza()'],
  [
    '$s20mangling_retroactive5test0yyAA1ZVy12RetroactiveB1XVSiAE1YVAG0D1A1PHPyHCg_AiJ1QHPyHCg1_GF',
    'mangling_retroactive.test0(_:)',
  ],
  // Extensions: of another module's types, and of the module's own.
  ['$sSa4shopE5totalSdyF', '(extension in shop):Swift.Array.total()'],
  ['$sSa4shopSiRszlE5totalSiyF', '(extension in shop):Swift.Array.total()'],
  ['$sSo8NSObjectC4shopE4tagsSSyF', '(extension in shop):__C.NSObject.tags()'],
  ['$s4shop3BagVAASiRszlE5totalSiyF', 'shop.Bag.total()'],
  [
    '$s10Foundation11MeasurementV12SimulatorKitSo9UnitAngleCRszlE11OrientationO2eeoiySbAcDEAGOyAF_G_AKtFZ',
    'static (extension in SimulatorKit):Foundation.Measurement.Orientation.== infix(_:_:)',
  ],
  // Generics and what is made of them.
  ['$s4shop7largestyxSayxGSLRzlF', 'shop.largest(_:)'],
  ['$s4shop7largestyxSayxGSLRzlFSi_Tg5', 'specialized shop.largest(_:)'],
  ['$s4shop7largestyxSayxGSLRzlFSS_Tg5SS_TG5', 'specialized shop.largest(_:)'],
  ['$s4shop7largestyxSayxGSLRzlFSi_TgqaTm5', '$s4shop7largestyxSayxGSLRzlFSi_TgqaTm5'],
  ['$s3foo6testityyyyc_yyctF1a1bTf3pfpf_n', 'specialized foo.testit(_:_:)'],
  ['$s1A1gyyxlFx_qd__t_Ti5', 'inlined generic A.g(_:)'],
  ['$s4test3fooV4blahyAA1SV1fQryFQOy_Qo_AHF', 'test.foo.blah(_:)'],
  ['$s3red4testyAA3ResOyxSayq_GAEs5ErrorAAq_sAFHD1__HCg_GADyxq_GsAFR_r0_lF', 'red.test(_:)'],
  // Protocols.
  [
    '$s4shop4ItemVAA6PricedA2aDP5priceSdyFTW',
    'protocol witness for shop.Priced.price() in conformance shop.Item',
  ],
  [
    '$s4shop3BagVyxGAA6PricedA2aEP5priceSdvgTW',
    'protocol witness for shop.Priced.price.getter in conformance shop.Bag<A>',
  ],
  ['$sSiSHsWP', 'protocol witness table for Swift.Int : Swift.Hashable'],
  ['$s4shop6PricedP5priceSdyFTj', 'dispatch thunk of shop.Priced.price()'],
  ['$s4shop6PricedP5priceSdyFTq', 'method descriptor for shop.Priced.price()'],
  // Thunks, and what stands before the name.
  ['$s4shop4CartC5clearyyFTo', '@objc shop.Cart.clear()'],
  ['$s4shop4CartC5clearyyFTm', 'merged shop.Cart.clear()'],
  ['$s4shop4CartC5clearyyFTc', 'curry thunk of shop.Cart.clear()'],
  ['$s4shop4CartC5totalSdyFSdSSXEfU_TA', 'partial apply for closure #1 in shop.Cart.total()'],
  [
    '$sSo17OS_dispatch_queueC4sync7executeyyyXE_tFTOTA',
    'partial apply for @nonobjc __C.OS_dispatch_queue.sync(execute:)',
  ],
  [
    '$s4shop4CartC5clearyyFAA7BigCartCADyyFTV',
    'vtable thunk for shop.BigCart.clear() dispatching to shop.Cart.clear()',
  ],
  ['$sIeg_IeyB_TR', 'thunk for @escaping @callee_guaranteed () -> ()'],
  [
    '$sSSSbIggd_SSSbIegnr_TRTA',
    'partial apply for thunk for @callee_guaranteed (@guaranteed Swift.String) -> (@unowned Swift.Bool)',
  ],
  ['$s3nix6testitSaySiGyFTv0_', 'outlined variable #1 of nix.testit()'],
  [
    '$sSo5GizmoC11doSomethingyypSgSaySSGSgFToTembgnn_',
    'outlined bridged method (mbgnn) of @objc __C.Gizmo.doSomething(_:)',
  ],
  [
    '$s18keypaths_inlinable13KeypathStructV8computedSSvpACTKq',
    'key path getter for keypaths_inlinable.KeypathStruct.computed',
  ],
  // Parts of functions that wait.
  ['$s4shop5fetchyyYaF', 'shop.fetch()'],
  ['$s4shop5fetchyyYaFTu', 'async function pointer to shop.fetch()'],
  ['$s4shop5fetchyyYaFTQ0_', '(1) await resume partial function for shop.fetch()'],
  ['$s4shop5fetchyyYaFTY1_', '(2) suspend resume partial function for shop.fetch()'],
  [
    '$s4shop5fetchyyYaFyyYacfU_TATQ_',
    '(0) await resume partial function for partial apply for closure #1 in shop.fetch()',
  ],
  // Types.
  ['$s4shop4CartCMa', 'type metadata accessor for shop.Cart'],
  ['$sSaySSGMa', 'type metadata accessor for [Swift.String]'],
  ['$sSDySSs5Error_pGSgMa', 'type metadata accessor for [Swift.String : Swift.Error]?'],
  ['$s4shop5OuterV5InnerVyx_SiGMa', 'type metadata accessor for shop.Outer<A>.Inner<Swift.Int>'],
  ['$s4shop4ItemVwxx', 'destroy value witness for shop.Item'],
  ['$s4shop4ItemVSgWOe', 'outlined consume of shop.Item?'],
  ['$s4shop4ItemVWOy.17', 'outlined copy of shop.Item [clone .17]'],
  ['$s4shop5greetyyF.resume.0', 'shop.greet() [clone .resume.0]'],
  [
    '$s3Bar3FooVAA5DrinkVyxGs5Error_pSeRzSERzlyShy4AbcdAHO6MemberVGALSeHPAKSeAAyHC_HCg_ALSEHPAKSEAAyHC_HCg0_Iseggozo_SgWOe',
    'outlined consume of (@escaping @callee_guaranteed (@guaranteed Bar.Foo) -> (@owned Bar.Drink<A>, @error @owned Swift.Error))?',
  ],
];

describe('names of Swift', () => {
  for (const [mangled, told] of names)
    it(`${mangled} is ${told === mangled ? 'left alone' : 'told'}`, () => {
      assert.equal(demangled(mangled), told);
    });

  it('are left alone, or told, wherever they are cut or broken', () => {
    const signs = 'ABCDEFGHIKLMNOPQRSTUVWXYZabcdfghilmnopqrstuvwxyz_0123456789$.';
    let seed = 1;
    const random = (below: number): number => {
      seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0;
      return Math.floor((seed / 2 ** 32) * below);
    };
    for (const [mangled] of names) {
      for (let at = 0; at < mangled.length; at++) {
        assert.equal(typeof demangled(mangled.slice(0, at)), 'string');
        const broken = mangled.slice(0, at) + signs.charAt(random(signs.length)) + mangled.slice(at + 1);
        assert.equal(typeof demangled(broken), 'string');
      }
    }
    for (let count = 0; count < 5000; count++) {
      let made = '$s4shop4CartC';
      while (made.length < 60) made += signs.charAt(random(signs.length));
      assert.equal(typeof demangled(made), 'string');
    }
  });

  it('that stand for endless ones, or are made of one part alone, take a time that their length bounds', () => {
    const tuples = Array.from({ length: 40 }, (_, at) => `A${at === 0 ? 'C' : `${at + 1}_`}`).join('');
    const parts = [
      'y',
      '_',
      'A2000a',
      'x_xt',
      'Sg',
      'Aa',
      'SiSg',
      '5outerV',
      'yyF5innerL_',
      'TA',
      'SiSgSg',
      'Qz',
      'Rzl',
      'yxG',
    ];
    const hostile = parts.map((part) =>
      `$s4shop4CartC${part.repeat(16_300 / part.length)}`.slice(0, 2 ** 14 - 1),
    );
    // Each type is two of the one before.
    hostile.push(`$s4shop1fyy${'1aSayAAGyAA'.repeat(100)}F`, `$s4shop1fyy${tuples}tF`);
    hostile.push(`$s4shop3BagVySiG${'ACyAEAEG'.repeat(1500)}Ma`);
    // A label of 64,000 letters, made of one word, for each of 13,000 parameters.
    const [labels, types] = ['e', 'c'].map((one) => `2000${one}`.repeat(6) + `999${one.toUpperCase()}`);
    const label = `4000${'W'.padEnd(4000, 'x')}0${'a'.repeat(15)}A0`;
    hostile.push(`$s1a1bC${label}A${labels}SiAC_A${types}tF`);
    for (const one of hostile) {
      assert.ok(one.length < 2 ** 14);
      const begin = cpuMs();
      assert.equal(typeof demangled(one), 'string');
      const took = cpuMs() - begin;
      assert.ok(took < 1000, `${took} ms: ${one.slice(0, 60)}`);
    }
  });
});
