/** The library that a program has in itself, as the package holds it, on a JVM. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { buildInApp, inAppJar } from '../../scripts/build-in-app.mjs';
import { root } from '../../scripts/setup.mjs';
import { decodeRecording } from '../../src/trace/build/decode.js';
import { SampleKind } from '../../src/trace/model/kinds.js';
import { mainJdk } from '../rigs/jvm/programs.js';

describe('a JVM program with the agent as its own library', () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'btrace-in-app-'));
  after(() => rmSync(folder, { recursive: true }));

  it('records itself, and says what cannot be done', async () => {
    assert.equal(await buildInApp(), undefined);
    const jdk = (tool: string) => path.join(mainJdk().home, 'bin', tool);
    const source = path.join(root, 'test/rigs/jvm/in-app/OwnRecording.java');
    execFileSync(jdk('javac'), ['-g', '-cp', inAppJar, '-d', folder, source]);
    const file = path.join(folder, 'own.btrace');
    const agent = path.join(root, 'build/native/host/libbtrace-agent.so');
    const [told, ...problems] = execFileSync(
      jdk('java'),
      ['-cp', `${inAppJar}${path.delimiter}${folder}`, 'OwnRecording', agent, file],
      { encoding: 'utf8' },
    )
      .trim()
      .split('\n');
    assert.deepEqual(problems, [
      'only a recording that keeps a ring can be dumped: startRing()',
      'the file could not be written: see that there is room',
    ]);
    const trace = decodeRecording(readFileSync(file)).trace();
    assert.deepEqual([trace.problems, trace.complete], [[], true]);
    const main = trace.threads.find(({ isMain }) => isMain)!;
    const { intervals, events } = main;
    let cpu = 0;
    for (let row = 0; row < intervals.count; row++) {
      let at = intervals.path[row]!;
      while (at > 0 && trace.methods.qualifiedName(trace.paths.method[at]!) !== 'OwnRecording.compute')
        at = trace.paths.parent[at]!;
      if (at > 0) cpu += intervals.cpu[row]!;
    }
    const truth = Number(told);
    assert.ok(cpu > truth * 0.75 && cpu < truth * 1.25, `${cpu} of ${truth} ns`);
    const markers = Array.from({ length: events.count }, (_, row) => row).filter(
      (row) => events.kind[row] === SampleKind.Marker,
    );
    assert.deepEqual(
      markers.map((row) => trace.text(events.text[row]!)),
      ['begin'],
      `lost: ${JSON.stringify(trace.losses)}`,
    );
  });
});
