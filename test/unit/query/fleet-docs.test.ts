/** docs/FLEET.md names the tables of a fleet and their columns, and no others. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { root } from '../../../scripts/setup.mjs';
import { fleetTables } from '../../../src/query/fleet-tables.js';

it('docs/FLEET.md has the columns that a fleet has', () => {
  const page = readFileSync(path.join(root, 'docs/FLEET.md'), 'utf8');
  for (const { name, columns } of fleetTables) {
    const rows = page
      .slice(page.indexOf(`| \`${name}\` |`))
      .split('\n\n')[0]!
      .split('\n')
      .slice(2);
    const told = rows.flatMap((row) => [...row.split('|')[1]!.matchAll(/`(\w+)`/g)].map((match) => match[1]));
    assert.deepEqual(
      told,
      columns.map(([column]) => column),
    );
  }
});
