/** Stacks that are known again without a walk are those that the thread was in (native-agent/rt/hotspot/stack_here.h). */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { HookState, SampleFlag, SampleKind, type Trace } from '../../src/trace/index.js';
import { JavaProgram, oneJdk } from '../rigs/jvm/programs.js';
import { decodeFile, Recordings, threadNamed } from './recordings.js';

/** However long they take. Of some of them the machine was busy between the program's clock and ours. */
const leastSleeps = 500;

/** What the program wrote down: for each place its stack below nap(), and when it slept in which. */
function readPlaces(file: string): { stacks: string[]; sleeps: { begin: number; place: number }[] } {
  const lines = readFileSync(file, 'utf8').split('\n');
  const wordsOf = (what: string) =>
    lines.filter((line) => line.startsWith(what)).map((line) => line.split(' '));
  return {
    stacks: wordsOf('place').map(([, , stack]) => stack!),
    sleeps: wordsOf('sleep').map(([, begin, place]) => ({ begin: Number(begin), place: Number(place) })),
  };
}

/** The frames below nap() down to go(), as the program writes them. */
function stackBelowNap({ nodes, paths, methods }: Trace, node: number): string {
  let text = '';
  let name = '';
  for (let at = node, below = false; at > 0 && name !== 'Places.go'; at = nodes!.parent[at]!) {
    const method = paths.method[nodes!.path[at]!]!;
    name = methods.qualifiedName(method);
    if (below)
      text += `${name.replace('.Cat', '$Cat').replace('.Dog', '$Dog')}:${methods.lineAt(method, nodes!.position[at]! - 1)}<`;
    below ||= name === 'Places.nap';
  }
  return text;
}

const ways: Record<string, { vmArgs: string[]; args: string[] }> = {
  interpreted: { vmArgs: ['-Xint'], args: [] },
  'compiled while it is recorded': { vmArgs: ['-Xbatch', '-XX:Tier3InvocationThreshold=100'], args: [] },
  'compiled before': { vmArgs: [], args: ['warm'] },
};

for (const jdk of oneJdk('oldest')) {
  describe(`places that look alike, JDK ${jdk.version}`, () => {
    for (const [way, { vmArgs, args }] of Object.entries(ways)) {
      it(`are told apart: ${way}`, async () => {
        const recordings = new Recordings();
        const quiet = ['-XX:+IgnoreUnrecognizedVMOptions', '-XX:+EnableDynamicAgentLoading'];
        const program = await JavaProgram.start('places', {
          jdk,
          vmArgs: [...quiet, ...vmArgs],
          args: [recordings.file('places.txt'), ...args],
        });
        try {
          const session = await recordings.start(program.pid);
          session.onStatus(({ costs }) => {
            const slept = costs.find(({ kind }) => kind === SampleKind.Sleep)?.count ?? 0;
            if (slept >= leastSleeps) void session.stop();
          });
          const trace = decodeFile((await session.ended).file);
          assert.equal(await program.end(), 0, program.output);
          const { stacks, sleeps } = readPlaces(recordings.file('places.txt'));
          assert.equal(new Set(stacks).size, 8);
          const { waits, intervals } = threadNamed(trace, 'sleeper');
          const origin = Number(trace.info.startMonotonicNs);
          /** The innermost moment of a wait is the wait's alone. */
          let interval = 0;
          const nodeWithin = (begin: number, end: number) => {
            while (intervals.end[interval]! < (begin + end) / 2) interval++;
            return intervals.node[interval]!;
          };
          let rows = 0;
          for (let row = 0; row < waits.count; row++) {
            if (waits.kind[row] !== SampleKind.Sleep || waits.flags[row]! & SampleFlag.OpenWait) continue;
            const begin = waits.begin[row]! + origin;
            const slept = sleeps.findLast((sleep) => sleep.begin <= begin);
            if (!slept || begin - slept.begin > 1e6) continue; // the machine was busy between the program's clock and ours
            rows++;
            assert.equal(
              stackBelowNap(trace, nodeWithin(waits.begin[row]!, waits.end[row]!)),
              stacks[slept.place],
              `sleep ${row}`,
            );
          }
          assert.ok(rows > 100, `${rows} sleeps`);
          const hook = trace.hooks.find(({ name }) => name === 'known stacks');
          assert.equal(hook?.state, HookState.Removed, hook?.why);
          const [, known = 0, walked = 0] = (/^(\d+) times .*, (\d+) walked$/.exec(hook.why) ?? []).map(
            Number,
          );
          // Nearly all of them; about half where the JVM throws code away and compiles anew all the time, as on a busy machine.
          assert.ok(known > rows / 4, `${known} known, ${walked} walked: ${hook.why}`);
        } finally {
          await program.kill();
          recordings.remove();
        }
      });
    }
  });
}
