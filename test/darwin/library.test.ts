// What Apple's linker, loader and store ask of a library, of those that are built for iOS and macOS without Xcode.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { root } from '../../scripts/setup.mjs';
import { buildLimitMs } from '../abi/build.js';
import { type DarwinMachine, darwinLibrary, darwinMachines, whyNoDarwin } from '../rigs/darwin/darwin.js';
import { functionsOfHeader } from '../rigs/native/c-header.js';
import { lasts } from '../rigs/until.js';

const mostBytes = 260_000;
const llvm = (tool: string, ...args: string[]): string =>
  execFileSync(`llvm-${tool}-19`, args, { encoding: 'utf8', maxBuffer: 1 << 26 });

/** The symbols that the stub of libSystem has, for this machine. */
function allowed(): Set<string> {
  const stub = readFileSync(path.join(root, 'native-agent/os/darwin/libSystem.tbd'), 'utf8');
  const lists = [...stub.matchAll(/symbols:\s+\[([^\]]*)\]/g)].map(([, list = '']) => list);
  return new Set(lists.flatMap((list) => list.split(',')).map((name) => name.trim().replaceAll("'", '')));
}

/** What may be called while a thread is suspended: the kernel alone, which needs no lock of the program's. */
const allowedInWalk = new Set(
  'mach_task_self_ thread_get_state thread_info thread_resume thread_suspend vm_read_overwrite'
    .split(' ')
    .map((name) => `_${name}`),
);

for (const machine of Object.keys(darwinMachines) as DarwinMachine[]) {
  const { preset } = darwinMachines[machine];
  describe(`the agent for ${preset}`, function () {
    lasts(this, buildLimitMs);
    let library: string;

    before('build', function () {
      if (whyNoDarwin(machine) !== undefined) this.skip();
      library = darwinLibrary(machine);
    });

    it('is a library for its processor, system and oldest version', () => {
      const text = llvm('objdump', '--macho', '--private-headers', library);
      assert.match(text, /filetype.*\n.*MH_MAGIC_64\s+(?:X86_64|ARM64)\s.*DYLIB/);
      assert.match(text, new RegExp(`MH_MAGIC_64\\s+${machine.toUpperCase()}`));
      const [platform, version] = darwinMachines[machine].platform;
      assert.match(text, new RegExp(`LC_BUILD_VERSION\\s+cmdsize \\d+\\s+platform ${platform}\\s`));
      assert.match(text, new RegExp(`minos ${version}\\s`));
      assert.match(text, /name @rpath\/libbtrace\.dylib /);
      assert.match(text, /LC_UUID/);
    });

    it('needs libSystem alone, and of it what its stub lists', () => {
      const libraries = llvm('objdump', '--macho', '--dylibs-used', library).split('\n').slice(1);
      const names = libraries.map((line) => line.trim().split(' ')[0] ?? '').filter((name) => name !== '');
      assert.deepEqual(
        names.filter((name) => name !== '@rpath/libbtrace.dylib'),
        ['/usr/lib/libSystem.B.dylib'],
      );
      const wanted = llvm('nm', '--undefined-only', '--just-symbol-name', library)
        .split('\n')
        .filter((name) => name !== '');
      assert.ok(wanted.length > 30);
      const may = allowed();
      assert.deepEqual(
        wanted.filter((name) => !may.has(name)),
        [],
      );
    });

    it('shows what btrace.h has, and nothing else', () => {
      const shown = llvm('nm', '--defined-only', '--extern-only', '--just-symbol-name', library)
        .trim()
        .split('\n');
      assert.deepEqual(
        shown.sort(),
        functionsOfHeader().map((name) => `_${name}`),
      );
    });

    it('has no system call of its own, which would break with the next system', () => {
      const code = llvm('objdump', '--disassemble', '--no-show-raw-insn', library);
      assert.ok(code.includes('ret'));
      assert.doesNotMatch(code, /^\s*[0-9a-f]+:\s+(?:syscall|sysenter|int\s+\$0x80|svc)\b/m);
    });

    it('has no code that is changed when it is loaded, and keeps nothing in thread-local words', () => {
      const text = llvm('objdump', '--macho', '--private-headers', library);
      const segments = [...text.matchAll(/segname (\S+)[\s\S]*?initprot (\S+)/g)];
      assert.ok(segments.some(([, name]) => name === '__TEXT'));
      for (const [, name = '', access = ''] of segments)
        assert.ok(!(access.includes('w') && access.includes('x')), `${name} is ${access}`);
      const rebased = llvm('objdump', '--macho', '--rebase', '--bind', '--dyld-info', library);
      assert.doesNotMatch(rebased, /^__TEXT\b/m);
      assert.doesNotMatch(text, /S_THREAD_LOCAL/);
    });

    it('is small', () => {
      const { size } = statSync(library);
      assert.ok(size < mostBytes, `${size} bytes`);
    });

    it('calls nothing but the kernel between suspending a thread and resuming it', () => {
      const object = path.join(path.dirname(library), 'CMakeFiles/core.dir/os/darwin/stopped_thread.cc.obj');
      const wanted = llvm('nm', '--undefined-only', '--just-symbol-name', object)
        .split('\n')
        .filter((name) => name !== '');
      assert.ok(wanted.includes('_thread_suspend'));
      assert.deepEqual(
        wanted.filter((name) => !allowedInWalk.has(name)),
        [],
      );
    });
  });
}
