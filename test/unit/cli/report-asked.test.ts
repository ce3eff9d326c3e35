/** `btrace report --slow --threads --locks`: the sections that are there if asked for, as a table and as JSON. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { PassThrough } from 'node:stream';
import { parseInput } from '../../../src/cli/command-line.js';
import { report } from '../../../src/cli/commands/report.js';
import { Terminal } from '../../../src/cli/terminal.js';
import { SampleKind } from '../../../src/trace/model/kinds.js';
import { workedBytes } from '../trace/worked-recording.js';

const recording = workedBytes(
  [
    {
      name: 'main',
      isMain: true,
      pieces: [
        { in: 'Shop.run > Shop.load > Shop.parse', ms: 60 },
        { in: 'Shop.run > Shop.load', ms: 20 },
        { in: 'Shop.run > Shop.book', ms: 50, wait: SampleKind.Monitor, owner: 2 },
        { in: 'Shop.run > Shop.log', ms: 10 },
        { in: 'Shop.run > Shop.book', ms: 30, wait: SampleKind.Monitor, owner: 2 },
      ],
    },
    {
      name: 'settler',
      pieces: [
        { in: 'Till.settle', ms: 150 },
        { in: 'Till.rest', ms: 20 },
      ],
    },
    { name: 'importer', pieces: [{ in: 'Importer.read', ms: 170, cpu: 0.5 }] },
  ],
  170,
);

describe('sections of a report', () => {
  let folder: string;
  before(() => (folder = mkdtempSync(path.join(tmpdir(), 'btrace-report-'))));
  after(() => rmSync(folder, { recursive: true }));

  async function reported(...options: string[]): Promise<string> {
    const file = path.join(folder, 'a.btrace');
    writeFileSync(file, recording);
    const output = new PassThrough();
    const terminal = new Terminal(output, new PassThrough(), { NO_COLOR: '1', COLUMNS: '200' });
    assert.equal(await report.run(parseInput(report, [file, ...options]), terminal), 0);
    return String(output.read());
  }
  /** The lines of a section, below its title and the heads of its columns. */
  const section = (text: string, title: string): string[] =>
    text
      .slice(text.indexOf(title))
      .split('\n\n')[0]!
      .split('\n')
      .slice(2)
      .map((line) => line.trim().replace(/ +/g, ' '))
      .filter((line) => line !== '');

  it('are not there unless they are asked for', async () => {
    assert.doesNotMatch(await reported(), /Calls of|Background threads|Locks that/);
  });

  it('list slow calls, background threads and locks of the main thread', async () => {
    const text = await reported('--slow', '55ms', '--threads', '5', '--locks');
    assert.deepEqual(section(text, 'Calls of 55.0 ms and longer'), [
      '170 ms 0 1 170 ms 90.0 ms main Shop.run',
      '170 ms 0 1 170 ms 85.0 ms importer Importer.read',
      '150 ms 0 1 150 ms 150 ms settler Till.settle',
      '80.0 ms 0 1 80.0 ms 80.0 ms main Shop.load',
      '60.0 ms 0 1 60.0 ms 60.0 ms main Shop.parse',
    ]);
    assert.deepEqual(section(text, 'Background threads by CPU'), [
      '170 ms 170 ms settler Till.settle',
      '85.0 ms 170 ms importer Importer.read',
    ]);
    assert.deepEqual(section(text, 'Locks that the main thread waited for'), [
      '80.0 ms 2 50.0 ms – settler Shop.book Till.settle',
    ]);
  });

  it('say so where there are none', async () => {
    const text = await reported('--slow', '2s', '--locks', '--to', '50ms');
    assert.match(
      text,
      /\nCalls of 2\.00 s and longer: none\.\n\nLocks that the main thread waited for: none\.\n/,
    );
  });

  it('have the same in JSON', async () => {
    const options = ['--slow', '155ms', '--threads', '1', '--locks', '--json'];
    const { slowCalls, backgroundThreads, mainThreadLocks } = JSON.parse(
      await reported(...options),
    ) as Record<string, unknown>;
    const ms = 1e6;
    const run = { count: 1, totalNs: 170 * ms, longestNs: 170 * ms, beginNs: 0 };
    assert.deepEqual(slowCalls, [
      { thread: 'main', method: 'Shop.run', cpuNs: 90 * ms, ...run },
      { thread: 'importer', method: 'Importer.read', cpuNs: 85 * ms, ...run },
    ]);
    assert.deepEqual(backgroundThreads, [{ thread: 'settler', tid: 102, cpuNs: 170 * ms, wallNs: 170 * ms }]);
    assert.deepEqual(mainThreadLocks, [
      {
        ...{ type: '', count: 2, totalNs: 80 * ms, longestNs: 50 * ms, line: 0, ownerLine: 0 },
        ...{ owner: 'settler', method: 'Shop.book', ownerMethod: 'Till.settle', isTaken: false },
        ...{ thread: 'main', beginNs: 80 * ms },
      },
    ]);
  });
});
