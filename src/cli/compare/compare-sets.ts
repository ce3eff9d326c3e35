/** `btrace compare --base … --new …`: opens the runs of both sets, compares, judges and writes the reports. */
import { readdir, readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import { compareRuns, fewestRuns, publishedRules } from '../../trace/compare/run-sets.js';
import type { Trace } from '../../trace/index.js';
import type { Input, Option } from '../command-line.js';
import { ExitCode, UsageError } from '../exit-codes.js';
import { retraced } from '../retrace-mapping.js';
import { fillFile } from '../new-file.js';
import { fileError, openWithProgress } from '../open-trace.js';
import { packageVersion } from '../package.js';
import { l10n } from '../l10n.js';
import { plainText } from '../plain-text.js';
import { parseDuration, parseSize } from '../quantities.js';
import type { Terminal } from '../terminal.js';
import { exemptionOf, parseExemptions } from './exempt.js';
import { Owners } from './owners.js';
import {
  htmlReport,
  jsonReport,
  junitReport,
  type JudgedProblem,
  markdownReport,
  nameInRun,
  sarifReport,
  type SetReport,
  textReport,
} from './set-report.js';

export const setOptions: readonly Option[] = [
  {
    name: 'base',
    value: 'FILE…',
    many: true,
    help: 'sets of runs: those before, files or folders; at least 3',
  },
  { name: 'new', value: 'FILE…', many: true, help: 'those after' },
  { name: 'more', value: 'TIME', help: 'a call that takes so much longer is a problem (default: 10ms)' },
  { name: 'new-calls', value: 'TIME', help: 'a new call that takes so much is one (default: 5ms)' },
  { name: 'owners', value: 'FILE', help: "CODEOWNERS (default: the repository's)" },
  { name: 'packages', value: 'FILE', help: 'owners by package: "com.example.shop @team" a line' },
  { name: 'html', value: 'FILE', help: 'write the report as a page' },
  { name: 'markdown', value: 'FILE', help: 'write it for a pull request' },
  { name: 'junit', value: 'FILE', help: 'write it for CI, as tests' },
  { name: 'sarif', value: 'FILE', help: 'write it for code scanning' },
];

export async function filesOf(words: readonly string[], option: string): Promise<string[]> {
  const files: string[] = [];
  for (const word of words) {
    try {
      if ((await stat(word)).isDirectory()) {
        const names = (await readdir(word)).filter((name) => name.endsWith('.btrace')).sort();
        files.push(...names.map((name) => path.join(word, name)));
      } else files.push(word);
    } catch (error) {
      throw fileError(word, 'read', error);
    }
  }
  if (files.length < fewestRuns)
    throw new UsageError(
      `--${option} takes ${fewestRuns} runs or more, to tell how much runs differ; not ${files.length}.`,
    );
  return files;
}

async function textOf(file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    throw fileError(file, 'read', error);
  }
}

/** Reports are written over: a pipeline makes them in each run. */
async function write(file: string | undefined, text: () => string): Promise<void> {
  if (file !== undefined) await fillFile(file, (sink) => sink.write(Buffer.from(text())));
}

export async function openedRuns(
  files: readonly string[],
  mapping: string,
  input: Input,
  terminal: Terminal,
): Promise<Trace[]> {
  const memory = input.read('memory', parseSize);
  const traces: Trace[] = [];
  for (const file of files)
    traces.push(
      await retraced(await openWithProgress(file, terminal, memory), input.text(mapping), (text) =>
        terminal.note(text),
      ),
    );
  return traces;
}

export async function compareSets(input: Input, terminal: Terminal): Promise<number> {
  const [base, now] = [await filesOf(input.all('base'), 'base'), await filesOf(input.all('new'), 'new')];
  const before = await openedRuns(base, 'mapping-before', input, terminal);
  const report = await judgedSets(before, await openedRuns(now, 'mapping', input, terminal), input, terminal);
  if (input.has('json')) terminal.print(JSON.stringify(jsonReport(report), null, 2));
  else for (const line of textReport(report)) terminal.print(plainText(line));
  return report.failed.length > 0 ? ExitCode.Slower : ExitCode.Done;
}

/** Compares two sets of runs by the rules, exemptions and owners of the options, and writes the reports that they name. */
export async function judgedSets(
  before: readonly Trace[],
  after: readonly Trace[],
  input: Input,
  terminal: Terminal,
): Promise<SetReport> {
  const exempt = input.text('exempt');
  const exemptions = exempt === undefined ? [] : parseExemptions(await textOf(exempt));
  terminal.progress(l10n.t('Comparing'));
  const sets = compareRuns(before, after, {
    moreNs: input.read('more', parseDuration) ?? publishedRules.moreNs,
    newNs: input.read('new-calls', parseDuration) ?? publishedRules.newNs,
  });
  terminal.endProgress();
  const owners = await Owners.read(process.cwd(), input.text('owners'), input.text('packages')).catch(
    (error: unknown) => {
      throw fileError(input.text('owners') ?? input.text('packages') ?? '', 'read', error);
    },
  );
  const today = new Date().toISOString().slice(0, 'YYYY-MM-DD'.length);
  const judged: JudgedProblem[] = [];
  for (const problem of sets.problems) {
    const { holds, isOver } = exemptionOf(exemptions, nameInRun(problem), today);
    judged.push({ problem, owned: await owners.of(problem.places), exempt: holds, isOver });
  }
  const undecided = sets.undecided.filter(
    (one) => exemptionOf(exemptions, nameInRun(one), today).holds === undefined,
  );
  const failed = judged.filter((one) => one.exempt === undefined);
  const report: SetReport = { sets: { ...sets, undecided }, judged, failed };
  await write(input.text('html'), () => htmlReport(report));
  await write(input.text('markdown'), () => markdownReport(report));
  await write(input.text('junit'), () => junitReport(report));
  await write(input.text('sarif'), () => sarifReport(report, packageVersion()));
  return report;
}
