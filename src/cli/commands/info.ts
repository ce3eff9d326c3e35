import { type Command, jsonOption } from '../command-line.js';
import { ExitCode } from '../exit-codes.js';
import { infoJson, printInfo } from '../info.js';
import { memoryOption, openWithProgress } from '../open-trace.js';
import { parseSize } from '../quantities.js';

export const info: Command = {
  name: 'info',
  summary: 'say what is in a recording: target, settings, hooks, losses, damage',
  usage: ['info FILE [OPTIONS]'],
  description: [],
  options: [memoryOption, jsonOption],
  examples: [],
  async run(input, terminal) {
    const file = input.one('file');
    const trace = await openWithProgress(file, terminal, input.read('memory', parseSize));
    if (input.has('json')) terminal.print(JSON.stringify(infoJson(file, trace), null, 2));
    else printInfo(file, trace, terminal);
    return ExitCode.Done;
  },
};
