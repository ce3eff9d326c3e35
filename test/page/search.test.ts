/** The search's patterns come from outside, as the names do: whatever they are, the page goes on. */
import assert from 'node:assert/strict';
import { bytesOf } from './generated-trace.js';
import { PageRig } from './page-rig.js';
import type { PageUnderTest } from './page-rig.js';

/** Thousands of long names, all of one letter, so that patterns that repeat what repeats have most to try. */
const methods = 6000;
const names = Object.fromEntries(
  Array.from({ length: methods }, (_, method) => [method, `${method % 7}${'a'.repeat(900)}${method % 7}`]),
);

describe('the search', function () {
  let open: PageUnderTest;

  before(async () => {
    const rig = await PageRig.start('test/page/generated-worker.ts');
    open = await rig.opened(bytesOf({ samples: 60_000, threads: 2, depth: 6, methods, seed: 4, names }));
    await open.page.locator('vscode-button[aria-label="Use a regular expression"]').click();
  });
  after(() => open.close());

  /** Types all of a pattern at once: what was said meanwhile, and how often something else had its turn. */
  const search = (pattern: string): Promise<{ said: string[]; turns: number }> =>
    open.page.evaluate(async (typed) => {
      const field = document.querySelector<HTMLInputElement>('.search-field')!;
      const found = document.querySelector('.search-found')!;
      const said: string[] = [];
      let turns = 0;
      field.value = typed;
      field.dispatchEvent(new Event('input'));
      for (;;) {
        if (found.textContent !== said.at(-1)) said.push(found.textContent);
        if (!/^$|Searching/.test(found.textContent)) break;
        await new Promise((done) => setTimeout(done));
        turns++;
      }
      return { said, turns };
    }, pattern);

  for (const pattern of ['(a+)+$', '((a|a)*)*b(a|b){30}', '(a*)*é']) {
    it(`goes on while ${pattern} is tried`, async () => {
      const { said, turns } = await search(pattern);
      assert.deepEqual(said, ['Searching…', 'No match here']);
      assert.ok(turns > 1, `${turns} turns`);
    });
  }

  it('says what it cannot take', async () => {
    assert.deepEqual((await search('(a')).said, ['Not a pattern']);
    assert.deepEqual((await search('a'.repeat(5000))).said, ['Too long a pattern']);
    assert.deepEqual((await search('((((((){90}){90}){90}){90}){90}){90}')).said, ['Too long a pattern']);
  });

  it('shows what was found at last, in every view', async () => {
    const { said } = await search('(a+)+5$');
    assert.equal(said[0], 'Searching…');
    assert.match(said.at(-1) ?? '', /^[\d,]+ methods/);
    await open.page.locator('.search-field').blur();
    await open.page.keyboard.press('5');
    const rows = open.page.locator('#view-methods .table-row .is-name .cell-text');
    await rows.first().waitFor();
    const shown = await rows.allTextContents();
    assert.ok(
      shown.length > 5 && shown.every((name) => /(^|\.)5a/.test(name)),
      shown.join('\n').slice(0, 500),
    );
  });
});
