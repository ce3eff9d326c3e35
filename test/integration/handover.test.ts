/**
 * Who released a monitor, and where: of planted hand-overs of a lock, by leaving a synchronized block and by Object.wait,
 * each of a millisecond and more, interpreted and compiled.
 */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { root } from '../../scripts/setup.mjs';
import { LinkCertainty, SampleKind, type Trace } from '../../src/trace/index.js';
import { JavaProgram, jdks } from '../rigs/jvm/programs.js';
import { decodeFile, Recordings, threadNamed } from './recordings.js';

const wantedWaits = 100;
const rightShare = 95 / 100;
/** The program does little but wait: at the usual budget, a part of its CPU time, not each wait of 2 ms has a stack. */
const plentyPpm = 200_000;

/**
 * First and last line where `hold` may be seen as it lets go: those of the block in which it has the lock, and the
 * next one, where it returns. C1 gives the way out of a lock no line of its own, and that is the next one that the JVM
 * knows in what was compiled before the agent came.
 */
function releaseLines(): [number, number] {
  const source = readFileSync(path.join(root, 'test/rigs/jvm/handover/Handover.java'), 'utf8').split('\n');
  const line = (mark: string): number => source.findIndex((text) => text.trimEnd().endsWith(mark)) + 1;
  return [line('// begins'), line('// ends') + 1];
}

/** The sample of a release by that thread, as "METHOD LINE"; "" where there is none at that time. */
function releasedAt(trace: Trace, waker: number, time: number): string {
  const thread = trace.threads.find(({ index }) => index === waker);
  if (!thread || !trace.nodes) return '';
  const { events, intervals } = thread;
  const event = indexWhere(
    events.count,
    (row) => events.kind[row] === SampleKind.MonitorRelease && events.time[row] === time,
  );
  const path = event < 0 ? 0 : events.path[event]!;
  const interval = indexWhere(
    intervals.count,
    (row) =>
      (intervals.begin[row] === time || intervals.end[row] === time) &&
      trace.nodes!.path[intervals.node[row]!] === path,
  );
  if (path === 0 || interval < 0) return path === 0 ? '' : 'no-node';
  const method = trace.paths.method[path]!;
  const position = trace.nodes.position[intervals.node[interval]!]! - 1;
  return `${trace.methods.qualifiedName(method)} ${trace.methods.lineAt(method, position)}`;
}

function indexWhere(count: number, holds: (row: number) => boolean): number {
  for (let row = 0; row < count; row++) if (holds(row)) return row;
  return -1;
}

const ways = [
  { way: 'compiled', vmArgs: [] },
  { way: 'compiled by C1', vmArgs: ['-XX:TieredStopAtLevel=1'] },
  { way: 'interpreted', vmArgs: ['-Xint'] },
];

for (const jdk of jdks()) {
  for (const { way, vmArgs } of ways) {
    describe(`a lock that is handed on, ${way}, JDK ${jdk.version}`, () => {
      const recordings = new Recordings();
      let program: JavaProgram;
      before(async () => {
        const quiet = ['-XX:+IgnoreUnrecognizedVMOptions', '-XX:+EnableDynamicAgentLoading'];
        program = await JavaProgram.start('handover', { jdk, vmArgs: [...quiet, ...vmArgs] });
      });
      after(async () => {
        await program.kill();
        recordings.remove();
      });

      it('names the thread that released it last, with its stack at the release', async () => {
        const session = await recordings.start(program.pid, { budgetPpm: plentyPpm });
        const begun = [...program.output.matchAll(/round (\d+)/g)].length;
        await program.says(new RegExp(`^round ${begun + wantedWaits + 15}\\.$`, 'm'));
        await session.stop();
        const trace = decodeFile((await session.ended).file);
        await program.end();

        const origin = Number(trace.info.startMonotonicNs);
        const { waits: lastWaits } = threadNamed(trace, 'last');
        const [first, end] = releaseLines();
        const wrong: string[] = [];
        let waits = 0,
          givenUp = 0;
        for (const [, begin, until, by, how] of program.output.matchAll(/^wait (\d+) (\d+) (\w+) (\w+)$/gm)) {
          const from = Number(begin) - origin,
            to = Number(until) - origin;
          const row = Array.from({ length: lastWaits.count }, (_, at) => at).find(
            (at) =>
              lastWaits.kind[at] === SampleKind.Monitor &&
              lastWaits.begin[at]! >= from &&
              lastWaits.end[at]! <= to,
          );
          if (row === undefined) continue;
          waits++;
          if (how === 'giveUp') givenUp++;
          const link = lastWaits.link[row]!;
          const named = trace.threads.find(
            ({ index }) => link >= 0 && index === trace.links.waker[link],
          )?.name;
          const certainty = link >= 0 ? trace.links.certainty[link] : -1;
          const at =
            link >= 0 ? releasedAt(trace, trace.links.waker[link]!, trace.links.wakerTime[link]!) : '';
          const [method, line] = at.split(' ');
          const right =
            named === by &&
            certainty === LinkCertainty.Observed &&
            (how === 'giveUp'
              ? /^java\.lang\.Object\.wait/.test(method!)
              : method === 'Handover.hold' && Number(line) >= first && Number(line) <= end);
          if (!right) wrong.push(`${by} by ${how}: ${named ?? 'nobody'} (${String(certainty)}) at ${at}`);
        }
        assert.ok(waits >= wantedWaits, `${waits} waits`);
        assert.ok(givenUp >= waits / 3, `${givenUp} of ${waits} after an Object.wait`);
        assert.ok(
          wrong.length <= waits * (1 - rightShare),
          `${wrong.length} of ${waits}:\n${wrong.join('\n')}`,
        );
      });
    });
  }
}
