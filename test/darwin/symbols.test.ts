// Names, files and lines of Mach-O programs: from the program alone, from its dSYM, and from damaged files.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { MachO, MachOError } from '../../src/symbols/native/macho.js';
import { MachOFunctions } from '../../src/symbols/native/macho-functions.js';
import { Symbolizer } from '../../src/symbols/native/symbolizer.js';
import { readFrom } from '../../src/symbols/read-at.js';
import { type DarwinMachine, darwinMachines, darwinProgram, whyNoDarwin } from '../rigs/darwin/darwin.js';
import { scale } from '../rigs/scale.js';
import { seeded } from '../rigs/seed.js';

for (const machine of Object.keys(darwinMachines) as DarwinMachine[]) {
  describe(`the symbols of a program of Darwin, ${machine}`, () => {
    const folder = mkdtempSync(path.join(tmpdir(), 'macho-'));
    let program: string;
    let uuid: Buffer;
    let burn: number;

    before(async function () {
      if (whyNoDarwin(machine) !== undefined) this.skip();
      program = darwinProgram('truth', machine, 'chained');
      uuid = Buffer.from((await MachO.open(readFrom(readFileSync(program))))[0]?.uuid() ?? '', 'hex');
      const symbols = execFileSync('llvm-nm-19', [program], { encoding: 'utf8' });
      burn = parseInt(/^([0-9a-f]+) T _burn_a$/m.exec(symbols)?.[1] ?? '', 16);
      assert.ok(burn > 0);
    });
    after(() => rmSync(folder, { recursive: true, force: true }));

    it('are those of its symbol table', async () => {
      const symbols = await Symbolizer.open({ path: program, buildId: uuid }, '');
      const [[frame] = [], nothing] = symbols.frames([burn + 4, 16]);
      symbols.close();
      assert.equal(frame?.name, 'burn_a');
      assert.equal(frame.start, burn);
      assert.deepEqual(nothing, []);
    });

    it('have files and lines from the dSYM beside it, in whatever folder it is looked for', async () => {
      copyFileSync(program, path.join(folder, 'truth'));
      execFileSync('dsymutil-19', [program, '-o', path.join(folder, 'truth.dSYM')]);
      const source = path.resolve('test/rigs/native/known_times.h');
      const lines = readFileSync(source, 'utf8').split('\n');
      for (const places of [{ root: '', folders: [folder] }, folder]) {
        // On the device it has another path.
        const away = typeof places === 'string' ? '/truth' : '/private/var/containers/App/truth';
        const symbols = await Symbolizer.open({ path: away, buildId: uuid }, places);
        const frames = symbols.frames([burn])[0] ?? [];
        symbols.close();
        const outermost = frames.at(-1);
        assert.equal(outermost?.name, 'burn_a');
        assert.equal(outermost.file, source);
        assert.match(lines[outermost.line - 1] ?? '', /burn_a/);
      }
    });

    it('are not those of another build', async () => {
      const other = Buffer.from(uuid).reverse();
      const symbols = await Symbolizer.open(
        { path: program, buildId: other },
        { root: '', folders: [folder] },
      );
      assert.deepEqual(symbols.frames([burn]), [[]]);
      symbols.close();
    });

    it('are none, in words, of files that are damaged', async () => {
      const whole = readFileSync(program);
      const random = seeded();
      for (let turn = 0; turn < 40 * scale; turn++) {
        const bytes = Buffer.from(whole);
        // Mostly in the headers, where everything else is found by.
        for (let change = 0; change < 4; change++)
          bytes[Math.floor(random() ** 3 * bytes.length)] = Math.floor(random() * 256);
        const cut = turn % 4 === 0 ? bytes.subarray(0, Math.floor(random() * bytes.length)) : bytes;
        try {
          for (const one of await MachO.open(readFrom(cut))) {
            one.sections();
            one.uuid();
            (await MachOFunctions.read(one)).find([burn, 0, 2 ** 52]);
          }
        } catch (error) {
          assert.ok(error instanceof MachOError, String(error));
        }
      }
    });
  });
}
