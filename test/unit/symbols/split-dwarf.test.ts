import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, it } from 'mocha';
import { Elf } from '../../../src/symbols/native/elf.js';
import { type NativeFrame, Symbolizer } from '../../../src/symbols/native/symbolizer.js';
import { readFrom } from '../../../src/symbols/read-at.js';
import { seed as runSeed } from '../../rigs/seed.js';

/** Each is a unit of its own. Functions are inlined into one another, lie in classes, and have several ranges. */
const sources: Readonly<Record<string, string>> = {
  'shop.cc': `
volatile int sink;
namespace shop {
struct Order {
  int count;
  int price() const { int sum = 0; for (int i = 0; i < count; i++) sum += i * sink; return sum; }
  __attribute__((noinline)) int total() const {
    auto twice = [this](int of) { return of + this->price(); };
    return twice(price());
  }
};
}
extern int ship(int);
static inline int pay(int of) {
  if (__builtin_expect(sink == 77, 0)) { sink = of * sink; __builtin_trap(); }
  return of * sink;
}
int main(int count, char**) {
  shop::Order order{count};
  return pay(order.total()) + ship(count);
}
`,
  'ship.cc': `
extern volatile int sink;
namespace { int weigh(int of) { for (int i = 0; i < of; i++) sink = sink + i; return sink; } }
template <class T> T load(T of) { return weigh(of) + weigh(of + 1); }
int ship(int of) { return load<int>(of) - load<long>(of); }
`,
};

async function everyAddress(file: string): Promise<number[]> {
  const text = await (await Elf.open(readFrom(readFileSync(file)))).section('.text');
  assert.ok(text);
  // The first segments of a program lie in memory as they do in the file.
  return Array.from({ length: text.size }, (_, at) => text.offset + at);
}

