/** What apps are called, out of packages that Android's own tools made (test/rigs/phone/apks), whole and damaged. */
import assert from 'node:assert/strict';
import { unzipSync, zipSync } from 'fflate';
import { readFrom } from '../../../src/symbols/read-at.js';
import { ZipArchive } from '../../../src/symbols/zip.js';
import { apkLabel, labelIn, resourceText } from '../../../src/targets/android/apk-label.js';
import { apkOf } from '../../rigs/phone/apps.js';

const opened = (apk: Buffer) => ZipArchive.of('base.apk', apk.length, readFrom(apk));

function entries(name: 'shop' | 'bank'): { manifest: Buffer; table: Buffer } {
  const files = unzipSync(apkOf(name));
  return {
    manifest: Buffer.from(files['AndroidManifest.xml']!),
    table: Buffer.from(files['resources.arsc']!),
  };
}
const Resource = { integer: 0x7f010000, brand: 0x7f020000, loop: 0x7f020001, name: 0x7f020003 };

/** Where the table of the texts in no language begins. */
function textsForAll(table: Buffer): number {
  for (
    let at = table.indexOf(Buffer.of(1, 2, 0x54, 0));
    at >= 0;
    at = table.indexOf(Buffer.of(1, 2, 0x54, 0), at + 1)
  )
    if (table.readUInt8(at + 8) === 2 && table.readUInt16LE(at + 28) === 0) return at;
  throw new Error('the fixture has other resources now');
}

describe('the label of an app', () => {
  it('is a text in its manifest, or a resource, also one that stands for another', async () => {
    assert.equal(await apkLabel(await opened(apkOf('bank'))), 'Rig Bank');
    assert.equal(await apkLabel(await opened(apkOf('shop'))), 'Ładen ☂ 店');
  });

  it('is read whether its parts are packed or not', async () => {
    const files = unzipSync(apkOf('shop'));
    for (const level of [0, 9] as const)
      assert.equal(await apkLabel(await opened(Buffer.from(zipSync(files, { level })))), 'Ładen ☂ 店');
  });

  it('is none where the package has none, or is no package', async () => {
    assert.equal(
      await apkLabel(await opened(Buffer.from(zipSync({ 'a.txt': Buffer.from('a') })))),
      undefined,
    );
    const { manifest } = entries('shop');
    const bare = Buffer.from(zipSync({ 'AndroidManifest.xml': manifest }));
    assert.equal(await apkLabel(await opened(bare)), undefined);
    await assert.rejects(opened(Buffer.from('no archive')), /not a zip archive/);
    // With the number of another attribute.
    const other = Buffer.from(manifest);
    other.writeUInt32LE(0x01010002, other.indexOf(Buffer.of(1, 0, 1, 1)));
    assert.equal(labelIn(other), undefined);
  });

  it('is none where the resource is no text, is not there, or leads back to itself', () => {
    const { table } = entries('shop');
    assert.equal(resourceText(table, Resource.brand), 'Ładen ☂ 店');
    assert.equal(resourceText(table, Resource.integer), undefined);
    assert.equal(resourceText(table, Resource.loop), undefined);
    assert.equal(resourceText(table, 0x7f02ffff), undefined);
    assert.equal(resourceText(table, 0x01040000), undefined);
    assert.equal(resourceText(Buffer.alloc(0), Resource.brand), undefined);
  });

  it("is the one of the device's language, and of its region before that", async () => {
    const said = async (locale: string) => await apkLabel(await opened(apkOf('shop')), locale);
    for (const locale of ['de', 'de-AT', 'de-Latn-DE']) assert.equal(await said(locale), 'auf Deutsch');
    for (const locale of ['', 'en-US', 'd', 'deu']) assert.equal(await said(locale), 'Ładen ☂ 店');
    const { table } = entries('shop');
    const german = table.indexOf('de', textsForAll(table) + 100, 'latin1');
    const inTable = (asks: string, locale: string, at = german) => {
      const bytes = Buffer.from(table);
      bytes.write(asks, at, 'latin1');
      return resourceText(bytes, Resource.brand, locale);
    };
    assert.equal(inTable('deAT', 'de-AT'), 'auf Deutsch');
    assert.equal(inTable('deAT', 'de-DE'), 'Ładen ☂ 店');
    assert.equal(inTable('iw', 'he-IL'), 'auf Deutsch');
    // The one for all is now of the language alone, and then of something else beside.
    const all = textsForAll(table) + 28;
    assert.equal(inTable('de', 'de-AT', all), 'Ładen ☂ 店');
    assert.equal(inTable('\x01', 'de-AT', all - 4), 'auf Deutsch');
  });

  it('is found where only some resources are in a table, where offsets are short, and entries compact', () => {
    const { table } = entries('shop');
    const at = textsForAll(table);
    const offsets = at + table.readUInt16LE(at + 2);
    const first = at + table.readUInt32LE(at + 16);
    const changed = (change: (bytes: Buffer) => void): Buffer => {
      const bytes = Buffer.from(table);
      change(bytes);
      return bytes;
    };
    const sparse = changed((bytes) => {
      bytes.writeUInt8(1, at + 9);
      bytes.writeUInt32LE(1, at + 12);
      bytes.writeUInt16LE(3, offsets);
      bytes.writeUInt16LE(0, offsets + 2);
    });
    assert.equal(resourceText(sparse, Resource.name), 'Ładen ☂ 店');
    assert.equal(resourceText(sparse, Resource.brand), 'auf Deutsch');
    const short = changed((bytes) => {
      bytes.writeUInt8(2, at + 9);
      [0, 0xffff, 0xffff, 12].forEach((offset, row) => bytes.writeUInt16LE(offset, offsets + 2 * row));
    });
    assert.equal(resourceText(short, Resource.name), 'Ładen ☂ 店');
    assert.equal(resourceText(short, Resource.loop), undefined);
    const compact = changed((bytes) => {
      const text = bytes.readUInt32LE(first + 12);
      bytes.writeUInt16LE((3 << 8) | 8, first + 2);
      bytes.writeUInt32LE(text, first + 4);
    });
    assert.equal(resourceText(compact, Resource.brand), 'Ładen ☂ 店');
  });

  it('of a damaged package is another or none, at once', () => {
    for (const name of ['shop', 'bank'] as const) {
      const { manifest, table } = entries(name);
      const tried = (what: () => unknown): void => {
        try {
          const found = what();
          assert.ok(typeof found !== 'string' || found.length <= 1024);
        } catch (error) {
          assert.ok(error instanceof RangeError, String(error));
        }
      };
      for (const [whole, read] of [
        [manifest, labelIn],
        [table, (bytes: Buffer) => resourceText(bytes, Resource.name)],
      ] as const) {
        for (let end = 0; end < whole.length; end++) tried(() => read(whole.subarray(0, end)));
        for (let at = 0; at < whole.length; at++)
          for (const byte of [0, 1, 0x7f, 0x80, 0xff]) {
            const bytes = Buffer.from(whole);
            bytes[at] = byte;
            tried(() => read(bytes));
          }
      }
    }
  });
});
