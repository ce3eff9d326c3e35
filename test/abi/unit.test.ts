// The agent and its unit tests from other compilers: as arm64 code under qemu (other atomics, another memory model, other
// system call numbers), and in `npm run test:all` as clang makes them for this machine.
import assert from 'node:assert/strict';
import path from 'node:path';
import { wide } from '../rigs/scale.js';
import { build, buildLimitMs, built, run } from './build.js';
import { lasts } from '../rigs/until.js';

const presets = [
  { preset: 'linux-arm64', title: 'as arm64 code', below: ['qemu-aarch64', '-L', '/usr/aarch64-linux-gnu'] },
  ...(wide ? [{ preset: 'host-clang', title: 'as clang builds it', below: [] }] : []),
];

for (const { preset, title, below } of presets) {
  describe(`agent ${title}`, function () {
    lasts(this, buildLimitMs);

    before('build', () => {
      build(preset);
    });

    it('passes its unit tests', () => {
      const lines = run('env', [...below, path.join(built(preset), 'unit-tests')], buildLimitMs)
        .trim()
        .split('\n');
      assert.ok(lines.length > 20, 'all cases ran');
      assert.deepEqual(
        lines.filter((line) => !line.startsWith('ok ')),
        [],
      );
    });
  });
}
