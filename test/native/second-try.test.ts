// The rule of the second try, on planted cases of the agent's own tests (test/fixtures/second-try/planted_test.cc) in real processes,
// under AddressSanitizer.
import assert from 'node:assert/strict';
import { buildLimitMs } from '../abi/build.js';
import { plantedNative, tried } from '../rigs/second-try.js';
import { lasts } from '../rigs/until.js';

describe('a second try of the cases of the agent', function () {
  lasts(this, buildLimitMs);
  let all: Awaited<ReturnType<typeof tried>>;
  const failed = (title: string): { readonly message: string; readonly why: string } => {
    const found = all.failed.find((one) => one.title === title);
    assert.ok(found, title);
    return { message: found.message, why: found.why ?? '' };
  };

  before(async () => {
    all = await tried('^planted ', { file: plantedNative, limitMs: buildLimitMs });
  });

  it('forgives a case that passes twice, alone, and no other', () => {
    assert.equal(all.first.passed, 1);
    assert.deepEqual(
      all.passed.map(({ title, tests }) => [title, tests]),
      [['planted luck: fails the first time', 1]],
    );
    assert.match(all.passed[0]!.message, /FAILED luck: .*planted_test\.cc:\d+: planted, once/);
    assert.equal(all.failed.length, 4);
  });

  it('has both messages of a case that fails each time', () => {
    const { message, why } = failed('planted fault: fails every time');
    assert.match(message, /FAILED fault: .*planted, time 1\n/);
    assert.match(why, /1 of 2, it failed:\n.*FAILED fault: .*planted, time 2\n/s);
  });

  it('is not given to a case that crashes, nor to what AddressSanitizer reports', () => {
    const crash = failed('planted crash: writes where nothing is the first time');
    assert.match(crash.message, /AddressSanitizer: SEGV on unknown address/);
    assert.match(crash.why, /^No second try: a crash/);
    const heap = failed('planted heap: reads what it has freed the first time');
    assert.match(heap.message, /AddressSanitizer: heap-use-after-free .*planted_test\.cc:\d+/s);
    assert.match(heap.why, /^No second try: a crash/);
    // The case of luck twice, those of the fault and of the hang once.
    assert.deepEqual([all.tried, all.ran], [3, 1 + 2 + 1 + 1]);
  });

  it('is given to a case that hangs and is ended, which has failed when it hangs again', () => {
    const { message, why } = failed('planted hang: has no end');
    assert.match(message, /planted-tests hang: has no end: .*ETIMEDOUT/);
    assert.match(why, /1 of 2, it failed:\n.*ETIMEDOUT/s);
  });
});
