import { type Target, TargetError } from '../../targets/target.js';
import { adbOptions, androidTargets } from '../android-targets.js';
import { type Command, type Input, jsonOption } from '../command-line.js';
import { errorPart, ExitCode } from '../exit-codes.js';
import { iosOption, iosTargets } from '../ios-targets.js';
import { localTargets } from '../local-targets.js';
import { plainText } from '../plain-text.js';
import { table, type Terminal } from '../terminal.js';
import { errorWords, l10n } from '../l10n.js';

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
    terminal.note(
      `${errorWords(error.message)} ${errorWords(error.remedy ? errorPart('To start it: btrace list --android') : error.nextStep)}`,
    );
    return [];
  }
}

export const list: Command = {
  name: 'list',
  summary: 'show the programs and the apps on devices that can be recorded',
  usage: ['list [--android] [--ios] [--json]'],
  description: [
    "This user's programs on this machine, also in containers: Java first, then native ones, the busiest first; and\nthe apps on the devices of the adb server, if one runs, and on iPhones. What cannot be recorded says why.",
  ],
  options: [
    { name: 'android', help: 'the Android apps alone; an adb server is started if none runs' },
    { ...iosOption, help: 'the iPhones and iPads on a cable alone, and the apps on them' },
    ...adbOptions,
    jsonOption,
  ],
  examples: [],
  async run(input, terminal) {
    const [wantsAndroid, wantsIos] = [input.has('android'), input.has('ios')];
    const isForAll = !wantsAndroid && !wantsIos;
    const [local, android, ios] = await Promise.all([
      isForAll ? localTargets(terminal).list() : [],
      isForAll || wantsAndroid ? onDevices(input, terminal) : [],
      isForAll || wantsIos ? iosTargets(input, terminal, wantsIos).list() : [],
    ]);
    const targets = [...local, ...android, ...ios];
    if (input.has('json')) {
      terminal.print(json(targets));
      return ExitCode.Done;
    }
    if (targets.length === 0) {
      terminal.note(
        wantsIos
          ? l10n.t('No iPhone or iPad is connected by a cable.')
          : wantsAndroid
            ? l10n.t(
                'No Android device is connected, or no app runs on it. adb devices shows those that are.',
              )
            : l10n.t(
                'No Java program of yours is running. To start one and record it: btrace record -- java …',
              ),
      );
      return ExitCode.Done;
    }
    const rows = targets.map(({ pid, name, label, runtime, refusal, detail }) => [
      pid > 0 ? String(pid) : '',
      plainText(name),
      plainText(runtime),
      (label === undefined ? '' : `${plainText(label)} · `) +
        plainText(refusal === undefined ? detail : l10n.t('cannot be recorded: {0}', errorWords(refusal))),
    ]);
    const [head = '', ...lines] = table(
      [[l10n.t('PID'), l10n.t('NAME'), l10n.t('RUNTIME'), l10n.t('COMMAND OR DEVICE')], ...rows],
      [true, false, false, false],
      terminal.width,
    );
    terminal.print(terminal.bold(head));
    for (const line of lines) terminal.print(line);
    return ExitCode.Done;
  },
};
