/** What a person runs first. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import { run } from '../../scripts/process.mjs';
import { root } from '../../scripts/setup.mjs';
import { Recordings } from './recordings.js';

describe('npm run demo -- 2', function () {
  const recordings = new Recordings();
  const { folder } = recordings;
  after(() => recordings.remove());

  async function node(...args: string[]): Promise<string> {
    const { code, error, text } = await run(process.execPath, args, { cwd: root, limitMs: 170_000 });
    assert.equal(code, 0, `${error ?? 'it did not end well'}:\n${text}`);
    return text;
  }
  const info = (name: string) => node('dist/btrace.cjs', 'info', path.join(folder, name));

  it('prints the report with its trust line, and writes a recording, a trace and a page', async () => {
    const said = await node('scripts/demo.mjs', '2', folder);
    const [, length] =
      /^com\.example\.shop\.Shop \(process \d+\) · .* · ([\d.]+) s · .* samples$/m.exec(said) ?? [];
    // From the first sample, which a busy machine may be late for.
    assert.ok(Number(length) > 1.5, said);
    assert.match(said, /^Trust: sampled every [\d.]+ ms.* · recording took [\d.]+ % of the CPU time/m);
    assert.match(said, / [\d.]+ % +.* com\.example\.shop\.Search\.distance$/m);

    const recording = await info('demo.btrace');
    assert.match(recording, /^format +btrace$/m);
    assert.match(recording, /^target +com\.example\.shop\.Shop /m);
    assert.match(recording, /^ended +limit$/m);
    const trace = await info('demo.pftrace');
    assert.match(trace, /^format +perfetto$/m);
    assert.match(trace, /^target +com\.example\.shop\.Shop /m);
    assert.match(trace, /^threads +[1-9]/m);

    const page = readFileSync(path.join(folder, 'demo.html'), 'utf8');
    const pieces = [...page.matchAll(/<script [^>]*class="btrace-data">(.*)<\/script>/g)];
    const data = Buffer.concat(pieces.map(([, piece = '']) => Buffer.from(piece, 'base64')));
    assert.deepEqual(data, readFileSync(path.join(folder, 'demo.btrace')), 'the page holds the recording');
  });
});
