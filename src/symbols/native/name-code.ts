/** Names for the code of traces that hold addresses alone, from the files of this machine. */
import type { CodeName, NamedCode, UnnamedCode } from '../../trace/index.js';
import { demangled } from './demangle/demangle.js';
import { ownPerfMap, PerfMap } from './perf-map.js';
import { type NativeFrame, Symbolizer } from './symbolizer.js';

/**
 * Names what can be named. A file is read only where its build id is the one that the trace tells: a trace may come from
 * another machine, and programs are built anew. Never throws for what files hold.
 */
export async function nameCode(unnamed: readonly UnnamedCode[]): Promise<void> {
  let isOfThisMachine = false;
  for (const code of unnamed.filter(({ path }) => path !== '')) {
    const frames = await framesInFile(code);
    isOfThisMachine ||= frames.some((one) => one.length > 0);
    code.name(frames);
  }
  // Elsewhere another program had the number of the process.
  if (isOfThisMachine)
    for (const code of unnamed.filter(({ path }) => path === '')) code.name(await framesMadeAtRunTime(code));
}

const plain = (frames: readonly CodeName[]): CodeName[] =>
  frames.map(({ name, file, line }) => ({ name, file, line }));

/** The same names, for a reader that cannot look them up itself. */
export async function namesOf(unnamed: readonly UnnamedCode[]): Promise<NamedCode[]> {
  const named: NamedCode[] = [];
  await nameCode(
    unnamed.map((code) => ({
      ...code,
      name: (frames) => {
        const { path, buildId, pid, offsets } = code;
        named.push({
          path,
          buildId: Buffer.from(buildId).toString('hex'),
          pid,
          offsets,
          frames: frames.map(plain),
        });
      },
    })),
  );
  return named;
}

async function framesMadeAtRunTime({ pid, offsets }: UnnamedCode): Promise<NativeFrame[][]> {
  const found = await new PerfMap(ownPerfMap(pid)).find(offsets);
  return offsets.map((_, row) => {
    const one = found[row];
    return one === undefined ? [] : [{ ...one, isInlined: false }];
  });
}

async function framesInFile({ path, buildId, offsets }: UnnamedCode): Promise<NativeFrame[][]> {
  if (buildId.length === 0 || !path.startsWith('/')) return [];
  const symbols = await Symbolizer.open({ path, buildId }, '');
  try {
    const found = symbols.frames(symbols.addressesOf(offsets));
    return found.map((frames) => frames.map((frame) => ({ ...frame, name: demangled(frame.name) })));
  } finally {
    symbols.close();
  }
}