describe('debug information that lies apart from its program', () => {
  let folder: string;
  before(() => {
    folder = mkdtempSync(path.join(tmpdir(), 'split-dwarf-'));
    for (const [name, source] of Object.entries(sources)) writeFileSync(path.join(folder, name), source);
  });
  after(() => rmSync(folder, { recursive: true }));

  function build(name: string, ...options: string[]): string {
    const objects = Object.keys(sources).map((source) => {
      const object = `${name}-${source}.o`;
      execFileSync('g++', ['-c', '-O2', '-g', ...options, '-o', object, source], { cwd: folder });
      return object;
    });
    execFileSync('g++', ['-o', name, ...objects], { cwd: folder });
    return path.join(folder, name);
  }

  async function framesOf(
    file: string,
    folders: readonly string[] = [],
    damaged: string[] = [],
  ): Promise<NativeFrame[][]> {
    const symbols = await Symbolizer.open({ path: file, buildId: new Uint8Array(0) }, { root: '', folders });
    try {
      const frames = symbols.frames(await everyAddress(file));
      damaged.push(...symbols.damaged);
      return frames;
    } finally {
      symbols.close();
    }
  }

  /** Runs with the files of the units, which the compiler wrote, somewhere else. */
  async function withUnitsIn<T>(elsewhere: string, name: string, run: () => Promise<T>): Promise<T> {
    mkdirSync(elsewhere, { recursive: true });
    const files = Object.keys(sources).map((source) => `${name}-${source}.dwo`);
    for (const file of files) renameSync(path.join(folder, file), path.join(elsewhere, file));
    try {
      return await run();
    } finally {
      for (const file of files) renameSync(path.join(elsewhere, file), path.join(folder, file));
    }
  }

  const inlined = (all: readonly (readonly NativeFrame[])[]): number =>
    all.filter((frames) => frames.some(({ isInlined }) => isInlined)).length;

  /** Beside the program, or anywhere: each is of the same code. */
  for (const [version, packs] of [
    ['-gdwarf-4', 'dwp'],
    ['-gdwarf-5', 'llvm-dwp-19'],
  ] as const) {
    describe(`of ${version.slice(2)}`, () => {
      const name = `apart${version}`;
      let file: string;
      let expected: NativeFrame[][];
      before(async () => {
        file = build(name, version, '-gsplit-dwarf');
        expected = await framesOf(build(`whole${version}`, version));
        assert.ok(inlined(expected) > 100);
      });

      it('gives the same frames as within the program', async () => {
        assert.deepEqual(await framesOf(file), expected);
      });

      it('is found in the folders for symbols', async () => {
        const away = path.join(folder, `away${version}`);
        await withUnitsIn(away, name, async () => {
          assert.equal(inlined(await framesOf(file)), 0);
          assert.deepEqual(await framesOf(file, [away]), expected);
        });
      });

      afterEach(() => rmSync(`${file}.dwp`, { force: true }));

      const pack = (test: Mocha.Context): void => {
        try {
          execFileSync(packs, ['-e', file, '-o', `${file}.dwp`], { cwd: folder });
        } catch (error) {
          if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
          test.skip();
        }
      };

      it('is found in a package', async function () {
        pack(this);
        await withUnitsIn(path.join(folder, 'nowhere'), name, async () => {
          assert.deepEqual(await framesOf(file), expected);
        });
      });

      it('is found in a package where another unit is damaged', async function () {
        pack(this);
        const bytes = readFileSync(`${file}.dwp`);
        const index = await (await Elf.open(readFrom(bytes))).section('.debug_cu_index');
        assert.ok(index);
        const [columns, units, slots] = [4, 8, 12].map((at) => bytes.readUInt32LE(index.offset + at));
        const sizes = 16 + slots! * 12 + columns! * 4 + units! * columns! * 4;
        bytes.fill(0x7f, index.offset + sizes, index.offset + sizes + columns! * 4); // of the first unit
        writeFileSync(`${file}.dwp`, bytes);
        await withUnitsIn(path.join(folder, 'nowhere'), name, async () => {
          const damaged: string[] = [];
          const found = inlined(await framesOf(file, [], damaged));
          assert.ok(found > 10 && found < inlined(expected), `${found} of ${inlined(expected)}`);
          assert.deepEqual(damaged, [`${file}.dwp`]);
        });
      });

      it('is found where packages that are looked at before are damaged, and these are named', async () => {
        rmSync(`${file}.dwp`, { force: true });
        const [torn, other] = [path.join(folder, `torn${version}`), path.join(folder, `odd${version}`)];
        for (const one of [torn, other]) mkdirSync(one, { recursive: true });
        // One is no ELF file; the index of the other one is of no known version.
        writeFileSync(path.join(torn, `${name}.dwp`), 'not a package');
        writeFileSync(path.join(other, 'index'), Buffer.alloc(64, 9));
        const added = `.debug_cu_index=${path.join(other, 'index')}`;
        execFileSync('objcopy', ['--add-section', added, file, path.join(other, `${name}.dwp`)]);
        const damaged: string[] = [];
        assert.deepEqual(await framesOf(file, [torn, other], damaged), expected);
        assert.deepEqual(damaged, [path.join(torn, `${name}.dwp`), path.join(other, `${name}.dwp`)]);
        for (const one of [torn, other]) rmSync(one, { recursive: true });
      });

      it('is not taken from another build', async () => {
        rmSync(`${file}.dwp`, { force: true });
        const other = `other${version}`;
        build(other, version, '-gsplit-dwarf', '-O1');
        await withUnitsIn(path.join(folder, 'nowhere'), name, async () => {
          const without = await framesOf(file);
          for (const source of Object.keys(sources))
            renameSync(
              path.join(folder, `${other}-${source}.dwo`),
              path.join(folder, `${name}-${source}.dwo`),
            );
          assert.deepEqual(await framesOf(file), without);
        });
      });

      it('never throws for damage', async () => {
        spawnSync(packs, ['-e', file, '-o', `${file}.dwp`], { cwd: folder }); // where it is installed
        const damaged = [...Object.keys(sources).map((source) => `${file}-${source}.dwo`), `${file}.dwp`];
        const whole = damaged.filter(existsSync).map((one) => [one, readFileSync(one)] as const);
        let seed = runSeed;
        const first = seed;
        const random = (below: number): number => {
          seed = (Math.imul(seed, 1103515245) + 12345) & 0x7fffffff;
          return Math.floor((seed / 2 ** 31) * below);
        };
        for (let round = 0; round < 15; round++) {
          for (const [one, bytes] of whole) {
            const copy = Buffer.from(bytes);
            for (let changes = 1 + random(20); changes > 0; changes--)
              copy[random(copy.length)] = random(4) === 0 ? 255 : random(256);
            writeFileSync(one, random(8) === 0 ? copy.subarray(0, random(copy.length)) : copy);
          }
          const found = await framesOf(file);
          assert.equal(found.length, expected.length, `seed ${first}, round ${round}`);
        }
      });
    });
  }
});
