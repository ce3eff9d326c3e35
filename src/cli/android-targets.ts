/** Android devices on the command line: the options that say where adb is, and the targets behind them. */
import { parseServer } from '../targets/android/adb-server.js';
import { AndroidTargets } from '../targets/android/android-targets.js';
import type { Input, Option } from './command-line.js';
import { UsageError } from './exit-codes.js';
import { localOptions } from './local-targets.js';
import type { Terminal } from './terminal.js';

export const adbOptions: readonly Option[] = [
  {
    name: 'adb',
    value: 'PROGRAM',
    help: 'the adb to start a server with (default: that of ANDROID_HOME,\nANDROID_SDK_ROOT, PATH, Android Studio)',
  },
  {
    name: 'adb-server',
    value: 'HOST:PORT',
    help: 'the adb server (default: where adb itself looks, by\nADB_SERVER_SOCKET, ANDROID_ADB_SERVER_PORT, or this machine, 5037)',
  },
];

function serverOf(text: string): { host?: string; port?: number } {
  const server = parseServer(text);
  if (!server) throw new UsageError(`--adb-server takes HOST:PORT, not "${text}".`);
  return server;
}

/** `startServer`: Android was asked for, so an adb server may be started for it. */
export function androidTargets(input: Input, terminal: Terminal, startServer: boolean): AndroidTargets {
  const program = input.text('adb');
  return new AndroidTargets({
    ...localOptions(terminal),
    ...(program !== undefined && { program }),
    ...input.read('adb-server', serverOf),
    startServer,
  });
}
