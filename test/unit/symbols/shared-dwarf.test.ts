import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import {
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, it } from 'mocha';
import { Elf } from '../../../src/symbols/native/elf.js';
import { type NativeFrame, Symbolizer } from '../../../src/symbols/native/symbolizer.js';
import { readFrom } from '../../../src/symbols/read-at.js';

/** In both programs: what is inlined, its classes and its names are what `dwz` shares. */
const header = `
volatile int sink;
namespace shop {
struct Order {
  int count;
  inline __attribute__((always_inline)) int price_of_all_that_was_ordered() const {
    int sum = 0;
    for (int i = 0; i < count; i++) sum += i * sink;
    return sum;
  }
};
static inline __attribute__((always_inline)) int weigh_with_everything(int of) {
  for (int i = 0; i < of; i++) sink = sink + i;
  return sink;
}
}
`;
const program = (name: string): string => `
#include "shop.h"
__attribute__((noinline)) int ${name}(int of) {
  shop::Order order{of};
  return order.price_of_all_that_was_ordered() + shop::weigh_with_everything(of);
}
int main(int count, char**) { return ${name}(count); }
`;

describe('debug information that programs share', () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'shared-dwarf-'));
  before(function () {
    if (spawnSync('dwz', ['--version']).error !== undefined) this.skip();
    writeFileSync(path.join(folder, 'shop.h'), header);
    for (const name of ['sell', 'send']) writeFileSync(path.join(folder, `${name}.cc`), program(name));
  });
  after(() => rmSync(folder, { recursive: true }));

  async function framesOf(
    file: string,
    folders: readonly string[] = [],
  ): Promise<{ frames: NativeFrame[][]; missing: readonly string[] }> {
    const elf = await Elf.open(readFrom(readFileSync(file)));
    const text = await elf.section('.text');
    assert.ok(text);
    const buildId = Buffer.from((await elf.buildId()) ?? '', 'hex');
    const symbols = await Symbolizer.open({ path: file, buildId }, { root: '', folders });
    try {
      const addresses = Array.from({ length: text.size }, (_, at) => text.offset + at);
      return { frames: symbols.frames(addresses), missing: symbols.missing };
    } finally {
      symbols.close();
    }
  }

  for (const version of ['-gdwarf-4', '-gdwarf-5'])
    it(`names functions as before, where the shared file is (${version})`, async () => {
      const built = ['sell', 'send'].map((name) => {
        const file = path.join(folder, name);
        execFileSync('g++', ['-O2', version, '-Wl,--build-id', '-o', file, `${file}.cc`], { cwd: folder });
        return file;
      });
      const [sell = '', send = ''] = built;
      const before = await framesOf(sell);
      const names = new Set(before.frames.flat().map(({ name }) => name));
      const inlined = [...names].filter((name) => /price_of_all|weigh_with/.test(name));
      assert.equal(inlined.length, 2, [...names].join());
      mkdirSync(path.join(folder, 'shared'), { recursive: true });
      const shared = path.join(folder, 'shared', 'both.debug');
      execFileSync('dwz', ['-l', 'none', '-m', shared, '-M', './shared/both.debug', sell, send], {
        cwd: folder,
      });
      const uses = execFileSync('readelf', ['--debug-dump=info', sell], {
        encoding: 'utf8',
        maxBuffer: 2 ** 26,
      });
      assert.match(uses, /<alt 0x/);
      assert.deepEqual(await framesOf(sell), { frames: before.frames, missing: [] });
      // Elsewhere, by its build id; and another build's is none.
      const elsewhere = path.join(folder, 'elsewhere');
      mkdirSync(elsewhere, { recursive: true });
      renameSync(shared, path.join(elsewhere, 'both.debug'));
      const alone = await framesOf(sell);
      assert.deepEqual(alone.missing, [shared]);
      assert.ok(alone.frames.flat().every(({ name }) => !inlined.includes(name)));
      assert.ok(alone.frames.flat().some(({ name, line }) => name === '_Z4selli' && line > 0));
      assert.deepEqual(await framesOf(sell, [elsewhere]), { frames: before.frames, missing: [] });
      copyFileSync(send, shared);
      assert.deepEqual(await framesOf(sell), alone);
      rmSync(shared);
    });
});
