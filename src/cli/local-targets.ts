/** The Java programs of this machine, with the agent of this package. */
import type { LocalOptions } from '../targets/local/local-recording.js';
import { LocalTargets } from '../targets/local/local-targets.js';
import { packageRoot } from './package.js';
import type { Terminal } from './terminal.js';

export function localOptions(terminal: Terminal): LocalOptions {
  const own = process.env['BTRACE_AGENT_FOLDER'];
  return {
    agentRoots: [...(own ? [own] : []), packageRoot()],
    log: (line) => {
      if (process.env['BTRACE_LOG']) terminal.note(`btrace: ${line}`);
    },
  };
}

export function localTargets(terminal: Terminal): LocalTargets {
  return new LocalTargets(localOptions(terminal));
}
