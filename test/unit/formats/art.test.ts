import assert from 'node:assert/strict';
import { ArtImporter } from '../../../src/trace/formats/art-import.js';
import { artTrace } from './art-traces.js';

describe('a method trace of ART that was not written whole', () => {
  const problems = (bytes: Uint8Array): string[] => {
    const importer = new ArtImporter();
    importer.append(bytes);
    return importer.finish().problems.map(({ what }) => what);
  };

  it('says how many of its records are there, wherever it ends', () => {
    const whole = artTrace(3, 'dual');
    const said = 'The trace ends after 9 of its 11 records';
    for (const bytes of [1, 13, 14])
      assert.ok(problems(whole.subarray(0, whole.length - 14 - bytes)).includes(said), String(bytes));
    assert.ok(!problems(whole).some((what) => what.startsWith('The trace ends')));
  });
});
