import { type Target, TargetError } from '../../targets/target.js';
import { adbOptions, androidTargets } from '../android-targets.js';
import { type Command, type Input, jsonOption } from '../command-line.js';
import { ExitCode } from '../exit-codes.js';
import { localTargets } from '../local-targets.js';
import { plainText } from '../plain-text.js';
import { table, type Terminal } from '../terminal.js';

function json(targets: readonly Target[]): string {
  return JSON.stringify(
    targets.map(({ id, kind, name, label, pid, runtime, abi, detail, refusal }) => ({
      id,
      kind,
      name,
      ...(label !== undefined && { label }),
      pid,
      runtime,
      ...(abi !== undefined && { abi }),
      detail,
      recordable: refusal === undefined,
      ...(refusal !== undefined && { refusal }),
    })),
    null,
    2,
  );
}

/** Where nobody asked for Android, a machine that is not set up for it has none. */
async function onDevices(input: Input, terminal: Terminal): Promise<Target[]> {
  const asked = input.has('android') || input.has('adb') || input.has('adb-server');
  try {
    const source = androidTargets(input, terminal, asked);
    const targets = await source.list();
    return (await source.readLabels()) ? await source.list() : targets;
  } catch (error) {
    if (asked || !(error instanceof TargetError)) throw error;
    terminal.note(`${error.message} ${error.remedy ? 'To start it: btrace list --android' : error.nextStep}`);
    return [];
  }
}

export const list: Command = {
  name: 'list',
  summary: 'show the Java programs and Android apps that can be recorded',
  usage: ['list [--android] [--json]'],
  description: [
    "This user's Java programs on this machine, also in containers, and the apps on the devices of the adb\nserver, if one runs. What cannot be recorded says why.",
  ],
  options: [
    { name: 'android', help: 'the Android apps alone; an adb server is started if none runs' },
    ...adbOptions,
    jsonOption,
  ],
  examples: [],
  async run(input, terminal) {
    const [local, android] = await Promise.all([
      input.has('android') ? [] : localTargets(terminal).list(),
      onDevices(input, terminal),
    ]);
    const targets = [...local, ...android];
    if (input.has('json')) {
      terminal.print(json(targets));
      return ExitCode.Done;
    }
    if (targets.length === 0) {
      terminal.note(
        input.has('android')
          ? 'No Android device is connected, or no app runs on it. adb devices shows those that are.'
          : 'No Java program of yours is running. To start one and record it: btrace record -- java …',
      );
      return ExitCode.Done;
    }
    const rows = targets.map(({ pid, name, label, runtime, refusal, detail }) => [
      pid > 0 ? String(pid) : '',
      plainText(name),
      plainText(runtime),
      (label === undefined ? '' : `${plainText(label)} · `) +
        plainText(refusal === undefined ? detail : `cannot be recorded: ${refusal}`),
    ]);
    const [head = '', ...lines] = table(
      [['PID', 'NAME', 'RUNTIME', 'COMMAND OR DEVICE'], ...rows],
      [true, false, false, false],
      terminal.width,
    );
    terminal.print(terminal.bold(head));
    for (const line of lines) terminal.print(line);
    return ExitCode.Done;
  },
};
