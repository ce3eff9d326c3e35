/** Findings in a report: as lines for a person, and as JSON for programs. */
import type { Evidence, Finding } from '../../trace/findings/finding.js';
import { findingText } from '../../trace/findings/registry.js';
import type { Trace } from '../../trace/index.js';
import { l10n } from '../l10n.js';
import { plainText } from '../plain-text.js';
import type { Terminal } from '../terminal.js';
import type { Report } from './measure.js';
import { threadWord } from './words.js';

/** The report prints these with more detail: each wait of a deadlock, and unsampled CPU time in the line of trust. */
const printedElsewhere: ReadonlySet<string> = new Set(['deadlock', 'unsampledCpuTime']);

export function printFindings({ findings }: Report, terminal: Terminal): void {
  for (const finding of findings) {
    if (printedElsewhere.has(finding.id)) continue;
    const title = plainText(findingText(finding.title, l10n.findings));
    terminal.print(finding.severity === 'note' ? title : terminal.warn(title));
    terminal.print(`  ${plainText(findingText(finding.explanation, l10n.findings))}`);
    if (finding.nextStep) terminal.print(`  ${plainText(findingText(finding.nextStep, l10n.findings))}`);
  }
}

export function findingJson(trace: Trace, finding: Finding): unknown {
  const { id, severity, title, explanation, nextStep, shareOfTime, certainty, evidence } = finding;
  return {
    id,
    severity,
    title: findingText(title),
    explanation: findingText(explanation),
    ...(nextStep && { nextStep: findingText(nextStep) }),
    ...(shareOfTime !== undefined && { shareOfTime }),
    ...(certainty && { certainty }),
    evidence: evidence.map((one) => evidenceJson(trace, one)),
  };
}

/** Times count from the recording's begin. */
function evidenceJson(
  { beginNs: originNs, threads, methods }: Trace,
  { thread, beginNs, endNs, method, line }: Evidence,
): unknown {
  const track = threads.find(({ index }) => index === thread);
  return {
    ...(track && { thread: threadWord(track.name, track.tid), tid: track.tid }),
    ...(beginNs !== undefined && { beginNs: beginNs - originNs }),
    ...(endNs !== undefined && { endNs: endNs - originNs }),
    ...(method !== undefined && { method: methods.qualifiedName(method), file: methods.file(method) }),
    ...(line !== undefined && { line }),
  };
}
