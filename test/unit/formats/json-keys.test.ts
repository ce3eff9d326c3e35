// A member that a reader does not know changes nothing, whatever it is called and whatever its value is.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, it } from 'mocha';
import { anyImporter } from '../../../src/trace/formats/index.js';
import { dumpTrace } from '../trace-dump.js';
import { scaled } from '../test-scale.js';
import { importWhole } from './round-trip.js';
import { randomNumbers } from './sample-traces.js';

type Json = null | boolean | number | string | Json[] | { [key: string]: Json };

const files = [
  'written.json',
  'read-devtools.json',
  'written.speedscope.json',
  'read-sampled.speedscope.json',
];

/** Every member that a reader of JSON may look at: names that are made up are none of these. */
const known = new Set(
  [
    'ph ts dur tts tdur pid tid name args cat id id2 s bp cname sf stack value labels sort_index',
    'traceEvents otherData samples systemTraceEvents startMonotonicNs startBoottimeNs startRealtimeNs',
    '$schema shared frames profiles type unit startValue endValue events weights file line col at frame',
  ].flatMap((names) => names.split(' ')),
);
const firstLetters = [...new Set([...known].map((name) => name[0]!))];
const values: readonly Json[] = [
  ...['db1', 'O', '', 'a"b\\', 0, 7, -1.5, true, false, null, [], [1, 'x', { ph: 'B' }], {}],
  { name: 'n', ts: 5, at: 1 },
];

/** As long as asked for, and most likely one that begins or goes on as a known name of that length does. */
function unknownKey(length: number, random: () => number): string {
  const alike = [...known].filter((name) => name.length === length);
  for (;;) {
    const model = alike[Math.floor(random() * alike.length)];
    const letters = Array.from({ length }, (_, at) =>
      model !== undefined && random() < 0.6
        ? model[at]!
        : at === 0
          ? firstLetters[Math.floor(random() * firstLetters.length)]!
          : String.fromCharCode(0x61 + Math.floor(random() * 26)),
    );
    const key = letters.join('');
    if (!known.has(key)) return key;
  }
}

/** The document with a member more in each object: before, between or after its own. */
function withMember(
  value: Json,
  key: () => string,
  more: Json,
  random: () => number,
  isCounted = false,
): Json {
  if (Array.isArray(value)) return value.map((item) => withMember(item, key, more, random));
  if (value === null || typeof value !== 'object') return value;
  const members = Object.entries(value).map(([name, content]): [string, Json] => [
    name,
    // Each number among a counter's arguments is a series: that member is known, whatever it is called.
    withMember(content, key, more, random, name === 'args' && value['ph'] === 'C'),
  ]);
  if (!(isCounted && typeof more === 'number'))
    members.splice(Math.floor(random() * (members.length + 1)), 0, [key(), more]);
  return Object.fromEntries(members);
}

const withoutPlaces = (dump: string): string => dump.replace(/^problem @\d+/gm, 'problem');
const read = (text: string): string =>
  withoutPlaces(dumpTrace(importWhole(anyImporter(), Buffer.from(text))));

describe('members of JSON that are not known', () => {
  for (const file of files) {
    it(`change nothing, whatever their length and value: ${file}`, () => {
      // One of them is damaged, and not closed, on purpose.
      const text = readFileSync(path.join('test', 'fixtures', 'formats', file), 'utf8')
        .replace('nonsense here, ', '')
        .replace(/,\s*\{"name":"torn of[^]*$/, ']}');
      const expected = read(text);
      assert.match(expected, /\.\./, 'there are calls in it');
      const random = randomNumbers(7);
      for (let round = 0; round < scaled(60); round++) {
        const length = 1 + (round % 12);
        const value = values[round % values.length]!;
        const made = withMember(JSON.parse(text) as Json, () => unknownKey(length, random), value, random);
        const written = JSON.stringify(made);
        assert.equal(read(written), expected, written.slice(0, 2000));
      }
    });
  }

  it('are not the known ones with something more, and those may be written with escapes', () => {
    const event = (members: string): string =>
      `{"traceEvents":[{"ph":"X","ts":1,"dur":2,"pid":1,"tid":1,"name":"a"${members}}]}`;
    const expected = read(event(''));
    for (const key of ['\\u0000ph', 'ph\\u0000', 'p', 'h', 'phs', 'names', 'nam', 'Name', 'ñ', 'tsé'])
      assert.equal(read(event(`,"${key}":"B"`)), expected, key);
    assert.equal(read(event('').replace('"ph"', '"\\u0070h"').replace('"name"', '"n\\u0061me"')), expected);
  });
});
