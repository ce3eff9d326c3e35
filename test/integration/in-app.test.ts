/** The library that a program has in itself, as the package holds it, on a JVM. */
import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { buildInApp, inAppJar } from '../../scripts/build-in-app.mjs';
import { root } from '../../scripts/setup.mjs';
import { decodeRecording } from '../../src/trace/assemble/decode.js';
import { tellingPath } from '../../src/trace/assemble/own-counters.js';
import { SampleKind } from '../../src/trace/model/kinds.js';
import { stackOf } from '../rigs/stacks.js';
import { mainJdk } from '../rigs/jvm/programs.js';
import { until } from '../rigs/until.js';

describe('a JVM program with the agent as its own library', () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'btrace-in-app-'));
  const jdk = (tool: string) => path.join(mainJdk().home, 'bin', tool);
  const agent = path.join(root, 'build/native/host/libbtrace-agent.so');
  const classPath = ['-cp', `${inAppJar}${path.delimiter}${folder}`];
  after(() => rmSync(folder, { recursive: true }));

  before(async () => {
    assert.equal(await buildInApp(), undefined);
    const sources = ['OwnRecording', 'RingUntilKilled'].map((name) =>
      path.join(root, `test/rigs/jvm/in-app/${name}.java`),
    );
    execFileSync(jdk('javac'), ['-g', '-cp', inAppJar, '-d', folder, ...sources]);
  });

  it('leaves what its ring held when it is killed, with names', async () => {
    const file = path.join(folder, 'ring.btrace');
    const child = spawn(jdk('java'), [...classPath, 'RingUntilKilled', agent, file], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const exit = once(child, 'exit');
    const [told] = (await once(createInterface(child.stdout), 'line')) as [string];
    // The drain comes every 300 ms, on a busy machine later. The first time it may have begun before that line.
    for (let drains = 0; drains < 2; drains++) {
      const { mtimeMs } = statSync(file);
      await until('the ring is drained', () => statSync(file).mtimeMs !== mtimeMs);
    }
    child.kill('SIGKILL');
    assert.deepEqual(await exit, [null, 'SIGKILL']);
    assert.equal(statSync(file).mode & 0o777, 0o600);
    const trace = decodeRecording(readFileSync(file)).trace();
    assert.deepEqual([trace.problems, trace.complete], [[], false]);
    const { intervals } = trace.threads.find(({ isMain }) => isMain)!;
    const seen = new Map([
      ['RingUntilKilled.odd', 0],
      ['RingUntilKilled.even', 0],
    ]);
    for (let row = 0; row < intervals.count; row++) {
      for (let at = intervals.path[row]!; at > 0; at = trace.paths.parent[at]!) {
        const name = trace.methods.qualifiedName(trace.paths.method[at]!);
        if (seen.has(name)) seen.set(name, seen.get(name)! + intervals.end[row]! - intervals.begin[row]!);
      }
    }
    const lastNs = Math.max(...intervals.end.subarray(0, intervals.count));
    const lostNs = Number(BigInt(told) - trace.info.startMonotonicNs) - lastNs;
    assert.ok(lostNs < 0, `the last ${lostNs} ns before the drain are missing`);
    // Each works for 20 ms at a time; a busy machine leaves gaps between their samples.
    for (const [name, ns] of seen) assert.ok(ns > 20e6, `${name}: ${ns} ns`);
  });

  it('records itself, whole and in a ring, and says what cannot be done', () => {
    const file = path.join(folder, 'own.btrace');
    const java = [jdk('java'), ...classPath, 'OwnRecording', agent, file];
    const limited = ['-c', 'ulimit -f 6000; exec "$@"', 'bash', ...java];
    const [told, toldOfRing, ...problems] = execFileSync('bash', limited, { encoding: 'utf8' })
      .trim()
      .split('\n');
    assert.deepEqual(problems, [
      'only a recording that keeps a ring can be dumped: startRing()',
      'the file could not be made',
      'the file could not be written: see that there is room',
    ]);
    for (const [name, truth] of [
      [file, Number(told)],
      [`${file}.ring`, Number(toldOfRing)],
      [`${file}.dump`, Number(toldOfRing)],
    ] as const) {
      const trace = decodeRecording(readFileSync(name)).trace();
      assert.deepEqual([trace.problems, trace.complete], [[], true], name);
      // The ring is no part of it any more.
      assert.ok(statSync(name).size < 2 ** 20, `${name}: ${statSync(name).size} bytes`);
      const { intervals, events } = trace.threads.find(({ isMain }) => isMain)!;
      let cpu = 0;
      for (let row = 0; row < intervals.count; row++) {
        let at = intervals.path[row]!;
        while (at > 0 && trace.methods.qualifiedName(trace.paths.method[at]!) !== 'OwnRecording.compute')
          at = trace.paths.parent[at]!;
        if (at > 0) cpu += intervals.cpu[row]!;
      }
      assert.ok(cpu > truth * 0.75 && cpu < truth * 1.25, `${name}: ${cpu} of ${truth} ns`);
      const markers = Array.from({ length: events.count }, (_, row) => row).filter(
        (row) => events.kind[row] === SampleKind.Marker && events.object[row] === 0,
      );
      assert.deepEqual(
        trace.counters
          .filter(({ unit }) => unit === '')
          .map((counter) => [counter.name, [...counter.value.subarray(0, counter.count)]]),
        name === file ? [['orders', [3, 0, 2 ** 53 - 2]]] : [],
      );
      const told = Array.from({ length: events.count }, (_, row) => row).filter(
        (row) => events.object[row]! > 0 && trace.text(events.text[row]!) === 'orders',
      );
      for (const row of told)
        assert.match(stackOf(trace, tellingPath(trace, events.path[row]!)), /^OwnRecording\.addOrder/);
      assert.deepEqual(
        markers.map((row) => trace.text(events.text[row]!)),
        name === file ? ['begin'] : [],
        `lost: ${JSON.stringify(trace.losses)}`,
      );
    }
    assert.ok(!existsSync(`${file}.ring.part`));
  });
});
