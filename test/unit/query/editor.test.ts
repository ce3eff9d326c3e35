/** What the editor of queries offers, and how it shows an answer. */
import assert from 'node:assert/strict';
import { isResultMessage, nameColumn, resultHtml } from '../../../src/extension/query/result-html.js';
import { suggestions } from '../../../src/query/completions.js';
import { queryTables } from '../../../src/query/views.js';

const labels = (sql: string, before = sql): string[] => suggestions(sql, before).map(({ label }) => label);

describe('the editor of queries', () => {
  it('offers tables, the columns of those that are named, and those of one by its other name', () => {
    assert.deepEqual(
      labels(''),
      queryTables.map(({ name }) => name),
    );
    const some = labels('SELECT  FROM wait', 'SELECT ');
    assert.ok(some.includes('owner_utid') && some.includes('slice') && !some.includes('stack_id'));
    assert.equal(new Set(some).size, some.length);
    const counter = queryTables.find(({ name }) => name === 'counter')!.columns.map(([name]) => name);
    for (const from of ['counter c', 'counter AS c', 'COUNTER c JOIN thread t'])
      assert.deepEqual(labels(`SELECT c. FROM ${from}`, 'SELECT c.'), counter, from);
    assert.deepEqual(labels('SELECT counter.va FROM counter', 'SELECT counter.va'), counter);
    assert.deepEqual(labels('SELECT x. FROM counter', 'SELECT x.'), []);
  });

  const texts = { summary: 'a & b', saveCsv: 'CSV', openLine: 'line', showInChart: 'chart', language: 'en' };

  it('shows an answer without taking a name for HTML, and leads from names to lines and chart', () => {
    const result = {
      columns: ['ms', '<b>', 'name'],
      rows: [[1, 'x<script>"', '<init>'] as const, [2, null, null] as const],
      isCut: false,
    };
    const html = resultHtml(result, texts, 'once');
    assert.ok(!html.includes('<b>') && !html.includes('<init>') && !html.includes('x<script>'));
    assert.match(html, /<td class="number">1<\/td><td class="">x&#60;script&#62;&#34;<\/td>/);
    assert.match(html, /data-to="line" data-row="0" title="line">&#60;init&#62;</);
    assert.doesNotMatch(html, /data-row="1"/);
    assert.match(html, /default-src 'none'; style-src 'nonce-once'; script-src 'nonce-once'/);
    assert.deepEqual([nameColumn(['a', 'method_id']), nameColumn(['a'])], [1, -1]);
  });

  it('takes from the page only what it knows', () => {
    assert.ok(isResultMessage({ type: 'csv' }) && isResultMessage({ type: 'line', row: 3 }));
    for (const wrong of [null, 1, {}, { type: 'run' }, { type: 'line' }, { type: 'chart', row: '1' }])
      assert.ok(!isResultMessage(wrong), JSON.stringify(wrong));
  });
});
