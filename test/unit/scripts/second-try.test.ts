// The rule of the second try, on planted tests (test/fixtures/second-try) in real processes.
import assert from 'node:assert/strict';
import { secondTries, whyFinal } from '../../../scripts/test/second-try.mjs';
import type { Failed } from '../../../scripts/test/second-try.mjs';
import { planted as file, tried } from '../../rigs/second-try.js';

const limitMs = 60_000;
/** Of a process that hangs: long enough to come to the tests on a busy machine. */
const hangsAfterMs = 12_000;

describe('a second try', () => {
  const titles = (failures: readonly Failed[]) => failures.map(({ title }) => title).sort();

  it('forgives a test that passes twice, alone, and no other', async () => {
    const { first, passed, failed, tried: count, ran } = await tried('^planted alone ', { limitMs });
    assert.equal(first.passed, 1);
    assert.deepEqual(titles(passed), ['planted alone fails the first time (a.b|c)']);
    assert.equal(passed[0]!.tests, 1);
    assert.deepEqual([count, ran], [2, 1 + 2 + 1]);
    const why = new Map(failed.map((one) => [one.title.replace('planted alone ', ''), one.why ?? '']));
    assert.match(why.get('fails every time') ?? '', /1 of 2, it failed:\nAssertionError.*planted, always/s);
    assert.match(why.get('sees a child that crashes, the first time') ?? '', /a crash/);
    assert.match(why.get('tells of a crash, the first time') ?? '', /a crash/);
    assert.match(why.get('loses something, the first time') ?? '', /something was lost/);
    assert.match(why.get('harms a program, the first time') ?? '', /a recorded program was harmed/);
    assert.match(why.get('bytes differ the first time') ?? '', /bytes differ/);
    assert.equal(failed.length, 6);
  });

  it('takes all of a describe whose hook failed, and counts its tests', async () => {
    const { first, passed, failed, ran } = await tried('^planted below a hook ', { limitMs });
    assert.equal(first.passed, 0);
    assert.equal(first.failures.length, 1);
    assert.deepEqual([passed.length, passed[0]?.tests, failed.length, ran], [1, 2, 0, 3]);
  });

  it('takes all of a describe whose tests follow from each other', async () => {
    const { passed, failed } = await tried('^planted in order ', { limitMs });
    assert.deepEqual(titles(passed), ['planted in order two, after one']);
    assert.deepEqual(failed, []);
  });

  it('ends a suite that hangs, says where it was, and tries what had not ended', async () => {
    const { first, passed, failed } = await tried('^planted without an end ', { limitMs: hangsAfterMs });
    assert.equal(first.passed, 1);
    assert.match(first.failures[0]!.message, /hung in: planted without an end hangs the first time/);
    assert.match(first.failures[0]!.message, /Its processes:\n\d+ [RS] /);
    assert.deepEqual(titles(passed), [
      'planted without an end hangs the first time',
      'planted without an end passes after',
    ]);
    assert.deepEqual(failed, []);
  });

  it('says of a suite that never rests where its JavaScript is', async function () {
    if (process.platform !== 'linux') this.skip();
    const { failed } = await tried('^planted without rest ', { limitMs: hangsAfterMs });
    assert.match(failed[0]!.message, /The JavaScript of \d+:\n#0 worksForEver .*planted\.test\.ts:\d+/);
  });

  it('is red at a second hang', async () => {
    const { passed, failed } = await tried('^planted without any end ', { limitMs: hangsAfterMs });
    assert.deepEqual([passed.length, failed.length], [0, 1]);
    assert.match(failed[0]!.why ?? '', /1 of 2, it failed:\nThe suite hung in/);
  });

  it('is not given to a process that ended', async () => {
    const { failed, ran } = await tried('^planted at the end of the process ', { limitMs });
    assert.equal(ran, 1);
    assert.match(
      failed[0]!.message,
      /ended before its last test: exit code 7, in planted at the end .* ends it/,
    );
    assert.match(failed[0]!.why ?? '', /a crash/);
  });

  const failure = (title: string): Failed => ({
    suite: 'unit',
    title,
    message: 'expected 1',
    files: [file],
    load: 1,
    tests: 1,
  });
  const passes = { passed: 1, failures: [], load: 0 };

  it('is not given to more than twelve', async () => {
    const all = Array.from({ length: 13 }, (_, at) => failure(`test ${at}`));
    const twelve = await secondTries(all.slice(1), () => Promise.resolve(passes));
    assert.deepEqual([twelve.passed.length, twelve.failed.length, twelve.tried], [12, 0, 12]);
    const thirteen = await secondTries(all, () => Promise.reject(new Error('tried')));
    assert.deepEqual([thirteen.passed.length, thirteen.failed.length, thirteen.tried], [0, 13, 0]);
    assert.match(thirteen.failed[0]!.why ?? '', /unfit/);
  });

  it('ends when five minutes are over', async () => {
    let ms = 0;
    const limits: number[] = [];
    const { passed, failed } = await secondTries(
      [failure('one'), failure('two')],
      (_failure, _grep, limitMs) => {
        limits.push(limitMs);
        ms += 120_000;
        return Promise.resolve(passes);
      },
      { now: () => ms },
    );
    assert.deepEqual(limits, [300_000, 180_000, 60_000]);
    assert.deepEqual([titles(passed), titles(failed)], [['one'], ['two']]);
    assert.match(failed[0]!.why ?? '', /5 minutes/);
  });

  it('is not passed where no test ran', async () => {
    const { failed } = await secondTries([failure('x')], () => Promise.resolve({ ...passes, passed: 0 }));
    assert.match(failed[0]!.why ?? '', /no test ran/);
  });

  it('is refused to crashes by their words', () => {
    for (const message of [
      'x ended by SIGSEGV',
      '# A fatal error has been detected by the Java Runtime Environment',
      '==1==ERROR: AddressSanitizer: heap-use-after-free',
      'a.cc:3:5: runtime error: signed integer overflow',
      'qemu: uncaught target signal 11 (Segmentation fault) - core dumped',
      'Extension host (Remote) terminated unexpectedly',
    ])
      assert.equal(whyFinal({ message, files: [file] }), 'a crash', message);
    assert.equal(whyFinal({ message: '-XX:ErrorFile=hs_err_pid%p.log: 3 !== 4', files: [file] }), undefined);
    assert.equal(whyFinal({ message: 'a leftover' }), 'not a test');
  });
});
