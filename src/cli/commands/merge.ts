import { formatBytes, formatCount, formatNs } from '../../trace/measure/quantities.js';
import { type MergeRefusal, planMerge, writeMerged } from '../../trace/system/merge.js';
import { type Command, type Input, jsonOption, type Option } from '../command-line.js';
import { CliError, ExitCode, UsageError } from '../exit-codes.js';
import { fillFile, forceOption, refuseExisting } from '../new-file.js';
import { piecesOf } from '../open-trace.js';
import type { Terminal } from '../terminal.js';
import { l10n } from '../l10n.js';

const options: readonly Option[] = [
  { name: 'output', short: 'o', value: 'FILE', help: 'write the merged recording here' },
  forceOption,
  jsonOption,
];

function refused(why: MergeRefusal, recording: string, systemTrace: string): CliError {
  const [what, advice] = ((): [string, string] => {
    switch (why.kind) {
      case 'noRecording':
        return [l10n.t('{0} is no recording of BTrace.', recording), l10n.t('Name the recording first.')];
      case 'hasSystemTrace':
        return [l10n.t('{0} has a system trace already.', recording), l10n.t('Take one without.')];
      case 'noSchedulerEvents':
        return [
          l10n.t('{0} has no events of the kernel’s scheduler.', systemTrace),
          l10n.t('It takes a Perfetto trace, or ftrace’s text or systrace’s HTML, with sched_switch in it.'),
        ];
      case 'otherTime':
        return [
          l10n.t(
            'The two were not made at the same time: nothing of {0} lies in {1}.',
            systemTrace,
            recording,
          ),
          why.shift.ns < 0
            ? l10n.t(
                'By its {0} clock it begins {1} before the recording.',
                why.shift.clock,
                formatNs(-why.shift.ns),
              )
            : l10n.t(
                'By its {0} clock it begins {1} after the recording.',
                why.shift.clock,
                formatNs(why.shift.ns),
              ),
        ];
    }
  })();
  return new CliError(ExitCode.File, what, advice);
}

async function merged(input: Input, terminal: Terminal): Promise<number> {
  const output = input.text('output');
  if (output === undefined) throw new UsageError('Where to? Give -o FILE.');
  const [recording = '', systemTrace = ''] = input.operands;
  refuseExisting(output, input);
  const plan = await planMerge(
    () => piecesOf(recording),
    () => piecesOf(systemTrace),
  );
  if ('kind' in plan) throw refused(plan, recording, systemTrace);
  const { shift, beside } = plan;
  let bytes = 0;
  await fillFile(output, (sink) =>
    writeMerged(() => piecesOf(recording), beside, {
      write: async (piece) => {
        bytes += piece.length;
        await sink.write(piece);
      },
    }),
  );
  if (input.has('json')) {
    const { taken, outside } = beside;
    terminal.print(JSON.stringify({ file: output, bytes, shift, taken, outside }, null, 2));
    return ExitCode.Done;
  }
  const how = shift.isMeasured
    ? l10n.t('as the trace’s own readings say')
    : l10n.t('the nearer of the recording’s two clocks');
  terminal.note(
    l10n.t(
      '{0} events laid beside the recording by the {1} clock, {2}',
      formatCount(beside.taken),
      shift.clock,
      how,
    ) +
      `${beside.outside > 0 ? l10n.t('; {0} lie elsewhere and were left out', formatCount(beside.outside)) : ''}.`,
  );
  terminal.note(l10n.t('Wrote {0}:', formatBytes(bytes)));
  terminal.print(output);
  return ExitCode.Done;
}

export const merge: Command = {
  name: 'merge',
  summary: 'lay a system trace beside a recording',
  usage: ['merge RECORDING SYSTEM_TRACE -o OUTPUT [OPTIONS]'],
  operands: ['recording', 'trace'],
  description: [
    'SYSTEM_TRACE is a Perfetto trace, or ftrace’s text or systrace’s HTML, with scheduler events, made at the same time\non the same device. Its clock is found out; docs/SYSTEM.md says how.',
  ],
  options,
  examples: ['btrace merge shop.btrace shop.pftrace -o both.btrace'],
  run: merged,
};
