/** Puts the library for apps that record themselves where a build of an app finds it. */
import { copyInAppLibrary } from '../../targets/android/in-app-library.js';
import { type Command, jsonOption } from '../command-line.js';
import { ExitCode } from '../exit-codes.js';
import { localOptions } from '../local-targets.js';

export const inApp: Command = {
  name: 'in-app',
  summary: 'write the library for apps that are to record themselves',
  usage: ['in-app FOLDER'],
  operands: ['folder'],
  description: [
    'Writes btrace.jar, and jniLibs/ABI/libbtrace-agent.so for each ABI, into FOLDER. An app that has them in it can\nbe recorded without being debuggable: by its own code, or with --from-launch. docs/ANDROID.md says how.',
  ],
  options: [jsonOption],
  examples: ['btrace in-app app/btrace'],
  async run(input, terminal) {
    const written = await copyInAppLibrary(localOptions(terminal).agentRoots, input.operand());
    if (input.has('json')) terminal.print(JSON.stringify(written, null, 2));
    else for (const file of written) terminal.print(file);
    return ExitCode.Done;
  },
};
