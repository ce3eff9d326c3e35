import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, it } from 'mocha';
import { Elf } from '../../../src/symbols/native/elf.js';
import { ElfFunctions } from '../../../src/symbols/native/elf-functions.js';
import { joined } from '../../../src/symbols/native/dwarf/line-table.js';
import { type NativeFrame, Symbolizer } from '../../../src/symbols/native/symbolizer.js';
import { readFrom } from '../../../src/symbols/read-at.js';
import { root } from '../../../scripts/setup.mjs';
import { cpuMs } from '../cpu-time.js';
import { seed as runSeed } from '../../rigs/seed.js';
import { inOrder } from '../../rigs/kinds.js';

const source = path.join(root, 'test/rigs/native/truth.cc');
const none = new Uint8Array(0);

/** Every seventh address of the program's code that lies in a function: between them is nothing that runs. */
async function addressesOf(file: string): Promise<number[]> {
  const bytes = readFileSync(file);
  const text = await (await Elf.open(readFrom(bytes))).section('.text');
  assert.ok(text);
  // The first segments of a program lie in memory as they do in the file.
  const all = Array.from({ length: Math.floor(text.size / 7) }, (_, at) => text.offset + at * 7);
  const functions = await ElfFunctions.read(await Elf.open(readFrom(bytes)));
  return [...functions.find(all).values()].flat();
}

/** As binutils has it: for each address "function file:line" of each frame, innermost first. */
function byAddr2line(file: string, addresses: readonly number[]): string[][] {
  const out = execFileSync('addr2line', ['-a', '-f', '-i', '-e', file], {
    input: addresses.map((address) => address.toString(16)).join('\n'),
    encoding: 'utf8',
    maxBuffer: 2 ** 26,
  });
  const found: string[][] = [];
  const lines = out.trimEnd().split('\n');
  for (let at = 0; at < lines.length; at++) {
    const line = lines[at] ?? '';
    if (/^0x[0-9a-f]{16}$/.test(line)) {
      found.push([]);
      continue;
    }
    const place = (lines[++at] ?? '').replace(/ \(discriminator \d+\)$/, '').replace(/:\?$/, ':0');
    found.at(-1)?.push(`${line} ${joined(place)}`);
  }
  return found;
}

const written = ({ name, file, line }: NativeFrame): string => `${name} ${file === '' ? '??' : file}:${line}`;

