/** Names as the runtimes of Java write them, in Java's own form of UTF-8: a character beyond U+FFFF is two surrogates, NUL is C0 80. */
import assert from 'node:assert/strict';
import { anyImporter } from '../../../src/trace/formats/index.js';
import { MethodKind } from '../../../src/trace/model/kinds.js';
import type { Trace } from '../../../src/trace/model/trace.js';
import { artPackets, artStreamed, artTrace } from './art-traces.js';
import { systemPerfetto } from './perfetto-traces.js';
import { importWhole } from './round-trip.js';

const emoji = [0xed, 0xa0, 0xbd, 0xed, 0xb8, 0x80];

/** The same bytes with other names of the same length in them. */
function renamed(bytes: Uint8Array, names: Readonly<Record<string, readonly number[]>>): Uint8Array {
  const changed = Buffer.from(bytes);
  for (const [from, to] of Object.entries(names)) {
    assert.equal(from.length, to.length);
    assert.ok(changed.includes(from), from);
    for (let at; (at = changed.indexOf(from)) >= 0;) changed.set(to, at);
  }
  return changed;
}

function namesOf({ methods }: Trace): string[] {
  return Array.from({ length: methods.count }, (_, method) => methods.qualifiedName(method));
}

describe("names in Java's own UTF-8", () => {
  it('are read in method traces of every version, with their signatures', () => {
    const letters = (text: string): number[] => [...Buffer.from(text)];
    const versions = [
      artTrace(1, 'wall'),
      artTrace(2, 'wall'),
      artTrace(3, 'dual'),
      artStreamed(),
      artPackets(4),
      artPackets(5),
    ];
    for (const [at, bytes] of versions.entries()) {
      const trace = importWhole(
        anyImporter(),
        renamed(bytes, {
          example: [...emoji, ...letters('s')],
          Shop$: [0xc0, 0x80, ...letters('op$')],
          worker: emoji,
        }),
      );
      const { methods, threads } = trace;
      const names = namesOf(trace);
      const add = names.indexOf('com.😀s.\0op$Cart.add');
      assert.ok(add >= 0, `trace ${at}: ${names.join(', ')}`);
      assert.deepEqual([methods.className(add), methods.name(add)], ['com.😀s.\0op$Cart', 'add']);
      assert.equal(methods.kind(add), MethodKind.Managed);
      assert.equal(methods.signature(add), '(I)V');
      assert.equal(methods.file(add), 'Shop.kt');
      assert.ok(names.includes('com.😀s.Shop.run'));
      assert.equal(threads.find(({ tid }) => tid === 17)?.name, '😀');
    }
  });

  it("are read in the kernel's trace of an app's sections and counters", () => {
    const trace = importWhole(
      anyImporter(),
      renamed(systemPerfetto(), {
        measure: [...emoji, 0x21],
        Choreo: emoji,
        heap: [0xc0, 0x80, 0x6f, 0x6b],
        request: [...emoji, 0x3f],
      }),
    );
    const names = namesOf(trace);
    for (const name of ['😀!', '😀grapher#doFrame 7|x', '😀?'])
      assert.ok(names.includes(name), names.join(', '));
    assert.deepEqual(
      trace.counters.map(({ name }) => name),
      ['\0ok'],
    );
  });
});
