/** Which kinds of targets this window can record. */
import type { ExtensionContext, LogOutputChannel } from 'vscode';
import type { LocalOptions } from '../../targets/local/local-recording.js';
import { LocalTargets } from '../../targets/local/local-targets.js';
import { parseServer } from '../../targets/android/adb-server.js';
import { AndroidTargets } from '../../targets/android/android-targets.js';
import { IosTargets, parseIosToken } from '../../targets/ios/ios-targets.js';
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
    say: (line) => log.info(line),
  };
}

export function targetSources(context: ExtensionContext, log: LogOutputChannel): TargetSource[] {
  const local = localOptions(context, log);
  const android = new AndroidTargets({
    get agentRoots() {
      return local.agentRoots;
    },
    get program() {
      return setting('adb.path') || undefined;
    },
    get host() {
      return parseServer(setting('adb.server'))?.host;
    },
    get port() {
      return parseServer(setting('adb.server'))?.port;
    },
    // A person who has no phone must not find an adb server running because a list was looked at.
    startServer: false,
    log: (line) => log.debug(line),
  });
  const ios = new IosTargets({
    get agentRoots() {
      return local.agentRoots;
    },
    get tokens() {
      return parseIosToken(setting('ios.token') || (process.env['BTRACE_IOS_TOKEN'] ?? ''));
    },
    get symbolFolders() {
      const folder = setting('ios.symbols');
      return folder === '' ? [] : [folder];
    },
    log: (line) => log.debug(line),
  });
  return [new LocalTargets(local), android, ios];
}
