/** --mapping: the R8 or ProGuard mapping of the program that was recorded. */
import { readFile } from 'node:fs/promises';
import { isOfBuild, recordedMapId } from '../symbols/r8/map-id.js';
import { RetraceMapping } from '../symbols/r8/retrace-mapping.js';
import { retraceTrace } from '../symbols/r8/retrace-trace.js';
import type { Trace } from '../trace/index.js';
import type { Option } from './command-line.js';
import { CliError, ExitCode } from './exit-codes.js';
import { fileError } from './open-trace.js';
import { plainText } from './plain-text.js';
import { l10n } from './l10n.js';

export const mappingOption: Option = {
  name: 'mapping',
  value: 'FILE',
  help: "names as written, by the program's R8 or ProGuard mapping",
};

/** The trace as it is where no mapping was given. */
export async function retraced(
  trace: Trace,
  file: string | undefined,
  warn: (text: string) => void,
): Promise<Trace> {
  if (file === undefined) return trace;
  let text: string;
  try {
    text = await readFile(file, 'utf8');
  } catch (error) {
    throw fileError(file, 'read', error);
  }
  const mapping = new RetraceMapping(text);
  if (mapping.classCount === 0) {
    throw new CliError(
      ExitCode.File,
      `${file} is no mapping: it names no class.`,
      'Give the mapping.txt of the build that was recorded.',
    );
  }
  const build = recordedMapId(trace.methods);
  if (isOfBuild(text, build) === false) {
    throw new CliError(
      ExitCode.File,
      `${file} is not of the build that was recorded: names by it would be wrong.`,
      `Give the mapping.txt whose pg_map_id is ${plainText(build)}.`,
    );
  }
  if (mapping.newerVersion !== '')
    warn(
      l10n.t(
        '{0} has version {1}, which is not known here yet: some names and lines may be as they were recorded.',
        file,
        mapping.newerVersion,
      ),
    );
  return retraceTrace(trace, mapping);
}
