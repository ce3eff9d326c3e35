/** --mapping: what the command reads and writes has the names of the source. */
import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { after, before, describe, it } from 'mocha';
import { convertFile } from '../../../src/cli/convert/conversion.js';
import { retraced } from '../../../src/cli/retrace-mapping.js';
import { measure } from '../../../src/cli/report/measure.js';
import { trustFacts } from '../../../src/cli/trust.js';
import { decoded } from '../trace/recordings.js';
import { usualMemoryBytes } from '../../../src/trace/index.js';
import { mapping, minifiedRecording } from '../symbols/minified-recording.js';

/** Nothing is to be warned of. */
const unsaid = (text: string): void => assert.equal(text, '');

describe('--mapping', () => {
  let folder: string;
  const file = (name: string): string => path.join(folder, name);
  const stacks = [
    ['kept.Main.main:1', 'a.b.a:2'],
    ['kept.Main.main:1', 'a.b.a:2'],
    ['kept.Main.main:1', 'a.b.a:5'],
  ];

  before(() => {
    folder = mkdtempSync(path.join(os.tmpdir(), 'btrace-mapping-'));
    writeFileSync(file('mapping.txt'), mapping);
    writeFileSync(file('release.btrace'), minifiedRecording({ runtime: 'HotSpot 17', stacks }));
  });
  after(() => rmSync(folder, { recursive: true, force: true }));

  it('gives a report the names as written, and says by what', async () => {
    const said: string[] = [];
    const recorded = decoded(readFileSync(file('release.btrace')));
    const trace = await retraced(recorded, file('mapping.txt'), (text) => said.push(text));
    assert.deepEqual(said, []);
    const report = measure(trace, [], {
      top: 10,
      sort: 'total-wall',
      fromNs: undefined,
      toNs: undefined,
      perThread: false,
    });
    assert.deepEqual(report.methods.map(({ name }) => name).sort(), [
      'kept.Main.main',
      'shop.Cart.total',
      'shop.Line.price',
      'shop.Till.open',
    ]);
    const facts = trustFacts(trace, report.sums, 'mapping.txt').map(({ text }) => text);
    assert.ok(facts.includes('names retraced by mapping.txt'), facts.join());
  });

  it('must be of the build that was recorded, where the recording tells', async () => {
    const trace = decoded(minifiedRecording({ stacks, file: 'r8-map-id-1234567' }));
    const of = async (id: string): Promise<string> => {
      writeFileSync(file('build.txt'), `# pg_map_id: ${id}\n${mapping}`);
      const { methods } = await retraced(trace, file('build.txt'), unsaid);
      return methods.qualifiedName(methods.count - 1);
    };
    assert.match(await of('1234567'), /^shop\./);
    await assert.rejects(of('7654321'), /build\.txt is not of the build that was recorded/);
    const { sums } = measure(trace, [], {
      top: 1,
      sort: 'total-wall',
      fromNs: undefined,
      toNs: undefined,
      perThread: false,
    });
    const facts = trustFacts(trace, sums).map(({ text }) => text);
    assert.ok(
      facts.some((text) => text.endsWith('the mapping.txt whose pg_map_id is 1234567')),
      facts.join(),
    );
  });

  it('gives another format the names as written', async () => {
    const request = {
      input: file('release.btrace'),
      thread: undefined,
      weight: undefined,
      redact: false,
      memoryBytes: usualMemoryBytes,
    };
    const output = file('release.collapsed');
    await convertFile(
      { ...request, output, format: 'collapsed', mapping: file('mapping.txt') },
      () => undefined,
    );
    assert.match(
      readFileSync(output, 'utf8'),
      /kept\.Main\.main;shop\.Till\.open;shop\.Cart\.total;shop\.Line\.price \d/,
    );
    const newer = file('newer.txt');
    writeFileSync(newer, mapping.replace('"version":"2.2"', '"version":"9.1"'));
    const { problems } = await convertFile(
      { ...request, output, format: 'collapsed', mapping: newer },
      () => undefined,
    );
    assert.match(problems.join(), /^.*newer\.txt has version 9\.1, which is not known here yet/);
    await convertFile({ ...request, output, format: 'collapsed', mapping: undefined }, () => undefined);
    assert.match(readFileSync(output, 'utf8'), /kept\.Main\.main;a\.b\.a \d/);
  });

  it('says what is no mapping', async () => {
    const trace = decoded(minifiedRecording({ stacks }));
    await assert.rejects(
      retraced(trace, file('nowhere.txt'), unsaid),
      /nowhere\.txt cannot be read: there is no such file/,
    );
    writeFileSync(file('other.txt'), 'Dear diary\n');
    await assert.rejects(
      retraced(trace, file('other.txt'), unsaid),
      /other\.txt is no mapping: it names no class/,
    );
  });
});
