/** A recording on the command line from its begin to its end: progress, Ctrl-C, dumps, and the line that says how it went. */
import type { Session, SessionEnd, SessionStatus } from '../../targets/target.js';
import { recordingCost } from '../../trace/measure/recording-cost.js';
import { onEndSignal, mostPatienceMs } from '../end-signals.js';
import { CliError, ExitCode } from '../exit-codes.js';
import { boundByTick } from '../../trace/measure/trust.js';
import { formatBytes, formatCount, formatNs, formatShare } from '../../trace/measure/quantities.js';
import { plainText } from '../plain-text.js';
import type { Terminal } from '../terminal.js';
import type { Begin, Begun } from './begin.js';
import { makingRoom, type RecordRequest } from './request.js';
import { dumpWhenFileAppears, DumpService } from './ring.js';
import { errorWords, l10n } from '../l10n.js';

export interface Follow {
  readonly quiet: boolean;
  readonly json: boolean;
  readonly dumpWhen: string | undefined;
  readonly request: RecordRequest;
}

export const exitCodes: Record<SessionEnd['reason'], number> = {
  stopped: ExitCode.Done,
  'target-exited': ExitCode.Done,
  limit: ExitCode.Done,
  cancelled: ExitCode.Done,
  fault: ExitCode.CutShort,
  'connection-lost': ExitCode.CutShort,
  'disk-full': ExitCode.CutShort,
};

/** Share of the program's CPU time that capturing and sending took, in percent. */
function costOf(status: SessionStatus): string {
  const cost = recordingCost(status, 0);
  return cost === undefined ? '' : l10n.t('{0} cost', formatShare(cost.ofCpu));
}

const silenceOf = ({ external }: SessionStatus): string =>
  external === undefined
    ? l10n.t('does not answer, it may be stopped or very busy')
    : l10n.t('the device is away, connect it again');

function progressOf(session: Session, status: SessionStatus): string {
  return [
    `${plainText(session.target.name)} (${session.target.pid})`,
    `${(status.elapsedMs / 1000).toFixed(0)} s`,
    ...(status.external === undefined
      ? [l10n.t('{0} samples', formatCount(status.samples)), formatBytes(status.fileBytes)]
      : [l10n.t('samples come at the end')]),
    ...(status.dropped > 0 ? [l10n.t('{0} dropped', formatCount(status.dropped))] : []),
    costOf(status),
    status.isSilent ? silenceOf(status) : '',
  ]
    .filter((part) => part !== '')
    .join(' · ');
}

export async function begun(begin: Begin): Promise<Begun> {
  const interrupted = new AbortController();
  const off = onEndSignal(
    () =>
      interrupted.abort(
        new CliError(ExitCode.Interrupted, 'Interrupted before the recording began: nothing was written.'),
      ),
    mostPatienceMs,
  );
  try {
    return await begin(interrupted.signal);
  } finally {
    off();
  }
}

/** A second Ctrl-C ends this process at once, and the file is valid as it is. Returns how to stop listening. */
export function stopAtSignal({ session, launched }: Begun, terminal: Terminal): () => void {
  return onEndSignal((signal) => {
    terminal.note(
      launched
        ? l10n.t('{0} runs on; ending the recording …', plainText(session.target.name))
        : l10n.t('ending the recording …'),
    );
    if (signal !== 'SIGINT') launched?.kill(signal);
    void session.stop();
  });
}

export async function follow(begin: Begin, options: Follow, terminal: Terminal): Promise<number> {
  const { session, launched } = await makingRoom(options.request, () => begun(begin));
  const { ringNs } = options.request;
  const dumps =
    ringNs === undefined
      ? undefined
      : await DumpService.open(session).catch((error: unknown) => {
          terminal.note(l10n.t('btrace dump will not find this recording: {0}', String(error)));
          return undefined;
        });
  const unwatch =
    options.dumpWhen === undefined
      ? undefined
      : dumpWhenFileAppears(options.dumpWhen, session, (line) => terminal.note(line));
  const off = stopAtSignal({ session, ...(launched && { launched }) }, terminal);
  if (!options.quiet) {
    const { external } = session.status();
    const how = external === undefined ? '' : l10n.t(' externally, by Android: {0}', plainText(external));
    terminal.note(
      l10n.t(
        'Recording {0} (process {1}){2}. Ctrl-C ends it.',
        plainText(session.target.name),
        session.target.pid,
        how,
      ),
    );
    let isTickTold = false;
    session.onStatus((status) => {
      const bound = isTickTold ? undefined : boundByTick(status);
      if (bound) {
        isTickTold = true;
        const { askedNs, tickNs } = bound;
        terminal.note(
          l10n.t(
            'The kernel’s clock ticks every {0}: by CPU time threads are sampled so often, not every {1}.',
            formatNs(tickNs),
            formatNs(askedNs),
          ),
        );
      }
      terminal.progress(progressOf(session, status));
    });
  }
  const end = await session.ended;
  off();
  unwatch?.();
  await dumps?.close();
  terminal.endProgress();
  if (launched !== undefined) terminal.freshLine();
  say(session, end, options, terminal);
  const code = exitCodes[end.reason];
  const exit = await launched?.exit;
  return code === ExitCode.Done ? (exit ?? code) : code;
}

function say(session: Session, end: SessionEnd, options: Follow, terminal: Terminal): void {
  const status = session.status();
  if (options.json) {
    const { name, pid, runtime } = session.target;
    const { samples, dropped, elapsedMs, external } = status;
    // How many samples Android took is in the file alone.
    const taken = external === undefined ? { samples, dropped } : { external };
    terminal.print(JSON.stringify({ ...end, target: { name, pid, runtime }, ...taken, elapsedMs }, null, 2));
    return;
  }
  if (end.message !== '') terminal.note(plainText(errorWords(end.message)));
  if (end.reason === 'cancelled') return;
  const ofSamples = status.external === undefined ? l10n.t(', {0} samples', formatCount(status.samples)) : '';
  const figures = `${formatBytes(end.fileBytes)}${ofSamples}, ${costOf(status)}`;
  if (!options.quiet) terminal.note(l10n.t('Wrote {0}:', figures.replace(/, $/, '')));
  terminal.print(end.file);
}
