/** Which kinds of targets this window can record. */
import type { ExtensionContext, LogOutputChannel } from 'vscode';
import { LocalTargets, type LocalOptions } from '../../targets/local/local-targets.js';
import type { TargetSource } from '../../targets/target.js';
import { setting } from '../settings.js';

export function localOptions(context: ExtensionContext, log: LogOutputChannel): LocalOptions {
  return {
    // Looked at for each recording: the setting may change meanwhile.
    get agentRoots() {
      const own = setting('agent.folder');
      return own === '' ? [context.extensionPath] : [own, context.extensionPath];
    },
    log: (line) => log.debug(line),
  };
}

export function targetSources(context: ExtensionContext, log: LogOutputChannel): TargetSource[] {
  return [new LocalTargets(localOptions(context, log))];
}
