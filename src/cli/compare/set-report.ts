/** A comparison of two sets of runs, for people and for machines. The same comparison gives the same bytes. */
import type { RunProblem, RunSets, UndecidedCall } from '../../trace/compare/run-sets.js';
import { formatNs } from '../../trace/measure/quantities.js';
import type { Exemption } from './exempt.js';
import type { Owned } from './owners.js';

export interface JudgedProblem {
  readonly problem: RunProblem;
  readonly owned: Owned;
  readonly exempt: Exemption | undefined;
  /** It was exempt until then. */
  readonly isOver: Exemption | undefined;
}

export interface SetReport {
  readonly sets: RunSets;
  readonly judged: readonly JudgedProblem[];
  /** What fails: not exempt. */
  readonly failed: readonly JudgedProblem[];
}

const kinds = { wall: 'takes longer', cpu: 'uses more CPU time', new: 'is new' } as const;

export const nameOf = ({ chain }: RunProblem): string => chain.at(-1) ?? '';

/** With the numbers that one of the runs gave: an exemption may have them, or * for them. */
export function nameInRun({ places }: RunProblem): string {
  const { className = '', method = '' } = places.at(-1) ?? {};
  return className === '' ? method : `${className}.${method}`;
}

function difference(problem: RunProblem): string {
  const { kind, before, after, noise, isMain } = problem;
  const much =
    kind === 'new'
      ? `with ${formatNs(after)}`
      : `by ${formatNs(after - before)} ± ${formatNs(noise)} (${formatNs(before)} → ${formatNs(after)})`;
  return `${nameOf(problem)} ${kinds[kind]} ${much} on ${isMain ? 'the main thread' : 'other threads'}`;
}

/** In words that promise nothing: so few runs may differ so by chance. */
export const undecidedSentence = (call: UndecidedCall): string =>
  `${difference(call)}, unless by chance: about ${call.runsToTell} runs a set would tell`;

export function sentence({ problem, owned, exempt, isOver }: JudgedProblem): string {
  const { renamedFrom } = problem;
  return [
    difference(problem),
    renamedFrom === undefined ? '' : `, renamed from ${renamedFrom}`,
    owned.owner === '' ? '' : `, of ${owned.owner}`,
    exempt === undefined ? '' : `; exempt${exempt.reason === '' ? '' : `: ${exempt.reason}`}`,
    isOver === undefined ? '' : `; its exemption ended ${isOver.until}`,
  ].join('');
}

export function summary({ sets, failed, judged }: SetReport): string {
  const [before, after] = sets.runs;
  const exempt = judged.length - failed.length;
  const undecided = sets.undecided.length;
  const found =
    failed.length === 0
      ? undecided > 0
        ? 'Nothing is worse for certain'
        : 'Nothing is worse'
      : failed.length === 1
        ? '1 problem'
        : `${failed.length} problems`;
  return `${found}: ${before} runs before, ${after} after, ${sets.compared} calls compared${undecided > 0 ? `, ${undecided} undecided` : ''}${exempt > 0 ? `, ${exempt} exempt` : ''}.`;
}

export function textReport(report: SetReport): string[] {
  const { judged, sets } = report;
  return [
    summary(report),
    ...judged.flatMap((one) => [
      '',
      sentence(one),
      ...one.problem.chain.map((name, at) => `${'  '.repeat(Math.min(at, 20) + 1)}${name}`),
    ]),
    ...(sets.undecided.length > 0 ? ['', 'Undecided:'] : []),
    ...sets.undecided.map((one) => `  ${undecidedSentence(one)}`),
    ...(sets.renames.length > 0 ? ['', 'Taken for renamed:'] : []),
    ...sets.renames.map(({ before, after }) => `  ${before} → ${after}`),
  ];
}

export function jsonReport({ sets, judged, failed }: SetReport): unknown {
  return {
    runs: { before: sets.runs[0], after: sets.runs[1] },
    compared: sets.compared,
    renames: sets.renames,
    problems: judged.map(({ problem, owned, exempt, isOver }) => ({
      ...problem,
      owner: owned.owner,
      ownerFile: owned.file,
      line: owned.line,
      ...(exempt && { exempt: { reason: exempt.reason, until: exempt.until } }),
      ...(isOver && { exemptionEnded: isOver.until }),
    })),
    undecided: sets.undecided,
    failed: failed.length,
  };
}

