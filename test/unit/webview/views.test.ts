import assert from 'node:assert/strict';
import { readdirSync, existsSync } from 'node:fs';
import path from 'node:path';
import { root } from '../../../scripts/setup.mjs';
import { pageViews } from '../../../src/protocol/messages.js';
import { keyTable } from '../../../src/webview/keys.js';
import { Model } from '../../../src/webview/model.js';
import { englishTexts } from '../../../src/webview/texts.js';
import { titleKeyOf } from '../../../src/webview/views/about.js';
import { views } from '../../../src/webview/views/registry.js';

describe('the views of the page', () => {
  it('are registered in the order that the host knows', () => {
    assert.deepEqual(
      views.map(({ id }) => id),
      pageViews,
    );
  });

  it('have a folder, a key of their own and a title each', () => {
    const folder = path.join(root, 'src/webview/views');
    const folders = readdirSync(folder).filter((name) => existsSync(path.join(folder, name, 'about.ts')));
    assert.equal(folders.length, views.length);
    const taken = keyTable.flatMap(({ keys }) => keys);
    for (const view of views) {
      assert.equal(taken.filter((key) => key === view.key).length, 1, view.id);
      assert.ok(englishTexts[titleKeyOf(view, new Model())].length > 0, view.id);
    }
  });
});
