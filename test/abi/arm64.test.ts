// The agent's unit tests as arm64 code, under qemu: other atomics, another memory model, other system call numbers.
import assert from 'node:assert/strict';
import path from 'node:path';
import { build, built, run } from './build.js';

describe('agent as arm64 code', function () {
  this.timeout(300_000);
  const binary = path.join(built('linux-arm64'), 'unit-tests');

  before('build', () => {
    build('linux-arm64');
  });

  it('passes its unit tests', () => {
    const lines = run('qemu-aarch64', ['-L', '/usr/aarch64-linux-gnu', binary]).trim().split('\n');
    assert.ok(lines.length > 20, 'all cases ran');
    assert.deepEqual(
      lines.filter((line) => !line.startsWith('ok ')),
      [],
    );
  });
});
