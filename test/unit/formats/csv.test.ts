import assert from 'node:assert/strict';
import { EventBuilder } from '../../../src/trace/assemble/event-builder.js';
import { writeMethodTable } from '../../../src/trace/formats/csv-export.js';
import { NamedMethods } from '../../../src/trace/formats/named-methods.js';
import { NameTable } from '../../../src/trace/formats/names.js';
import { written } from './round-trip.js';

describe('the method table as CSV', () => {
  it('holds no cell that a spreadsheet would run', () => {
    const names = new NameTable();
    const builder = new EventBuilder();
    const { events } = builder.thread(1);
    const dangerous = [
      '=HYPERLINK("x")',
      '+1',
      '-[NSView draw]',
      '@SUM(1)',
      '\t=1',
      '＝1',
      'fine, "quoted"\nname',
    ];
    dangerous.forEach((name, i) => events.slice(i * 10, i * 10 + 5 + i, names.internText(name)));
    const text = Buffer.from(
      written(writeMethodTable, builder.finish(new NamedMethods(names), {})),
    ).toString();
    for (const name of dangerous) {
      const quoted = name.replaceAll('"', '""');
      assert.ok(text.includes(name.startsWith('fine') ? `"${quoted}"` : `"'${quoted}"`), name);
    }
    assert.doesNotMatch(text, /(?:^|,)"?[=+@\t]/m);
  });

  it('counts recursion once', () => {
    const names = new NameTable();
    const builder = new EventBuilder();
    const { events } = builder.thread(1);
    const [outer, inner] = [names.internText('x.Y.outer'), names.internText('x.Y.inner')];
    events.slice(0, 100, outer);
    events.slice(10, 60, inner);
    events.slice(20, 50, outer);
    const text = Buffer.from(
      written(writeMethodTable, builder.finish(new NamedMethods(names), {})),
    ).toString();
    assert.deepEqual(text.split('\r\n').slice(1, 3), [
      '"x.Y","outer","","",0,80,100,0,0,2',
      '"x.Y","inner","","",0,20,50,0,0,1',
    ]);
  });
});
