/** What of an Android device's system is recorded beside an app: off, a preset, or a configuration of one's own. */
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { commands, l10n, type Uri, window, workspace } from 'vscode';
import { type SystemPreset, systemPresets } from '../../targets/system/system-presets.js';
import type { RecordOptions, Target } from '../../targets/target.js';
import { Problem } from '../notice.js';
import { setting } from '../settings.js';

export type SystemName = 'off' | 'file' | SystemPreset;

export interface SystemWish {
  readonly name: SystemName;
  /** Of `file`: where the configuration is. */
  readonly file: string;
}

export type SystemOptions = Pick<RecordOptions, 'system' | 'systemPreset' | 'systemConfig'>;

interface Entry {
  readonly name: SystemName;
  readonly label: string;
  readonly description: string;
}

function entries(): Entry[] {
  return [
    { name: 'off', label: l10n.t('Off'), description: l10n.t('the app alone') },
    {
      name: 'usual',
      label: l10n.t('Usual'),
      description: l10n.t('the kernel’s scheduler, and what Android tells of the app’s threads'),
    },
    {
      name: 'startUp',
      label: l10n.t('Start-up'),
      description: l10n.t('also packages, resources, the system server and disks'),
    },
    {
      name: 'jank',
      label: l10n.t('Jank'),
      description: l10n.t('also displays and their hardware'),
    },
    { name: 'io', label: l10n.t('I/O'), description: l10n.t('also disks, file systems and databases') },
    {
      name: 'file',
      label: l10n.t('Own Configuration'),
      description: l10n.t('a file in Perfetto’s text format'),
    },
  ];
}

const isName = (name: string): name is SystemName =>
  name === 'off' || name === 'file' || Object.hasOwn(systemPresets, name);

/** As the settings say; off for targets that have no such trace. */
export function systemWish(target: Target): SystemWish {
  const name: string = setting('recording.system');
  const file = setting('recording.systemConfig');
  return target.recordsSystem === true && isName(name) ? { name, file } : { name: 'off', file };
}

export const systemLabel = ({ name, file }: SystemWish): string =>
  name === 'file' && file !== ''
    ? path.basename(file)
    : (entries().find((entry) => entry.name === name)?.label ?? '');

/** Asks the person; gives `before` if they choose nothing. */
export async function pickSystem(before: SystemWish): Promise<SystemWish> {
  // The current choice comes first: VS Code ignores `picked` where only one can be chosen, and makes the first row active.
  const items = entries().sort((a, b) => Number(b.name === before.name) - Number(a.name === before.name));
  const chosen = await window.showQuickPick(items, {
    title: l10n.t('The System’s Trace Beside the App'),
    matchOnDescription: true,
  });
  if (chosen === undefined) return before;
  if (chosen.name !== 'file') return { name: chosen.name, file: before.file };
  const folder = firstFolder();
  const [file] =
    (await window.showOpenDialog({
      title: l10n.t('Which configuration?'),
      filters: { [l10n.t('Perfetto configurations')]: ['pbtx', 'pbtxt', 'txt', 'textproto'] },
      ...(folder !== undefined && { defaultUri: folder }),
    })) ?? [];
  return file === undefined ? before : { name: 'file', file: file.fsPath };
}

const firstFolder = (): Uri | undefined =>
  workspace.workspaceFolders?.find(({ uri }) => uri.scheme === 'file')?.uri;

/** Reads the configuration's file if there shall be one. Throws a Problem if it cannot be read. */
export async function systemOptions({ name, file }: SystemWish): Promise<SystemOptions> {
  if (name === 'off') return {};
  if (name !== 'file') return { system: true, systemPreset: name };
  return { system: true, systemConfig: await configIn(file) };
}

async function configIn(file: string): Promise<string> {
  if (file === '') throw unreadable(l10n.t('btrace.recording.systemConfig is empty'));
  const folder = firstFolder()?.fsPath;
  const place = path.isAbsolute(file) || folder === undefined ? file : path.join(folder, file);
  try {
    return await readFile(place, 'utf8');
  } catch (error) {
    throw unreadable(error instanceof Error ? error.message : String(error), error);
  }
}

function unreadable(why: string, cause?: unknown): Problem {
  return new Problem(
    l10n.t('The configuration of the system’s trace cannot be read: {0}.', why),
    l10n.t('Set btrace.recording.systemConfig to a file in Perfetto’s text format, or choose a preset.'),
    [
      {
        title: l10n.t('Open Settings'),
        run: () => commands.executeCommand('workbench.action.openSettings', 'btrace.recording.system'),
      },
    ],
    { cause },
  );
}
