import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { complaints, sourcesBelow } from '../../scripts/lint/unchecked-reads.mjs';
import { root } from '../../scripts/setup.mjs';

const runtimes = path.join(root, 'native-agent/rt');
const list = readFileSync(path.join(runtimes, 'unchecked-reads.txt'), 'utf8');

describe("reads of a runtime's memory", () => {
  it('are checked, or listed with the reason why what they read is there', () => {
    assert.deepEqual(complaints(sourcesBelow(runtimes), list), []);
  });

  for (const line of [
    'u64 next = plain_read<u64>(thread, 8);',
    'return read_at<u32>(table, offset);',
    'u32 word = *reinterpret_cast<const u32*>(object + 4);',
    'memcpy(&value, reinterpret_cast<const u8*>(address) + offset, sizeof value);',
    'auto* const* list = reinterpret_cast<Object* const*>(handle);',
    'if (!read_memory(&at, to, 8)) return *reinterpret_cast<u8*>(at);',
  ])
    it(`refuses \`${line}\``, () => {
      const said = complaints({ 'x/new.cc': `// a line before\n${line}\n` }, '');
      assert.deepEqual(said, [`x/new.cc:2: reads without a check and is not listed: ${line}`]);
      assert.deepEqual(complaints({ 'x/new.cc': line }, `x/new.cc | ${line} | it was made by ourselves`), []);
    });

  it('may be of our own memory, of no type, or checked', () => {
    const fine = [
      'if (!read_memory(reinterpret_cast<const u8*>(base) + offset, &value, sizeof value)) return 0;',
      'call(reinterpret_cast<void*>(address), reinterpret_cast<u8*>(&own));',
      '// plain_read<u64> is for what is there',
    ];
    assert.deepEqual(complaints({ 'x/new.cc': fine.join('\n') }, ''), []);
  });

  it('leave the list when they leave the sources, and have a reason', () => {
    assert.deepEqual(complaints({}, 'x/gone.cc | plain_read<u64>(a, 0) | it was made by ourselves'), [
      'unchecked-reads.txt:1: no such read any more: plain_read<u64>(a, 0)',
    ]);
    assert.match(complaints({}, 'x/gone.cc | plain_read<u64>(a, 0) | safe')[0]!, /WHY IT IS SAFE/);
  });
});
