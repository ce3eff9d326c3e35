// The rule of the second try, on planted cases of the agent's own tests (test/fixtures/second-try/planted_test.cc) in real processes,
// as arm64 code under qemu.
import assert from 'node:assert/strict';
import { plantedAbi, tried } from '../rigs/second-try.js';
import { lasts } from '../rigs/until.js';
import { buildLimitMs } from './build.js';

describe('a second try of parts of the agent as arm64 code', function () {
  lasts(this, buildLimitMs);
  let all: Awaited<ReturnType<typeof tried>>;
  const titleOf = (part: string): string => `planted passes its unit tests: ${part}`;
  const failed = (part: string): { readonly message: string; readonly why: string } => {
    const found = all.failed.find(({ title }) => title === titleOf(part));
    assert.ok(found, part);
    return { message: found.message, why: found.why ?? '' };
  };

  before(async () => {
    all = await tried('^planted ', { file: plantedAbi, limitMs: buildLimitMs });
  });

  it('forgives a part whose cases pass twice, alone, and no other', () => {
    assert.equal(all.first.passed, 0);
    assert.deepEqual(
      all.passed.map(({ title, tests }) => [title, tests]),
      [[titleOf('luck'), 1]],
    );
    assert.match(
      all.passed[0]!.message,
      /FAILED luck: fails the first time: .*planted_test\.cc:\d+: planted, once/,
    );
    assert.equal(all.failed.length, 3);
  });

  it('has both messages of a part that fails each time', () => {
    const { message, why } = failed('fault');
    assert.match(message, /FAILED fault: .*planted, time 1\n/);
    assert.match(why, /1 of 2, it failed:\n.*FAILED fault: .*planted, time 2\n/s);
  });

  it('is not given to a part that crashes', () => {
    const { message, why } = failed('crash');
    assert.match(message, /A child crashed, by SIGSEGV: env qemu-aarch64 .*planted-tests crash: /);
    assert.match(why, /^No second try: a crash/);
    // The part of luck twice, those of the fault and of the hang once.
    assert.deepEqual([all.tried, all.ran], [3, 1 + 2 + 1 + 1]);
  });

  it('is given to a part that hangs and is ended, which has failed when it hangs again', () => {
    const { message, why } = failed('hang');
    assert.match(message, /planted-tests hang: has no end: .*ETIMEDOUT/);
    assert.match(why, /1 of 2, it failed:\n.*ETIMEDOUT/s);
  });
});
