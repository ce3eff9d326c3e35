import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { zipSync } from 'fflate';
import { after, describe, it } from 'mocha';
import { jdkFolders, jdksWithSources } from '../../../src/symbols/jdk-homes.js';
import { ZipArchive } from '../../../src/symbols/zip.js';

const folder = mkdtempSync(path.join(tmpdir(), 'btrace-zip-'));
const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

describe('archives of sources', () => {
  after(() => rmSync(folder, { recursive: true, force: true }));

  const file = path.join(folder, 'src.zip');
  writeFileSync(
    file,
    zipSync(
      {
        'java.base/java/util/List.java': bytes('package java.util; // the list'),
        'java.base/java/util/ArrayList.java': [bytes('stored'), { level: 0 }],
        'java/util/List.javax': bytes('another'),
        'other/xjava/util/List.java': bytes('not at a folder'),
      },
      { comment: 'with a comment' },
    ),
  );

  it('gives an entry by its name, or by the end of it at a folder', async () => {
    const archive = await ZipArchive.open(file);
    const list = archive.find('java/util/List.java');
    assert.equal(list?.name, 'java.base/java/util/List.java');
    assert.equal(await archive.text(list), 'package java.util; // the list');
    const stored = archive.find('java.base/java/util/ArrayList.java');
    assert.ok(stored);
    assert.equal(await archive.text(stored), 'stored');
    assert.equal(archive.find('util/Missing.java'), undefined);
    assert.equal(archive.find('ava/util/List.java'), undefined);
  });

  it('says of what is no archive that it is none', async () => {
    const text = path.join(folder, 'not.zip');
    writeFileSync(text, 'x'.repeat(100));
    await assert.rejects(ZipArchive.open(text), /not a zip archive/);
    writeFileSync(text, '');
    await assert.rejects(ZipArchive.open(text), /not a zip archive/);
  });

  it('finds JDKs with sources: the chosen one first, then the one that was recorded, then the newest', async () => {
    const jdk = (name: string, version: string): string => {
      const home = path.join(folder, '.jdks', name);
      mkdirSync(path.join(home, 'lib'), { recursive: true });
      writeFileSync(path.join(home, 'release'), `JAVA_VERSION="${version}"\n`);
      writeFileSync(path.join(home, 'lib', 'src.zip'), '');
      return home;
    };
    const [j17, j21, j8] = [jdk('a', '17.0.2'), jdk('b', '21'), jdk('c', '1.8.0_302')];
    const places = { platform: 'linux', env: {}, homeFolder: folder } as const;
    const ours = async (chosen: string, feature: number): Promise<string[]> =>
      (await jdksWithSources(places, chosen, feature))
        .map(({ home }) => home)
        .filter((home) => home.startsWith(folder));
    assert.deepEqual(await ours('', 17), [j17, j21, j8]);
    assert.deepEqual(await ours('', 0), [j21, j17, j8]);
    assert.equal((await ours(j8, 17))[0], j8);
  });

  it('knows where each platform keeps them', () => {
    const on = (platform: NodeJS.Platform): string =>
      jdkFolders({ platform, env: {}, homeFolder: '/home/me' }).join();
    assert.match(on('darwin'), /\/Library\/Java\/JavaVirtualMachines/);
    assert.match(on('win32'), /C:\\Program Files\\Java/);
    assert.match(on('linux'), /\/usr\/lib\/jvm/);
  });
});
