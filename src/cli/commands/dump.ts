import path from 'node:path';
import { newRecordingFile } from '../../targets/recording-folder.js';
import { TargetError } from '../../targets/target.js';
import { type Command, jsonOption } from '../command-line.js';
import { ExitCode } from '../exit-codes.js';
import { formatBytes } from '../../trace/measure/quantities.js';
import { plainText } from '../plain-text.js';
import { parseCount, parseDuration } from '../quantities.js';
import { recordingsFolder } from '../recording/request.js';
import { requestDump, ringTargets } from '../recording/ring.js';

async function onlyRing(): Promise<number> {
  const [pid, ...others] = await ringTargets();
  if (pid !== undefined && others.length === 0) return pid;
  throw new TargetError(
    'not-found',
    pid === undefined
      ? 'No recording keeps a ring.'
      : `Rings are kept of processes ${[pid, ...others].join(', ')}.`,
    pid === undefined ? 'Start one with: btrace record --pid PID --ring 30s' : 'Choose one with --pid.',
  );
}

export const dump: Command = {
  name: 'dump',
  summary: 'write out what a recording with --ring holds; it goes on',
  usage: ['dump [--pid PID] [--last TIME] [-o FILE]'],
  description: [],
  options: [
    { name: 'pid', short: 'p', value: 'PID', help: 'whose ring (default: the only one there is)' },
    { name: 'last', value: 'TIME', help: 'how far back (default: all there is)' },
    {
      name: 'output',
      short: 'o',
      value: 'FILE',
      help: 'write here (default: a new file in btrace-recordings/)',
    },
    jsonOption,
  ],
  examples: ['btrace dump --last 5s -o stutter.btrace'],
  async run(input, terminal) {
    const pid = input.read('pid', parseCount) ?? (await onlyRing());
    const lastNs = input.read('last', parseDuration) ?? 0;
    const file =
      input.text('output') ?? (await newRecordingFile(recordingsFolder, `process ${pid} ring`, new Date()));
    const end = await requestDump(pid, { file: path.resolve(file), lastNs });
    if (input.has('json')) terminal.print(JSON.stringify(end, null, 2));
    else {
      terminal.note(end.message === '' ? `Wrote ${formatBytes(end.fileBytes)}:` : plainText(end.message));
      terminal.print(end.file);
    }
    return end.reason === 'stopped' ? ExitCode.Done : ExitCode.CutShort;
  },
};
