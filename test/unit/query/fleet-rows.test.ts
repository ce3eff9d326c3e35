import assert from 'node:assert/strict';
import { FleetRows } from '../../../src/query/fleet-rows.js';
import { traceOf } from './queried.js';

it('rows of a fleet count more where names are long, which are kept once', () => {
  const rows = new FleetRows();
  const add = (name: string): number => {
    const before = rows.count;
    const trace = traceOf([{ name, at: 0, lasts: 10 }]);
    rows.add({ file: 'a.btrace', id: 'a', trace, version: '' });
    return rows.count - before;
  };
  const short = add('load');
  assert.equal(add('load'), short);
  const long = 'l'.repeat(60_000);
  assert.ok(add(long) >= short + 500);
  assert.equal(add(long), short);
});
