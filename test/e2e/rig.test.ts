// The rig of the suite exthost itself: a test that fails there must be one that fails here.
import assert from 'node:assert/strict';
import path from 'node:path';
import { root } from '../../scripts/setup.mjs';
import { runInExtensionHost } from '../rigs/vscode/extension-host.js';

describe('mocha in the extension host', () => {
  it('brings back what passed and what failed, here for want of trust', async () => {
    const { counts, text } = await runInExtensionHost({
      extension: root,
      workspace: path.join(root, 'test/exthost/workspace'),
      files: [path.join(root, 'test/fixtures/host-tests/trusted.test.ts')],
      trust: 'restricted',
      timeoutMs: 10_000,
    });
    assert.deepEqual([counts.passed, counts.failed, counts.skipped], [1, 1, []]);
    assert.equal(counts.failures[0]?.title, 'inside the extension host is trusted');
    assert.match(text, /inside the extension host .* 1 passed, 1 FAILED/);
  });
});