const marked = (text: string): string => text.replace(/[\\`*_{}[\]<>()#+!|-]/g, '\\$&');

export function markdownReport(report: SetReport): string {
  const { sets } = report;
  const rows = report.judged.map(
    ({ problem, owned, exempt }) =>
      `| ${marked(nameOf(problem))} | ${problem.isMain ? 'main' : 'others'} | ${kinds[problem.kind]} | ${formatNs(problem.before)} | ${formatNs(problem.after)} | ±${formatNs(problem.noise)} | ${marked(owned.owner)} | ${exempt ? marked(exempt.reason || 'exempt') : ''} |`,
  );
  return [
    `**${summary(report)}**`,
    '',
    ...(rows.length > 0
      ? [
          '| call | thread | | before | after | noise | owner | exempt |',
          '|---|---|---|--:|--:|--:|---|---|',
          ...rows,
          '',
        ]
      : []),
    ...(sets.undecided.length > 0 ? ['Undecided:', ''] : []),
    ...sets.undecided.map((one) => `- ${marked(undecidedSentence(one))}`),
  ].join('\n');
}

export const escaped = (text: string): string => text.replace(/[&<>"']/g, (one) => `&#${one.charCodeAt(0)};`);

export function htmlReport(report: SetReport): string {
  const { judged, sets } = report;
  const problems = judged.map((one) => {
    const { problem } = one;
    const chain = problem.chain.map((name) => `<li>${escaped(name)}</li>`).join('');
    return `<section class="${one.exempt ? 'exempt' : 'fails'}"><h2>${escaped(nameOf(problem))}</h2><p>${escaped(sentence(one))}.</p><details><summary>Calls</summary><ol>${chain}</ol></details></section>`;
  });
  const renames = sets.renames.map(({ before, after }) => `<li>${escaped(before)} → ${escaped(after)}</li>`);
  const undecided = sets.undecided.map((one) => `<li>${escaped(undecidedSentence(one))}.</li>`);
  return `<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><title>BTrace: two sets of runs</title>
<style>body{font-family:sans-serif;max-width:60em;margin:2em auto;padding:0 1em}section{border-left:4px solid #b00;padding:0 1em;margin:1em 0}.exempt{border-color:#888}h2{font-size:1.1em;overflow-wrap:anywhere}li{overflow-wrap:anywhere}</style></head>
<body><h1>${escaped(summary(report))}</h1>
${problems.join('\n')}
${undecided.length > 0 ? `<h2>Undecided</h2><ul>${undecided.join('')}</ul>` : ''}
${renames.length > 0 ? `<h2>Taken for renamed</h2><ul>${renames.join('')}</ul>` : ''}
</body></html>
`;
}

/** Without control characters, which XML cannot hold. */
const xml = (text: string): string => escaped(text.replace(/[\p{Cc}\ufffe\uffff]/gu, '\ufffd'));

export function junitReport({ judged, failed }: SetReport): string {
  const cases = judged.map((one) => {
    const inner = one.exempt
      ? `<skipped message="${xml(sentence(one))}"/>`
      : `<failure message="${xml(sentence(one))}">${xml(one.problem.chain.join('\n'))}</failure>`;
    return `  <testcase classname="${one.problem.isMain ? 'main' : 'others'}" name="${xml(nameOf(one.problem))} ${one.problem.kind}">${inner}</testcase>`;
  });
  const all = cases.length > 0 ? cases : ['  <testcase classname="btrace" name="nothing is worse"/>'];
  return `<?xml version="1.0" encoding="UTF-8"?>
<testsuite name="btrace compare" tests="${all.length}" failures="${failed.length}" skipped="${judged.length - failed.length}">
${all.join('\n')}
</testsuite>
`;
}

export function sarifReport({ judged }: SetReport, version: string): string {
  const results = judged.map((one) => ({
    ruleId: one.problem.kind,
    level: one.exempt ? 'note' : 'error',
    message: { text: sentence(one) },
    ...(one.owned.file !== '' && {
      locations: [
        {
          physicalLocation: {
            artifactLocation: { uri: encodeURI(one.owned.file) },
            region: { startLine: Math.max(one.owned.line, 1) },
          },
        },
      ],
    }),
    ...(one.exempt && { suppressions: [{ kind: 'external', justification: one.exempt.reason }] }),
  }));
  const rules = Object.entries(kinds).map(([id, text]) => ({
    id,
    shortDescription: { text: `A call ${text}.` },
  }));
  const log = {
    $schema: 'https://json.schemastore.org/sarif-2.1.0.json',
    version: '2.1.0',
    runs: [{ tool: { driver: { name: 'btrace', version, rules } }, results }],
  };
  return `${JSON.stringify(log, null, 2)}\n`;
}