describe('functions and lines of native programs', function () {
  inOrder(this);
  let folder: string;
  before(() => (folder = mkdtempSync(path.join(tmpdir(), 'symbolizer-'))));
  after(() => rmSync(folder, { recursive: true }));

  function compile(name: string, ...options: string[]): string {
    const file = path.join(folder, name);
    execFileSync('g++', ['-std=c++20', '-O2', '-pthread', ...options, '-o', file, source]);
    return file;
  }

  // Compilers compress what they write of version 5 if asked to.
  for (const format of ['-gdwarf-4', '-gz']) {
    it(`are those that binutils finds (${format})`, async () => {
      const file = compile(`with${format}`, '-g', format);
      const addresses = await addressesOf(file);
      const symbols = await Symbolizer.open({ path: file, buildId: none }, '');
      const found = symbols.frames(addresses);
      symbols.close();
      const theirs = byAddr2line(file, addresses);
      assert.equal(theirs.length, addresses.length);
      let lines = 0;
      let same = 0;
      const different: string[] = [];
      theirs.forEach((frames, at) => {
        if (frames[0]?.endsWith(':0') !== false) return; // of the C library's start, which has no lines
        lines++;
        const ours = (found[at] ?? []).map(written);
        const places = (all: readonly string[]): string =>
          all.map((one) => one.slice(one.lastIndexOf(' ') + 1)).join('\n');
        if (places(ours) === places(frames)) same++;
        else
          different.push(
            `${(addresses[at] ?? 0).toString(16)}\n${ours.join('\n')}\n– ${frames.join('\n– ')}`,
          );
      });
      assert.ok(lines > 150, `${lines} addresses have lines`);
      // Where a statement has several views, tools differ by one row.
      assert.ok(same >= lines * 0.99, `${same} of ${lines}\n${different.slice(0, 5).join('\n\n')}`);
      const spin = found.find((frames) => frames.some(({ name }) => name.includes('spin')));
      assert.ok(spin);
      assert.equal(spin[0]?.isInlined, true);
      assert.match(spin[1]?.name ?? '', /burn_|recurse/);
    });
  }

  it('are found in a file that was parted from the program', async () => {
    const file = compile('stripped', '-g', '-Wl,--build-id');
    const addresses = await addressesOf(file);
    const whole = await Symbolizer.open({ path: file, buildId: none }, '');
    const expected = whole.frames(addresses);
    whole.close();
    execFileSync('objcopy', ['--only-keep-debug', file, `${file}.debug`]);
    execFileSync('objcopy', ['--strip-all', `--add-gnu-debuglink=${file}.debug`, file]);
    const id = await (await Elf.open(readFrom(readFileSync(file)))).buildId();
    const buildId = Buffer.from(id ?? '', 'hex');
    const parted = await Symbolizer.open({ path: file, buildId }, '');
    assert.deepEqual(parted.frames(addresses), expected);
    parted.close();
    // Another build's file is none of this program's.
    copyFileSync(compile('other', '-g', '-O1'), `${file}.debug`);
    const other = await Symbolizer.open({ path: file, buildId }, '');
    assert.ok(other.frames(addresses).every((frames) => frames.every(({ line }) => line === 0)));
    other.close();
  });

  it('are found where the file has its names packed', async function () {
    if (spawnSync('xz', ['--version']).error !== undefined) this.skip();
    const file = compile('whole', '-Wl,--build-id');
    const id = Buffer.from((await (await Elf.open(readFrom(readFileSync(file)))).buildId()) ?? '', 'hex');
    const addresses = await addressesOf(file);
    const names = async (image: string): Promise<string[]> => {
      const symbols = await Symbolizer.open({ path: image, buildId: id }, '');
      const found = symbols.frames(addresses).map((frames) => frames.map(({ name }) => name).join());
      symbols.close();
      return found;
    };
    // As distributions pack it: the functions, without code and data.
    const [packed, stripped] = [`${file}.packed`, `${file}.stripped`];
    execFileSync('objcopy', ['--only-keep-debug', file, packed]);
    const list = execFileSync('nm', ['--defined-only', '-f', 'posix', file], { encoding: 'utf8' }).split(
      '\n',
    );
    writeFileSync(`${file}.names`, list.map((line) => /^(\S+) [tTW] /.exec(line)?.[1] ?? '').join('\n'));
    execFileSync('objcopy', ['-S', `--keep-symbols=${file}.names`, packed]);
    execFileSync('xz', ['-f', packed]);
    execFileSync('objcopy', ['-S', '--add-section', `.gnu_debugdata=${packed}.xz`, file, stripped]);
    const found = await names(stripped);
    assert.deepEqual(found, await names(file));
    assert.ok(found.some((name) => name.includes('burn_')));
    // Damage costs the names that are packed, and no others.
    const bytes = readFileSync(stripped);
    const section = await (await Elf.open(readFrom(bytes))).section('.gnu_debugdata');
    assert.ok(section);
    bytes.fill(0, section.offset + section.size / 2, section.offset + section.size);
    writeFileSync(stripped, bytes);
    execFileSync('objcopy', ['-S', file, packed]);
    assert.deepEqual(await names(stripped), await names(packed));
  });

  it('are never more than damage allows, and never throw', async () => {
    const file = path.join(folder, 'with-gdwarf-4');
    const addresses = await addressesOf(file);
    const bytes = readFileSync(file);
    const sections = (await (await Elf.open(readFrom(bytes))).sections()).filter(({ name }) =>
      name.startsWith('.debug'),
    );
    let seed = runSeed;
    const random = (below: number): number => {
      seed = (Math.imul(seed, 1103515245) + 12345) & 0x7fffffff;
      return Math.floor((seed / 2 ** 31) * below);
    };
    const first = seed;
    for (let round = 0; round < 40; round++) {
      const copy = Buffer.from(bytes);
      for (let changes = 1 + random(20); changes > 0; changes--) {
        const section = sections[random(sections.length)];
        if (section !== undefined)
          copy[section.offset + random(section.size)] = random(4) === 0 ? 255 : random(256);
      }
      writeFileSync(`${file}.copy`, copy);
      const began = cpuMs();
      const symbols = await Symbolizer.open({ path: `${file}.copy`, buildId: none }, '');
      const frames = symbols.frames(addresses);
      symbols.close();
      assert.equal(frames.length, addresses.length, `seed ${first}`);
      assert.ok(cpuMs() - began < 5000, `seed ${first}, round ${round}`);
    }
  });
});
