/** HotSpot's rows of the storms: each JDK with each of its collectors, and each layout of memory now and then. */
import path from 'node:path';
import { collectors, knows, layouts } from '../jvm/collectors.js';
import { JavaProgram, jdks, neighbour, type Jdk } from '../jvm/programs.js';
import { chances, type Part, type Surrounding } from './storms.js';

/** The JVM itself warns of threads that wait long for a collection; what is printed shall be of us. */
const quiet = [
  '-XX:+IgnoreUnrecognizedVMOptions',
  '-XX:+EnableDynamicAgentLoading',
  '-Xlog:disable',
  '-Xlog:all=error',
];

/** Done by another agent of the rig, not by the program. */
const byNeighbour: readonly Part[] = ['profile', 'retransform'];

async function start(
  jdk: Jdk,
  collector: readonly string[],
  parts: readonly Part[],
  seed: number,
  folder: string,
): Promise<Awaited<ReturnType<Surrounding['start']>>> {
  const chance = chances(seed);
  const possible = Object.values(layouts).filter((layout) => knows(jdk, [...collector, ...layout]));
  const layout = possible[chance(possible.length)] ?? [];
  const ours = parts.filter((part) => byNeighbour.includes(part));
  const vmArgs = [
    // In less, Shenandoah falls behind on a busy machine until the program's own threads run out of memory.
    ...(chance(2) === 0 || collector.includes('-XX:+UseShenandoahGC') ? ['-Xmx400m'] : ['-Xmx200m']),
    ...quiet,
    ...collector,
    ...layout,
    `-XX:ErrorFile=${path.join(folder, 'hs_err_%p.log')}`,
    ...(ours.length > 0 ? [`-agentpath:${neighbour()}=${ours.join('+')}`] : []),
  ];
  const args = [String(seed), ...parts.filter((part) => !byNeighbour.includes(part))];
  const program = await JavaProgram.start('gale', { jdk, vmArgs, args });
  return {
    pid: program.pid,
    command: program.child.spawnargs.join(' '),
    end: () => program.end(),
    kill: () => program.kill(),
    output: () => program.output,
    complaints: () => program.output.replace(/^ready\n/, ''),
  };
}

export function jvmSurroundings(): Surrounding[] {
  return jdks().flatMap((jdk) =>
    Object.entries(collectors)
      .filter(([, way]) => knows(jdk, way))
      .map(([name, way]) => ({
        name: `JDK ${jdk.version}, ${name}`,
        start: (parts: readonly Part[], seed: number, folder: string) => start(jdk, way, parts, seed, folder),
      })),
  );
}
