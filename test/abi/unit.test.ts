// The agent and its unit tests from other compilers: as arm64 code under qemu (other atomics, another memory model, other
// system call numbers), and in `npm run test:all` as clang makes them for this machine.
import assert from 'node:assert/strict';
import path from 'node:path';
import { wide } from '../rigs/scale.js';
import { build, buildLimitMs, built, run, runsIn } from './build.js';
import { lasts } from '../rigs/until.js';

const presets = [
  { preset: 'linux-arm64', title: 'as arm64 code', below: ['qemu-aarch64', '-L', '/usr/aarch64-linux-gnu'] },
  ...(wide ? [{ preset: 'host-clang', title: 'as clang builds it', below: [] }] : []),
];

for (const { preset, title, below } of presets) {
  // Here, because mocha wants the names before it runs the first test.
  build(preset);
  // By a relative path, as few start them: under qemu /proc/self/exe then does not tell where a program lies. All others of these tests
  // are started by a whole one (test/native).
  const binary = path.relative(runsIn, path.join(built(preset), 'unit-tests'));
  const unitTests = (...names: readonly string[]): string[] =>
    run('env', [...below, binary, ...names], buildLimitMs)
      .trim()
      .split('\n');

  describe(`agent ${title}`, function () {
    lasts(this, buildLimitMs);

    // A process for each part: one for each case would take as long as the cases.
    const parts = new Map<string, string[]>();
    for (const name of unitTests('--list')) {
      const part = name.slice(0, name.indexOf(':'));
      parts.set(part, [...(parts.get(part) ?? []), name]);
    }
    for (const [part, cases] of parts)
      it(`passes its unit tests: ${part}`, () => {
        const lines = unitTests(...cases);
        assert.deepEqual(
          lines,
          cases.map((name) => `ok ${name}`),
        );
      });
  });
}
