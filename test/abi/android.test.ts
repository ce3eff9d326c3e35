// What Android's linker asks of a library, of the agents that are built for it without an NDK.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import path from 'node:path';
import { wide } from '../rigs/scale.js';
import { build, buildLimitMs, built } from './build.js';
import { allOfKind } from '../rigs/kinds.js';
import { lasts } from '../rigs/until.js';

const allowed = new Set(
  `clock_gettime dl_iterate_phdr dlsym memcmp memcpy memmove memset pthread_create pthread_detach pthread_getspecific
   pthread_key_create pthread_setspecific strcmp strlen strncmp`.split(/\s+/),
);
const entryPoints = ['Agent_OnAttach', 'Agent_OnLoad', 'JNI_OnLoad'];

const abis = [
  { preset: 'android-arm64', machine: 'AArch64' },
  ...(wide ? [{ preset: 'android-x86_64', machine: 'X86-64' }] : []),
  { preset: 'android-armv7', machine: 'ARM' },
];

for (const { preset, machine } of abis) {
  describe(`the agent for ${preset}`, function () {
    lasts(this, buildLimitMs);
    allOfKind('check', this);
    let library: string;
    const readelf = (option: string): string =>
      execFileSync('readelf', ['-W', option, library], { encoding: 'utf8' });

    before('build', () => {
      build(preset);
      library = path.join(built(preset), 'libbtrace-agent.so');
    });

    it('is a library for its machine', () => {
      const header = readelf('-h');
      assert.match(header, /Type:\s+DYN/);
      assert.match(header, new RegExp(`Machine:.*\\b${machine}\\b`));
    });

    it('loads on 16 KiB pages, with no segment both writable and executable', () => {
      const loads = readelf('-l')
        .split('\n')
        .filter((line) => /^\s+LOAD/.test(line));
      assert.ok(loads.length > 0);
      for (const line of loads) {
        const [, flags = '', align = ''] = / ([R ][W ][E ]) (0x[0-9a-f]+)$/.exec(line) ?? [];
        assert.ok(Number(align) >= 0x4000, line);
        assert.ok(!(flags.includes('W') && flags.includes('E')), line);
      }
    });

    it('is bound at load, read-only after relocation, without text relocations or an executable stack', () => {
      const dynamic = readelf('-d');
      assert.match(dynamic, /\bNOW\b/);
      assert.doesNotMatch(dynamic, /TEXTREL/);
      const segments = readelf('-l');
      assert.match(segments, /GNU_RELRO/);
      assert.match(segments, /GNU_STACK.* RW /);
    });

    it('keeps nothing in thread-local storage, which loaders have little of', () => {
      assert.doesNotMatch(readelf('-l'), /^\s+TLS\b/m);
    });

    it('needs nothing but libc, libdl and liblog', () => {
      const needed = [...readelf('-d').matchAll(/NEEDED.*\[(.*)\]/g)].map(([, name]) => name);
      assert.deepEqual(
        needed.filter((name) => !['libc.so', 'libdl.so', 'liblog.so'].includes(name ?? '')),
        [],
      );
      assert.match(readelf('-d'), /SONAME.*\[libbtrace-agent\.so\]/);
    });

    it('takes only functions whose ABI is the same everywhere, and shows only its entry points', () => {
      const symbols = readelf('--dyn-syms')
        .split('\n')
        .map((line) => /(\S+)\s+(\S+)$/.exec(line.trim())?.slice(1) ?? [])
        .filter(([, name]) => name !== undefined && name !== 'Name');
      const undefinedNames = symbols.filter(([section]) => section === 'UND').map(([, name]) => name ?? '');
      const strange = undefinedNames.filter(
        (name) => !allowed.has(name) && !/^__aeabi_mem(clr|cpy|move|set)[48]?$/.test(name),
      );
      assert.deepEqual(strange, []);
      const shown = symbols
        .filter(([section, name]) => /^\d+$/.test(section ?? '') && name !== 'entries:')
        .map(([, name]) => name ?? '');
      for (const name of entryPoints) assert.ok(shown.includes(name), name);
      assert.ok(
        shown.every((name) => /^(Agent_On|JNI_On)/.test(name)),
        shown.join(' '),
      );
    });

    it('carries a build id and the note that names its API level', () => {
      const notes = readelf('-n');
      assert.match(notes, /Build ID: [0-9a-f]{40}/);
      assert.match(notes, /Android/);
    });

    if (machine === 'AArch64') {
      it('marks its branches and signs its return addresses', () => {
        assert.match(readelf('-n'), /BTI.*PAC/);
      });
    }
  });
}
