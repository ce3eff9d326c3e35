/** Threads that native code creates: who created each, and where in Java, also of libraries that are loaded while the recording runs. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { root } from '../../scripts/setup.mjs';
import { SampleKind, type ThreadTrack, type Trace } from '../../src/trace/index.js';
import { oneJdk, JavaProgram, spawnLibrary } from '../rigs/jvm/programs.js';
import { decodeFile, Recordings, threadNamed } from './recordings.js';

/** Until then the library is loaded and the agent has looked for new libraries. */
const workNs = 2e9;
const least = 20;

const source = readFileSync(path.join(root, 'test/rigs/jvm/spawn/Spawn.java'), 'utf8').split('\n');
const spawningLine = source.findIndex((text) => text.trimEnd().endsWith('// spawns')) + 1;

/** Of each thread that this one created, by its index, the frame above the native method, as "METHOD LINE". */
function creations(trace: Trace, creator: ThreadTrack): Map<number, string> {
  const { events, intervals } = creator;
  const found = new Map<number, string>();
  for (let row = 0; row < events.count; row++) {
    if (events.kind[row] !== SampleKind.ThreadStart) continue;
    const time = events.time[row]!;
    const at = Array.from({ length: intervals.count }, (_, index) => index).find(
      (index) =>
        (intervals.begin[index] === time || intervals.end[index] === time) &&
        trace.nodes!.path[intervals.node[index]!] === events.path[row],
    );
    const node = at === undefined ? 0 : trace.nodes!.parent[intervals.node[at]!]!;
    const method = trace.paths.method[trace.nodes!.path[node]!]!;
    const line = trace.methods.lineAt(method, trace.nodes!.position[node]! - 1);
    found.set(events.peer[row]!, `${trace.methods.qualifiedName(method)} ${line}`);
  }
  return found;
}

const createdBy = (trace: Trace, creators: readonly number[]): ThreadTrack[] =>
  trace.threads.filter(({ creator }) => creators.includes(creator));

/**
 * A thread has its creator's name until it gives itself another, and may be over before it is asked again; one that was over before it
 * was asked at all has none.
 */
function assertNames(threads: readonly ThreadTrack[], ...names: readonly string[]): void {
  const named = threads.filter(({ name }) => name !== '');
  assert.ok(named.length >= least, `${named.length} of ${threads.length} threads have a name`);
  for (const { name } of named) assert.ok(names.includes(name), `${name} is none of ${names.join(', ')}`);
}

for (const jdk of oneJdk('newest')) {
  describe(`threads that native code creates, JDK ${jdk.version}`, () => {
    let trace: Trace;

    before(async () => {
      const recordings = new Recordings();
      const quiet = ['-XX:+EnableDynamicAgentLoading', '--enable-native-access=ALL-UNNAMED'];
      const vmArgs = parseInt(jdk.version) >= 21 ? quiet : [];
      const program = await JavaProgram.start('spawn', { jdk, vmArgs, args: [spawnLibrary()] });
      try {
        const session = await recordings.start(program.pid, { budgetPpm: 0 });
        program.child.stdin.write('\n');
        session.onStatus(({ processCpuNs }) => {
          if (processCpuNs > workNs) void session.stop();
        });
        trace = decodeFile((await session.ended).file);
        // The functions of the C library are its own again.
        assert.equal(await program.end(), 0);
        assert.match(program.output, /^spawned \d+$/m);
      } finally {
        await program.kill();
        recordings.remove();
      }
      assert.deepEqual(trace.problems, []);
    });

    it('have the Java thread that called it as their creator, with its stack', () => {
      const spawner = threadNamed(trace, 'spawner');
      const created = creations(trace, spawner);
      const outer = createdBy(trace, [spawner.index]);
      assert.ok(outer.length >= least, `${outer.length} threads have a creator`);
      assertNames(outer, 'outer', 'spawner');
      for (const { index } of outer) assert.equal(created.get(index), `Spawn.spawnAll ${spawningLine}`);
      // Each once; of the last one the creation alone may have been seen.
      assert.ok(created.size <= outer.length + 1, `${created.size} creations of ${outer.length} threads`);
    });

    it('have the native thread that created them', () => {
      const outer = createdBy(trace, [threadNamed(trace, 'spawner').index]).map(({ index }) => index);
      const inner = createdBy(trace, outer);
      assert.ok(inner.length >= least, `${inner.length} threads have a creator`);
      assertNames(inner, 'inner', 'outer', 'spawner');
      assert.equal(new Set(inner.map(({ creator }) => creator)).size, inner.length);
    });

    it('are listed once, also those of the JVM', () => {
      const tids = trace.threads.map(({ tid }) => tid);
      const main = threadNamed(trace, 'main');
      const spawner = threadNamed(trace, 'spawner');
      assert.equal(spawner.creator, main.index);
      assert.equal(tids.filter((tid) => tid === spawner.tid).length, 1);
      assert.equal(creations(trace, main).size, 1);
    });
  });
}
