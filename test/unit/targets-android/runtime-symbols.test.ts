/** What of a phone's runtime is handed over to the agent. */
import assert from 'node:assert/strict';
import { Elf } from '../../../src/symbols/native/elf.js';
import { readFrom } from '../../../src/symbols/read-at.js';
import { hiddenSymbols } from '../../../src/targets/android/runtime-symbols.js';
import { elfFile, withSection } from '../../rigs/elf-file.js';

/** elfFile of _ZN3art4walkEv (0x1234) and _ZN3art5otherEv (0x5678), packed by xz 5.4.1. */
const packed = Buffer.from(
  '/Td6WFoAAATm1rRGA8CHAYkEIQEWAAAAVnOZguACCAB/XQA/kUWEaD2JptrU1emSnZQxoO4IokAWcmup8cYihuy1wB+lV889Yp+5553FNQzx6+BnuaeO2GN78RluZpudSarSg9JV+4+mhxHkn53W92ryCSiZNvjqVJR5svd9YHzp1pAjXPlWnWu/XWlMMdGTUy3cBHBT30vYZXY75P67asNIAAAxN8v2aildEQABnwGJBAAAlghdhbHEZ/sCAAAAAARZWg==',
  'base64',
);
/** 1 MB of zeros, packed likewise: 12 bytes of head, then one block, then an index. */
const zeros = Buffer.from(
  '/Td6WFoAAATm1rRGAgAhARYAAAB0L+Wj7///ANldAABv/f//o7f/Rz5IFXI5YVG4kijmo4YH+e7kHoLTL8U6PAFLsX7JiopNL6MN2X+m44wjEVPgWRjFdYrid/i2lH8MasDedElk4ulcU7IE2PdEDKtfDW1G6eXDdoi3llestk3haR1v+0uIEGxCy4g/XACP0E6vJiiUcR89jyThcJ6nI1/sKMuF0ZWYin4qkfIndfcZwAaYTZj92K/VkA/EJVP49ZE2MQWlsO5vwXBNRwzRkRGqrWAdus6xJxhcWYbpZlJYvul2rFnk5VsFCPnH2q38+1Iq9+SVJQAAAAAAwva6PqJwa2AAAfUBgIBAAHmXf0exxGf7AgAAAAAEWVo=',
  'base64',
);
const agent = Buffer.from('\x7fELF\0_ZN3art4walkEv\0_ZNK3art6unseenEv\0_ZN6btrace3art4openEv\0', 'latin1');

/** A library without a table of its functions. */
function stripped(): Buffer {
  const file = elfFile([]);
  const at = file.indexOf('.symtab');
  file.write('.hidden', at, 'latin1');
  return file;
}

async function handedOver(library: Buffer): Promise<string[]> {
  const text = await hiddenSymbols({ buildId: '00ff', elf: await Elf.open(readFrom(library)) }, agent);
  assert.ok(text.endsWith('\n'));
  return text.trimEnd().split('\n');
}
const withPacked = (data: Buffer) => withSection(stripped(), '.gnu_debugdata', data);

describe('what a runtime hides', () => {
  it('is what the agent asks for and nothing else', async () => {
    assert.deepEqual(await handedOver(withPacked(packed)), ['build-id 00ff', '1234 _ZN3art4walkEv']);
  });

  it('is nothing where it has no packed names, or has them unpacked', async () => {
    assert.deepEqual(await handedOver(stripped()), ['build-id 00ff']);
    const both = withSection(elfFile([]), '.gnu_debugdata', packed);
    assert.deepEqual(await handedOver(both), ['build-id 00ff']);
  });

  it('is not had, in words, where it is damaged', async () => {
    const damaged = Buffer.from(packed);
    damaged[100]! ^= 1;
    for (const data of [
      damaged,
      packed.subarray(0, 100),
      packed.subarray(0, -8),
      Buffer.from('no xz at all'),
      Buffer.alloc(0),
    ])
      assert.deepEqual(await handedOver(withPacked(data)), ['build-id 00ff', 'why it cannot be unpacked']);
    // Blocks without an end.
    const block = zeros.subarray(12, zeros.length - 24);
    const bomb = Buffer.concat([zeros.subarray(0, 12), ...Array.from({ length: 40 }, () => block)]);
    assert.deepEqual((await handedOver(withPacked(bomb)))[1], 'why it unpacks to more than 33554432 bytes');
    // Unpacking goes on as before.
    assert.equal((await handedOver(withPacked(packed))).length, 2);
  });
});
