/** A recording on the command line from its begin to its end: progress, Ctrl-C, dumps, and the line that says how it went. */
import type { Session, SessionEnd, SessionStatus } from '../../targets/target.js';
import { recordingCost } from '../../trace/measure/recording-cost.js';
import { ExitCode } from '../exit-codes.js';
import { formatBytes, formatCount, formatShare } from '../../trace/measure/quantities.js';
import { plainText } from '../plain-text.js';
import type { Terminal } from '../terminal.js';
import type { Begin, Begun } from './begin.js';
import { makingRoom, type RecordRequest } from './request.js';
import { dumpWhenFileAppears, DumpService } from './ring.js';

export interface Follow {
  readonly quiet: boolean;
  readonly json: boolean;
  readonly dumpWhen: string | undefined;
  readonly request: RecordRequest;
}

const END_SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
type EndSignal = (typeof END_SIGNALS)[number];

const EXIT_CODES: Record<SessionEnd['reason'], number> = {
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
  return cost === undefined ? '' : `${formatShare(cost.ofCpu)} cost`;
}

const silenceOf = ({ outside }: SessionStatus): string =>
  outside === undefined
    ? 'does not answer, it may be stopped or very busy'
    : 'the device is away, connect it again';

function progressOf(session: Session, status: SessionStatus): string {
  return [
    `${plainText(session.target.name)} (${session.target.pid})`,
    `${(status.elapsedMs / 1000).toFixed(0)} s`,
    ...(status.outside === undefined
      ? [`${formatCount(status.samples)} samples`, formatBytes(status.fileBytes)]
      : ['samples come at the end']),
    ...(status.dropped > 0 ? [`${formatCount(status.dropped)} dropped`] : []),
    costOf(status),
    status.isSilent ? silenceOf(status) : '',
  ]
    .filter((part) => part !== '')
    .join(' · ');
}

/** Calls `end` for each signal that asks this process to end, until the returned function is called. */
function onEndSignal(end: (signal: EndSignal) => void): () => void {
  for (const signal of END_SIGNALS) process.on(signal, end);
  return () => {
    for (const signal of END_SIGNALS) process.off(signal, end);
  };
}

async function begun(begin: Begin): Promise<Begun> {
  const interrupted = new AbortController();
  const off = onEndSignal(() => interrupted.abort(new Error('interrupted before the recording began')));
  try {
    return await begin(interrupted.signal);
  } finally {
    off();
  }
}

export async function follow(begin: Begin, options: Follow, terminal: Terminal): Promise<number> {
  const { session, launched } = await makingRoom(options.request, () => begun(begin));
  const { ringNs } = options.request;
  const dumps =
    ringNs === undefined
      ? undefined
      : await DumpService.open(session).catch((error: unknown) => {
          terminal.note(`btrace dump will not find this recording: ${String(error)}`);
          return undefined;
        });
  const unwatch =
    options.dumpWhen === undefined
      ? undefined
      : dumpWhenFileAppears(options.dumpWhen, session, (line) => terminal.note(line));
  // Once: a second Ctrl-C ends this process at once, and the file is valid as it is.
  const off = onEndSignal((signal) => {
    off();
    terminal.note(`${launched ? `${plainText(session.target.name)} runs on; ` : ''}ending the recording …`);
    if (signal !== 'SIGINT') launched?.kill(signal);
    void session.stop();
  });
  if (!options.quiet) {
    const { outside } = session.status();
    const how = outside === undefined ? '' : ` from outside, by Android: ${plainText(outside)}`;
    terminal.note(
      `Recording ${plainText(session.target.name)} (process ${session.target.pid})${how}. Ctrl-C ends it.`,
    );
    session.onStatus((status) => terminal.progress(progressOf(session, status)));
  }
  const end = await session.ended;
  off();
  unwatch?.();
  await dumps?.close();
  terminal.endProgress();
  if (launched !== undefined) terminal.freshLine();
  say(session, end, options, terminal);
  const code = EXIT_CODES[end.reason];
  const exit = await launched?.exit;
  return code === ExitCode.Done ? (exit ?? code) : code;
}

function say(session: Session, end: SessionEnd, options: Follow, terminal: Terminal): void {
  const status = session.status();
  if (options.json) {
    const { name, pid, runtime } = session.target;
    const { samples, dropped, elapsedMs, outside } = status;
    // How many samples Android took is in the file alone.
    const taken = outside === undefined ? { samples, dropped } : { outside };
    terminal.print(JSON.stringify({ ...end, target: { name, pid, runtime }, ...taken, elapsedMs }, null, 2));
    return;
  }
  if (end.message !== '') terminal.note(plainText(end.message));
  if (end.reason === 'cancelled') return;
  const ofSamples = status.outside === undefined ? `, ${formatCount(status.samples)} samples` : '';
  const figures = `${formatBytes(end.fileBytes)}${ofSamples}, ${costOf(status)}`;
  if (!options.quiet) terminal.note(`Wrote ${figures.replace(/, $/, '')}:`);
  terminal.print(end.file);
}
