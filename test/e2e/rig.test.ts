// The rig of the suite exthost itself: a test that fails there must be one that fails here.
import assert from 'node:assert/strict';
import path from 'node:path';
import { root } from '../../scripts/setup.mjs';
import { tried } from '../rigs/second-try.js';
import { runInExtensionHost } from '../rigs/vscode/extension-host.js';
import { lasts } from '../rigs/until.js';

describe('mocha in the extension host', () => {
  it('brings back what passed and what failed, here for want of trust', async () => {
    const { counts, text } = await runInExtensionHost({
      extension: root,
      workspace: path.join(root, 'test/exthost/workspace'),
      files: [path.join(root, 'test/fixtures/host-tests/trusted.test.ts')],
      trust: 'restricted',
      timeoutMs: 10_000,
    });
    assert.deepEqual([counts.passed, counts.failures.length, counts.skipped], [1, 1, []]);
    assert.equal(counts.failures[0]?.title, 'inside the extension host is trusted');
    assert.match(text, /inside the extension host .* 1 passed, 1 FAILED/);
  });

  it('runs one test again, or a describe whose hook failed', async function () {
    lasts(this, 15 * 60_000);
    const { passed, failed } = await tried('^planted (alone|below a hook) ', {
      host: true,
      limitMs: 5 * 60_000,
    });
    assert.deepEqual(passed.map(({ title, tests }) => [title, tests]).sort(), [
      ['planted alone fails the first time (a.b|c)', 1],
      ['planted below a hook "before all" hook for "one"', 2],
    ]);
    assert.equal(failed.length, 6);
    const crash = failed.find(({ title }) => title.endsWith('sees a child that crashes, the first time'));
    assert.match(crash?.why ?? '', /a crash/);
  });
});
